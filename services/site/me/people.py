"""Who is logged in as a person: the players that are theirs, and what they chose about themselves.

A player is somebody's own if its address is proved by their account.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from services.accounts.own.mail_choices import MailChoice
from services.site.kit.words import _
from shared.errors import MahjicError

PrivacyWord: TypeAlias = Literal["source", "player", "operator"]


class NoPlayerYet(MahjicError):
    """Whoever is logged in has no Mahjic ID."""

    code = "no_player_yet"
    title = "You have no Mahjic ID yet"
    status = 409

    def __init__(self) -> None:
        super().__init__(_("This is for players. Get your Mahjic ID first; it takes a minute."))


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """Somebody who is logged in, with proved addresses, and the players of these.

    `players` holds each once, by the id that it is read as now; that of the address proved first is
    the first. Whoever only helps others has none. `has_chosen` once they have been welcomed.
    """

    login: Login
    addresses: Sequence[str] = field(repr=False)
    players: Sequence[str]
    has_chosen: bool

    @property
    def player_id(self) -> str:
        """The player whose pages these are. Raises NoPlayerYet."""
        if not self.players:
            raise NoPlayerYet
        return self.players[0]


@dataclass(frozen=True, slots=True)
class ProposedName:
    """A name that sources sent, and what they are called, unless that is no longer known."""

    name: str
    sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class KnownBySource:
    """A source that sent results of somebody."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class AboutMe:
    """What is on record about a person, for that person alone, over all ids that are read as one.

    Without a `region` of their own people are in `region_of_source`. `privacy_by` says whose word
    it is that they are private or not.
    """

    player_id: str
    merged: Sequence[str] = ()
    name: str | None = None
    region: str | None = None
    region_of_source: str | None = None
    is_private: bool = False
    privacy_by: PrivacyWord = "source"
    is_verified: bool = False
    proposed: Sequence[ProposedName] = ()
    sources: Sequence[KnownBySource] = ()


@dataclass(frozen=True, slots=True)
class MyChoices:
    """What a person chooses in the form of these pages; an empty text stands for none."""

    name: str
    region: str
    is_private: bool
    mail: MailChoice


class PeopleLoggedIn(Protocol):
    """What these pages ask and say about whoever is logged in, and about nobody else."""

    async def person(self, login: Login) -> LoggedIn:
        """Return who is logged in. Raises ServiceUnavailable."""
        ...

    async def about(self, person: LoggedIn) -> AboutMe:
        """Return what is on record about somebody with a player. Raises UnknownPlayer."""
        ...

    async def mail_choice(self, person: LoggedIn) -> MailChoice | None:
        """Return what mail somebody wants; None if they have not chosen yet."""
        ...

    async def choose(self, person: LoggedIn, choices: MyChoices) -> None:
        """Write down what somebody chose; all of it, or nothing.

        Somebody without a player gets one now. Raises UnfitName, UnfitRegion, CannotBeClaimed, and
        NotLoggedIn if the account is gone or no longer has a proved address.
        """
        ...
