"""The client: `Mahjic` blocks until there is an answer, `AsyncMahjic` awaits it."""

from collections.abc import AsyncIterator, Iterable, Iterator
from types import TracebackType

from mahjic_client.asking import Asked, events_of, given, new_key, pause, slice_steps, slices
from mahjic_client.async_methods.boards import AsyncBoards
from mahjic_client.async_methods.operating import AsyncOperating
from mahjic_client.async_methods.players import AsyncPlayers
from mahjic_client.async_methods.reading import AsyncReading
from mahjic_client.async_methods.sessions import AsyncSessions
from mahjic_client.async_methods.submitting import AsyncSubmitting
from mahjic_client.lines import LineAnswer
from mahjic_client.methods.boards import Boards
from mahjic_client.methods.operating import Operating
from mahjic_client.methods.players import Players
from mahjic_client.methods.reading import Reading
from mahjic_client.methods.sessions import Sessions
from mahjic_client.methods.submitting import Submitting
from mahjic_client.shapes import EventAnswer, IfSimilar, LineClaim

EVENTS_WAIT_S = 30


class Mahjic(Boards, Operating, Players, Reading, Sessions, Submitting):
    """Mahjic at an address, with an API key or without. Each call blocks until it is answered.

    Whatever gets lost on the way is sent again, as it was. Raises NoAnswer or Refused when that
    is no longer of use.
    """

    def __enter__(self) -> "Mahjic":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def submit_batch(
        self,
        lines: Iterable[LineClaim],
        /,
        *,
        whole_nights: bool | None = None,
        dry_run: bool | None = None,
        if_similar: IfSimilar | None = None,
        wait: int | None = None,
    ) -> list[LineAnswer]:
        """Send sessions, as many as there are, and return the answer to each, in their order."""
        return list(
            self.batch(
                lines, whole_nights=whole_nights, dry_run=dry_run, if_similar=if_similar, wait=wait
            )
        )

    def batch(
        self,
        lines: Iterable[LineClaim],
        /,
        *,
        whole_nights: bool | None = None,
        dry_run: bool | None = None,
        if_similar: IfSimilar | None = None,
        wait: int | None = None,
    ) -> Iterator[LineAnswer]:
        """Go through the answers to sessions, which are sent 1,000 at a time as you go.

        What you do not go on to is not sent.
        """
        asked = asked_batch(whole_nights, dry_run, if_similar, wait)
        for before, part in slices(lines, new_key()):
            yield from self._run(slice_steps(asked, before, part, self._patience))

    def events(self, *, after: int = 0, limit: int | None = None) -> Iterator[EventAnswer]:
        """Go through what happened after an event, and wait for what happens next, without end.

        Raises Gone if some of it is no longer kept.
        """
        while True:
            page = self.list_events(after=after, limit=limit, wait=EVENTS_WAIT_S)
            events, after = events_of(page)
            yield from events
            if not events:
                self._run(pause())


class AsyncMahjic(
    AsyncBoards, AsyncOperating, AsyncPlayers, AsyncReading, AsyncSessions, AsyncSubmitting
):
    """Mahjic at an address, with an API key or without. Each call is awaited.

    Whatever gets lost on the way is sent again, as it was. Raises NoAnswer or Refused when that
    is no longer of use.
    """

    async def __aenter__(self) -> "AsyncMahjic":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def submit_batch(
        self,
        lines: Iterable[LineClaim],
        /,
        *,
        whole_nights: bool | None = None,
        dry_run: bool | None = None,
        if_similar: IfSimilar | None = None,
        wait: int | None = None,
    ) -> list[LineAnswer]:
        """Send sessions, as many as there are, and return the answer to each, in their order."""
        answers = self.batch(
            lines, whole_nights=whole_nights, dry_run=dry_run, if_similar=if_similar, wait=wait
        )
        return [each async for each in answers]

    async def batch(
        self,
        lines: Iterable[LineClaim],
        /,
        *,
        whole_nights: bool | None = None,
        dry_run: bool | None = None,
        if_similar: IfSimilar | None = None,
        wait: int | None = None,
    ) -> AsyncIterator[LineAnswer]:
        """Go through the answers to sessions, which are sent 1,000 at a time as you go.

        What you do not go on to is not sent.
        """
        asked = asked_batch(whole_nights, dry_run, if_similar, wait)
        for before, part in slices(lines, new_key()):
            for answer in await self._run(slice_steps(asked, before, part, self._patience)):
                yield answer

    async def events(
        self, *, after: int = 0, limit: int | None = None
    ) -> AsyncIterator[EventAnswer]:
        """Go through what happened after an event, and wait for what happens next, without end.

        Raises Gone if some of it is no longer kept.
        """
        while True:
            page = await self.list_events(after=after, limit=limit, wait=EVENTS_WAIT_S)
            events, after = events_of(page)
            for event in events:
                yield event
            if not events:
                await self._run(pause())


def asked_batch(
    whole_nights: bool | None,
    dry_run: bool | None,
    if_similar: IfSimilar | None,
    wait: int | None,
) -> Asked:
    """Return what asks for a batch, before it has lines."""
    query = given({"whole_nights": whole_nights, "dry_run": dry_run, "if_similar": if_similar})
    return Asked("POST", "/v1/sessions/batch", query=query, wait=wait)
