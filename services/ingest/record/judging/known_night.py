"""What to say about a night that is on record, but was sent differently now. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.answers.nights import NightAnswer, NightKind, RoundComparedAnswer, WhatBecame
from shared.errors import MahjicError

WORDS: Final[Mapping[NightKind, str]] = {
    "same": "has the same rounds, except for their refs",
    "grown": "has grown since",
    "changed": "is no longer the same",
}


@dataclass(frozen=True, slots=True)
class RoundCompared:
    """What happened to a round. `number` is its place in the submission, or None if missing there.

    `session_id` is the session that holds it, or its old version. `words` say what is different.
    """

    number: int | None
    what: WhatBecame
    session_id: str | None
    words: str

    @property
    def pointer(self) -> str | None:
        """Where the round is in the submission."""
        return None if self.number is None else f"/rounds/{self.number}"

    def told(self) -> RoundComparedAnswer:
        """Return what an answer says about it."""
        return {
            "pointer": self.pointer,
            "what": self.what,
            "session_id": self.session_id,
            "message": self.words,
        }


@dataclass(frozen=True, slots=True)
class Night:
    """A night that is on record, but is different now: what is the same, and what is not."""

    kind: NightKind
    session_ids: Sequence[str]
    rounds: Sequence[RoundCompared]
    game_type: str | None = None
    is_reordered: bool = False

    def told(self) -> NightAnswer:
        """Return what an answer says about it."""
        return {
            "kind": self.kind,
            "session_id": self.session_ids[0],
            "session_ids": list(self.session_ids),
            "correct": f"/v1/sessions/{self.session_ids[0]}/corrections",
            "rounds": [each.told() for each in self.rounds],
        }

    def summary(self, where: Callable[[str], str]) -> str:
        """Return a sentence that says where the night is on record, and what is different.

        `where` takes a pointer and says where that round is, in the words of the caller's format.
        """
        parts = [f"This night is on record as {_listed(self.session_ids)}, and {WORDS[self.kind]}"]
        for what, words in (("same", "as before"), ("new", "new"), ("changed", "changed")):
            places = [each.pointer for each in self.rounds if each.what == what]
            if places:
                parts.append(f"{words}: {', '.join(where(each) for each in places if each)}")
        missing = sum(each.what == "missing" for each in self.rounds)
        if missing:
            parts.append(f"no longer there: {missing} of its rounds")
        if self.is_reordered:
            parts.append("the remaining rounds are in a different order")
        if self.game_type is not None:
            parts.append(f"the game type was {self.game_type}")
        return "; ".join(parts) + "."

    def remedy(self, way: str) -> str:
        """Return what to do. `way` says how to correct the session with this kind of request."""
        first, *others = self.session_ids
        if not others:
            return f"To replace that night with this one, correct {first}: {way}."
        return (
            f"To make them one night, void {_listed(others)} first, and then correct {first}: "
            f"{way}."
        )


class NightChanged(MahjicError):
    """A whole night is already on record, but it was different."""

    code = "night_changed"
    title = "This night is on record, but different"
    status = 409

    def __init__(
        self, night: Night, *, detail: str | None = None, told: NightAnswer | None = None
    ) -> None:
        """`detail` and `told` are for callers that say it in other words."""
        self.night = night
        super().__init__(
            detail or detail_of(night, allow='send "allow_duplicate": true'),
            extra={"night": told or night.told()},
        )


def detail_of(
    night: Night,
    *,
    allow: str,
    way: str | None = None,
    where: Callable[[str], str] = str,
    held: str = "",
) -> str:
    """Return everything to say about a night, in one text.

    `allow` says how to submit it as another night after all, and `way` how to correct this one.
    `where` is as in `Night.summary`, and `held` says which rounds are on record, if any.
    """
    way = way or f"POST the whole night to /v1/sessions/{night.session_ids[0]}/corrections"
    return (
        f"{held}Nothing was recorded. {night.summary(where)} {night.remedy(way)} If it really is "
        f"another night, {allow}."
    )


def _listed(session_ids: Sequence[str]) -> str:
    *others, last = session_ids
    return f"{', '.join(others)} and {last}" if others else last
