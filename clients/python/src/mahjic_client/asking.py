"""What a method of the client asks for, and how its answer is read. Nothing is sent here."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from http import HTTPStatus
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote

from mahjic_client.errors import MahjicError
from mahjic_client.trying import (
    NOT_MAHJIC,
    Answer,
    Patience,
    Send,
    Steps,
    Wait,
    answered,
    batch,
    object_in,
    settled,
    settled_batch,
)

T = TypeVar("T")

LINES_MAX: Final = 1000
PLAYERS: Final = "/v1/players/"
# If something on the way answers at once where the service would wait.
EVENTS_PAUSE_S: Final = 1.0
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class Asked:
    """One request. `wait` is how many seconds the service may take; None is until all is known."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    file: bytes | None = None
    key: str | None = None
    wait: int | None = None
    is_probe: bool = False

    def steps(self, patience: Patience) -> Steps[Answer]:
        """Return the steps to the answer. A probe is sent once: what it finds is the answer."""
        if self.is_probe:
            return answered(self.sent(), replace(patience, tries_max=1))
        if self.wait is None:
            return settled(self.sent(), patience)
        return answered(self.sent(), patience)

    def sent(self) -> Send:
        """Return the request as it is sent, each time the same."""
        headers, content = {}, self.file
        if self.file is not None:
            headers["content-type"] = XLSX if self.file.startswith(b"PK") else "text/csv"
        if self.body is not None:
            headers["content-type"] = "application/json"
            content = json_line(self.body)
        if self.key is not None:
            headers["idempotency-key"] = self.key
        if self.wait is not None:
            headers["prefer"] = preference(self.wait)
        query = {name: in_query(value) for name, value in self.query.items()}
        return Send(self.method, self.path, query, headers, content)


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def new_key(own: str | None = None) -> str:
    """Return the idempotency key of a call: the caller's own, or a new one."""
    return own or uuid.uuid4().hex


def part(value: object) -> str:
    """Return a part of a path: an id or a name, whatever stands in it."""
    text = str(value)
    if text in {"", ".", ".."}:
        raise ValueError(f"{text!r} is no id.")
    return quote(text, safe="")


def preference(wait: int) -> str:
    """Return the header Prefer for so many seconds."""
    return f"wait={wait}" if wait else "respond-async"


def in_query(value: object) -> str:
    """Return a value as it stands in an address."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def json_line(value: object) -> bytes:
    """Return a value as JSON on one line; a date is its text."""
    return json.dumps(value, default=_text, ensure_ascii=False, allow_nan=False).encode()


def _text(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON.")


class Json(Generic[T]):
    """Reads an answer as the JSON that it is documented to be."""

    def __call__(self, answer: Answer) -> T:
        """Return what the answer says."""
        return cast("T", object_in(answer.content))


def text_of(answer: Answer) -> str:
    """Return the text of an answer."""
    try:
        return answer.content.decode()
    except UnicodeDecodeError:
        raise MahjicError(NOT_MAHJIC) from None


def content_of(answer: Answer) -> bytes:
    """Return the file in an answer."""
    return answer.content


def nothing_of(answer: Answer) -> None:
    """Return nothing: that the answer is that there is nothing to say says it all."""
    if answer.status != HTTPStatus.NO_CONTENT:
        raise MahjicError(NOT_MAHJIC)


class LogPage(NamedTuple):
    """Records of a log, byte for byte, and the hash chain before the first and after the last."""

    records: list[bytes]
    log_id: str
    chain_before: str | None
    chain_after: str | None


def log_page_of(answer: Answer) -> LogPage:
    """Return the records of a log in an answer."""
    log_id = answer.headers.get("mahjic-log-id")
    if log_id is None:
        raise MahjicError(NOT_MAHJIC)
    return LogPage(
        answer.content.split(b"\n")[:-1],
        log_id,
        answer.headers.get("mahjic-chain-before"),
        answer.headers.get("mahjic-chain-after"),
    )


@dataclass(frozen=True)
class Pages:
    """How a list goes on: `rows` is where a page has them, `next_field` what the next one needs."""

    rows: str
    query: str
    next_field: str

    def rows_of(self, answer: Answer) -> Sequence[Any]:
        """Return the rows of a page."""
        rows = object_in(answer.content).get(self.rows) or []
        if not isinstance(rows, list):
            raise MahjicError(NOT_MAHJIC)
        return rows

    def following(self, asked: Asked, answer: Answer) -> Asked | None:
        """Return what asks for the next page, None after the last."""
        page = object_in(answer.content)
        following = page.get(self.next_field)
        if following is None:
            return None
        path = asked.path
        if path.startswith(PLAYERS) and "player_id" in page:
            # The page of a player who was merged is somebody else's, and so is the next one.
            _, slash, rest = path.removeprefix(PLAYERS).partition("/")
            path = PLAYERS + part(page["player_id"]) + slash + rest
        return replace(asked, path=path, query={**asked.query, self.query: following})


class LogPages:
    """How the records of a log go on, up to its end."""

    def rows_of(self, answer: Answer) -> Sequence[Any]:
        """Return the records of a page."""
        return log_page_of(answer).records

    def following(self, asked: Asked, answer: Answer) -> Asked | None:
        """Return what asks for the next records, None after the last."""
        came = len(self.rows_of(answer))
        if came == 0:
            return None
        return replace(asked, query={**asked.query, "from": asked.query.get("from", 1) + came})


def slices(lines: Iterable[Mapping[str, Any]], key: str) -> Iterable[tuple[int, list[bytes]]]:
    """Yield the lines of a batch in slices, each with how many lines come before it.

    A line without a key of its own gets one, which it keeps through all tries.
    """
    before, ahead = 0, list[bytes]()
    for number, line in enumerate(lines, start=1):
        own = line.get("idempotency_key") or f"{key}-{number}"
        ahead.append(json_line({**line, "idempotency_key": own}))
        if len(ahead) == LINES_MAX:
            yield before, ahead
            before, ahead = number, []
    if ahead:
        yield before, ahead


def slice_steps(
    asked: Asked, before: int, lines: list[bytes], patience: Patience
) -> Steps[list[Any]]:
    """Return the steps to the answers of a slice; lines count from the first of the batch."""
    sent = asked.sent()
    request = replace(sent, headers={**sent.headers, "content-type": "application/x-ndjson"})
    send = settled_batch if asked.wait is None else batch
    told = yield from send(request, lines, patience)
    return [{**each, "line": before + each["line"]} for each in told]


def events_of(page: Mapping[str, Any]) -> tuple[list[Any], int]:
    """Return the events of a page, and the number after which the next one begins."""
    events, after = page.get("events"), page.get("next_after")
    if not isinstance(events, list) or not isinstance(after, int):
        raise MahjicError(NOT_MAHJIC)
    return events, after


def pause() -> Steps[None]:
    """Wait a moment."""
    yield Wait(EVENTS_PAUSE_S)


Read = Callable[[Answer], T]
