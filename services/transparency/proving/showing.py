"""Decides who is shown a whole record of a log.

A record may go to anyone only while everybody in it is public: whoever has it with its salt can
check who is in it, now and for good. A source is also shown people whom it has named itself, in a
session of its own where they sat. An auditor and the operator are shown every record.
"""

import re
from typing import Final

import orjson

from services.transparency.proving.answers import Withheld
from shared.answers.seen import Seated
from shared.http.callers import Caller
from shared.log.port import Record
from shared.seated import Fetch, read_people, read_seated

# A part of a long verdict is half as long. Nobody looks up more people than fit in it.
RECORD_BYTES_MAX: Final = 1 << 20
_PLAYER: Final = re.compile(rb"\b(?:MJ|AN)-[0-9A-HJKMNP-TV-Z]{8}\b")

NOT_PUBLIC: Final[Withheld] = {
    "code": "not_everybody_public",
    "message": (
        "Not everybody in this record is public, so what it says is not shown. The proof shows "
        "that the record is there, and that it is never changed."
    ),
}
TOO_LONG: Final[Withheld] = {
    "code": "too_long",
    "message": (
        "This record is too long to show here. The proof shows that it is there, and that it is "
        "never changed."
    ),
}


def sees_all(caller: Caller | None) -> bool:
    """Return whether a caller is shown every record."""
    return caller is not None and caller.kind in {"auditor", "operator"}


async def why_withheld(
    fetch: Fetch, caller: Caller | None, record: Record, *, session_id: str | None = None
) -> Withheld | None:
    """Return why a caller is not shown a record; None if it is shown.

    `session_id` is the caller's own session that the record is about, if it is a source.
    """
    if len(record.body) > RECORD_BYTES_MAX:
        return TOO_LONG
    if sees_all(caller):
        return None
    if not _is_plain(record.body):
        return NOT_PUBLIC
    named = sorted({each.decode() for each in _PLAYER.findall(record.body)})
    people = await read_people(fetch, named, source=None)
    source = None if caller is None else caller.source
    if source is not None and session_id is not None:
        # Those alone who sat there: a verdict may also name people whom it moves elsewhere.
        people |= await read_seated(fetch, [session_id], source=source)
    return None if all(_is_shown(people[each]) for each in named) else NOT_PUBLIC


def _is_shown(someone: Seated) -> bool:
    # The id of an address would tell a source who is merged into whom.
    knows = someone.is_named and someone.survivor_id == someone.player_id
    return someone.is_public or knows


def _is_plain(body: bytes) -> bool:
    """Return whether a record is written as we write: then no id in it can be overlooked."""
    try:
        return orjson.dumps(orjson.loads(body)) == body
    except orjson.JSONDecodeError:
        return False
