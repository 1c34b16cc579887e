"""Decides what a caller may see of someone in a session; every answer asks here.

Pure. A source may see the people it named itself: it knows them. It sees people that only the
operator named on its behalf the way everyone does: a public player by the id, and for anyone else
only that someone sat there. An address or nickname is shown only to the source that used it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from shared.addresses import BOB_EMAIL
from shared.ids import BOB

# What a sheet calls someone without an address. Neither reads as a player, so a sheet with one of
# them cannot be submitted by accident.
ERASED: Final = "(erased)"
NOT_SHOWN: Final = "(not shown)"

# `own` is the source whose session it is; `other` is any other source, or the public.
Viewer: TypeAlias = Literal["own", "other", "operator", "auditor"]


@dataclass(frozen=True, slots=True)
class Seated:
    """What is on record about someone in a session, by the id in its fact.

    `is_named` says if the session's source has named this very id itself, here or elsewhere;
    `is_public`, if everyone may see the player it is merged into; `is_said_private`, if that
    source said the player is private. A forgotten person has neither address nor nickname.
    """

    player_id: str
    survivor_id: str
    is_named: bool
    is_public: bool
    is_said_private: bool = False
    address: str | None = None
    nickname: str | None = None


def sees(someone: Seated, viewer: Viewer) -> bool:
    """Return whether a caller may see the id and the numbers of someone."""
    match viewer:
        case "operator" | "auditor":
            return True
        case "own":
            return someone.is_named or someone.is_public
        case "other":
            return False


def called(someone: Seated, viewer: Viewer) -> str | None:
    """Return what the source called someone; None unless that source is asking."""
    if viewer != "own" or not someone.is_named:
        return None
    if someone.nickname is not None:
        return f"ANON:{someone.nickname}"
    return _address(someone)


def written(someone: Seated, viewer: Viewer) -> str:
    """Return what a sheet calls someone; the operator is shown addresses but no nicknames."""
    if someone.address is None and someone.nickname is None:
        return ERASED
    text = _address(someone) if viewer == "operator" else called(someone, viewer)
    return NOT_SHOWN if text is None else text


def _address(someone: Seated) -> str | None:
    if someone.address is None:
        return None
    return f"PRIVATE:{someone.address}" if someone.is_said_private else someone.address


@dataclass(frozen=True, slots=True)
class Sight:
    """What one caller sees of the people in some sessions, by the ids in their facts.

    Someone about whom nothing is known here is shown only to the operator and auditors.
    """

    viewer: Viewer
    seated: Mapping[str, Seated] = field(default_factory=dict)

    def sees(self, player_id: str) -> bool:
        """Return whether the caller may see the id and numbers of a seat; anyone may see Bob's."""
        if player_id == BOB or self.viewer in {"operator", "auditor"}:
            return True
        someone = self.seated.get(player_id)
        return someone is not None and sees(someone, self.viewer)

    def called(self, player_id: str) -> str | None:
        """Return what the caller itself called the player of a seat; None to everyone else."""
        if player_id == BOB:
            return BOB_EMAIL if self.viewer == "own" else None
        someone = self.seated.get(player_id)
        return None if someone is None else called(someone, self.viewer)

    def read_as(self, player_id: str) -> str:
        """Return the id by which an answer names the player of a seat: the player it is merged into
        now.

        The ids of seats are those of addresses, and would tell a source who is merged.
        """
        someone = self.seated.get(player_id)
        return player_id if someone is None else someone.survivor_id

    @property
    def ids(self) -> frozenset[str] | None:
        """The ids of the people the caller may see in what a change did; None for all ids."""
        if self.viewer in {"operator", "auditor"}:
            return None
        shown = [each for each in self.seated.values() if sees(each, self.viewer)]
        return frozenset(player for each in shown for player in (each.player_id, each.survivor_id))


EVERYBODY: Final = Sight("operator")
