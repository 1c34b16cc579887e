"""Asks a service for what a check needs, patiently, and counts the bytes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

import httpx
import orjson
from pydantic import TypeAdapter, ValidationError

from services.cli.checking.found import DoesNotHold
from services.cli.terminal.options import InvalidSettings
from shared.errors import MahjicError
from shared.tlog.tiles import HashTile

Answer = TypeVar("Answer")

CONNECT_S_MAX: Final = 5.0
ANSWER_S_MAX: Final = 30.0
# A whole answer, which may come in drops.
WHOLE_S_MAX: Final = 300.0
# A limit of requests per minute is over in a minute, and a log is signed within seconds.
PAUSES_MAX: Final = 20
PAUSE_S_MAX: Final = 60.0
PAUSE_S: Final = 2.0
# Whoever is checked may send without end. A page of changes has up to 100 records of up to 1 MiB,
# and an auditor's 1,000 records are longer only where very many ratings were corrected.
NOTE_BYTES_MAX: Final = 1 << 20
PAGE_BYTES_MAX: Final = 128 << 20
LINES_BYTES_MAX: Final = 1 << 30
DETAIL_CHARACTERS_MAX: Final = 300
_ASK_LATER: Final = frozenset({429, 503})
_NOT_FOUND: Final = 404


@dataclass(frozen=True, slots=True)
class _Answer:
    content: bytes
    headers: httpx.Headers


class NotChecked(MahjicError):
    """A check could not be finished, and says nothing about what it did not see."""

    code = "not_checked"
    title = "The check could not be finished"
    exit_code = 75


@dataclass(slots=True)
class AskedService:
    """A service, as a check asks it."""

    _http: httpx.Client
    key: str | None = field(default=None, repr=False)
    pause: Callable[[float], None] = time.sleep
    bytes_read: int = 0

    @property
    def place(self) -> str:
        """The address, without a name and password that it may hold."""
        return f"{self._http.base_url.scheme}://{self.host}"

    @property
    def host(self) -> str:
        """The host that is asked, with its port if that is not the usual one."""
        return self._http.base_url.netloc.decode()

    def text(self, path: str) -> str | None:
        """Return a text; None if there is none. Raises NotChecked, DoesNotHold."""
        content = self._content(path, NOTE_BYTES_MAX)
        try:
            return None if content is None else content.decode()
        except UnicodeDecodeError:
            raise DoesNotHold("What is there is no text.", path) from None

    def tile(self, log_path: str, tile: HashTile) -> bytes | None:
        """Return the hashes of a tile; None if there is no such tile. Raises NotChecked."""
        return self._content(f"{log_path}/{tile.path}", NOTE_BYTES_MAX)

    def read(self, kind: type[Answer], path: str, **parameters: str | int | None) -> Answer:
        """Return an answer as a model. Raises NotChecked, DoesNotHold."""
        content = self._content(path, PAGE_BYTES_MAX, **parameters)
        if content is None:
            raise NotChecked(f"{self.place}{path} is not there, or is not public.")
        try:
            return TypeAdapter(kind).validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(step) for step in first["loc"])
            raise DoesNotHold(
                f"The answer cannot be read ({place}: {first['msg']}).", path
            ) from None

    def lines(self, path: str, first_seq: int, limit: int) -> tuple[str, list[bytes]]:
        """Return the id of a log and lines of it, as an auditor. Raises NotChecked."""
        asked: dict[str, str | int] = {"from": first_seq, "limit": limit}
        answer = self._answer(path, asked, LINES_BYTES_MAX, as_auditor=True)
        if answer is None:
            raise NotChecked(f"{self.place}{path} is not there.")
        return answer.headers.get("Mahjic-Log-Id", ""), _lines(answer.content)

    def _content(self, path: str, bytes_max: int, **parameters: str | int | None) -> bytes | None:
        given = {name: value for name, value in parameters.items() if value is not None}
        answer = self._answer(path, given, bytes_max)
        return None if answer is None else answer.content

    def _answer(
        self,
        path: str,
        parameters: dict[str, str | int],
        bytes_max: int,
        *,
        as_auditor: bool = False,
    ) -> _Answer | None:
        headers = {"Authorization": f"Bearer {self.key}"} if as_auditor else {}
        for _ in range(PAUSES_MAX):
            try:
                with self._http.stream("GET", path, params=parameters, headers=headers) as answer:
                    content = self._read(answer, path, bytes_max)
            except httpx.HTTPError as error:
                reason = str(error).rstrip(".") or type(error).__name__
                if reason.startswith("[Errno "):
                    reason = reason.partition("] ")[2]
                raise NotChecked(f"{self.place} cannot be reached: {reason}.") from error
            if answer.status_code not in _ASK_LATER:
                break
            self.pause(_pause_s(answer))
        if answer.status_code == _NOT_FOUND:
            return None
        if not answer.is_success:
            detail = _detail(content)
            raise NotChecked(f"{self.place}{path} answered {answer.status_code}{detail}")
        return _Answer(content, answer.headers)

    def _read(self, answer: httpx.Response, path: str, bytes_max: int) -> bytes:
        """Return an answer, which may not go on and on. Raises NotChecked."""
        parts, length, began_s = list[bytes](), 0, time.monotonic()
        for part in answer.iter_bytes():
            parts.append(part)
            length += len(part)
            if length > bytes_max:
                raise NotChecked(f"{self.place}{path} sends more than {bytes_max} bytes.")
            if time.monotonic() - began_s > WHOLE_S_MAX:
                raise NotChecked(f"{self.place}{path} is not done after {WHOLE_S_MAX:.0f} s.")
        self.bytes_read += length
        return b"".join(parts)


def _lines(content: bytes) -> list[bytes]:
    return content.removesuffix(b"\n").split(b"\n") if content else []


def _pause_s(answer: httpx.Response) -> float:
    told = answer.headers.get("Retry-After", "")
    return min(float(told), PAUSE_S_MAX) if told.isdecimal() else PAUSE_S


def _detail(content: bytes) -> str:
    try:
        return f": {orjson.loads(content)['detail']}"[:DETAIL_CHARACTERS_MAX]
    except (ValueError, KeyError, TypeError):
        return "."


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address. Raises InvalidSettings."""
    url = _url(address)
    return f"{url.scheme}://{url.netloc.decode()}"


def _url(address: str) -> httpx.URL:
    try:
        return httpx.URL(address.strip().rstrip("/"))
    except httpx.InvalidURL as error:
        raise InvalidSettings(f"URL: It is not an address: {error}.") from None


@contextmanager
def asking(address: str, key: str | None) -> Iterator[AskedService]:
    """Give a service at an address. Raises InvalidSettings."""
    url = _url(address)
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidSettings("URL: It must be an address like https://mahjic.example.")
    timeout = httpx.Timeout(ANSWER_S_MAX, connect=CONNECT_S_MAX)
    with httpx.Client(base_url=url, timeout=timeout, follow_redirects=True) as http:
        yield AskedService(http, key)
