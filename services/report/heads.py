"""Reads what kind of verdict a record is, and its time, without reading the rest of it. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from shared.events.codec import decode_verdict
from shared.events.verdicts import SessionRated

# Everything before the data of a record; the time has no other place in it.
_HEAD: Final = re.compile(rb'"type":"([a-z0-9.-]+)","source":"[^"]*","time":"([0-9TZ:.-]+)"')
_HEAD_BYTES: Final = 400


@dataclass(frozen=True, slots=True)
class VerdictHead:
    """What kind of verdict it is, and when the fact that it answers was accepted."""

    is_session: bool
    time: str

    @property
    def year(self) -> int:
        return int(self.time[:4])


def head_of(body: bytes) -> VerdictHead:
    """Return the head of a verdict. Raises what `decode_verdict` does where it looks unusual."""
    found = _HEAD.search(body, 0, _HEAD_BYTES)
    if found is None:
        verdict = decode_verdict(body)
        return VerdictHead(isinstance(verdict.event, SessionRated), verdict.time)
    return VerdictHead(found[1].decode() == SessionRated.TYPE, found[2].decode())
