"""The lines of a batch that are read but not answered yet, in order, up to a limit."""

import asyncio
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """The answer to a line: its status, and the line to send, with its line feed."""

    status: int
    content: bytes


@dataclass(frozen=True, slots=True)
class _Begun:
    answer: "LineAnswer | asyncio.Task[LineAnswer]"
    weight_bytes: int


class Window:
    """Lines whose answers are being made, or are waiting for an earlier line's answer."""

    def __init__(self, *, lines_max: int, bytes_max: int) -> None:
        self._lines_max = lines_max
        self._bytes_max = bytes_max
        self._begun: deque[_Begun] = deque()
        self._bytes = 0
        self._is_complete = False
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()

    def __len__(self) -> int:
        return len(self._begun)

    async def room(self, weight_bytes: int) -> None:
        """Wait until a line of this weight may be added. An empty window takes any line."""
        while self._begun and (
            len(self._begun) >= self._lines_max or self._bytes + weight_bytes > self._bytes_max
        ):
            self._has_room.clear()
            await self._has_room.wait()

    def add(self, answer: "LineAnswer | asyncio.Task[LineAnswer]", weight_bytes: int) -> None:
        self._begun.append(_Begun(answer, weight_bytes))
        self._bytes += weight_bytes
        self._changed.set()

    def complete(self) -> None:
        """Say that no more lines will be added."""
        self._is_complete = True
        self._changed.set()

    async def first(self) -> LineAnswer | None:
        """Wait for the answer to the first line. Return None when there are no more lines."""
        while not self._begun:
            if self._is_complete:
                return None
            self._changed.clear()
            await self._changed.wait()
        answer = self._begun[0].answer
        return answer if isinstance(answer, LineAnswer) else await answer

    def drop_first(self) -> None:
        self._bytes -= self._begun.popleft().weight_bytes
        self._has_room.set()

    def cancel(self) -> None:
        """Give up all lines, so that no line still waiting is recorded."""
        for each in self._begun:
            if isinstance(each.answer, asyncio.Task):
                each.answer.cancel()
