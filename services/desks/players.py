"""Keeps the promises of ClubPlayers: names by ingest's roster, numbers by the views of sessions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import settled_at
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.desks.own_list import ANONYMOUS, shown
from services.ingest.roster.called import CalledPerson, read_called
from services.ingest.roster.finding import (
    RosterEntry,
    RosterPage,
    find_entry,
    find_on_roster,
)
from services.ingest.roster.keeping import (
    RosterFull,
    UnfitEntry,
    UnknownEntry,
    add_to_roster,
    rename_on_roster,
    take_off_roster,
)
from services.projections.seasons.answers import PresentRating, SeasonPlayer
from services.site.desk.players.club import (
    ClubList,
    ClubPerson,
    ClubSeason,
    KnownAs,
    OwnNumbers,
    SeasonLine,
    WrongField,
)
from services.site.reads import SeasonReads

# A club knows some hundreds. Whoever knows more finds the others by typing.
LISTED_MAX: Final = 2_000
EVER: Final = (date.min, date.max)
PRIVATE: Final = "PRIVATE:"
_FIELDS: Final[Mapping[str, str]] = {"/email": "address", "/name": "name"}


@dataclass(frozen=True, slots=True)
class DeskPlayers:
    """What a desk knows of its players, and does with its list."""

    accounts: Accounts
    seasons: SeasonReads

    async def listed(self, source: str, typed: str) -> ClubList:
        """Return who has a name like that."""

        async def read(connection: Connection) -> RosterPage:
            return await find_on_roster(connection, source, typed, limit=LISTED_MAX)

        page = await self.accounts.settled(read)
        people, is_counted = await self._told(source, page.entries)
        return ClubList(people, is_counted, page.next_place is not None)

    async def person(self, source: str, entry: str) -> ClubPerson:
        """Return somebody on the list."""
        found = await self.accounts.settled(lambda c: find_entry(c, source, entry))
        if found is None:
            raise UnknownEntry
        (person,), _ = await self._told(source, [found])
        return person

    async def season(self, source: str, first: date, last: date) -> ClubSeason:
        """Return who played from one day to another."""
        season = await self.seasons.season(source, first, last)
        if season["players"] is None:
            return ClubSeason(season["sessions"], None, season["correcting"])
        ids = [each for player in season["players"] for each in _ids_of(player)]
        named = await self.accounts.settled(lambda c: read_called(c, source, ids))
        public = [each["player_id"] for each in season["players"] if each["is_public"]]
        present = await self.seasons.present(public) if public else {}
        lines = [_line(each, named, present) for each in season["players"]]
        return ClubSeason(season["sessions"], lines, season["correcting"])

    async def board(self, source: str) -> ClubSeason:
        """Return the public players with where they stand now."""
        season = await self.season(source, *EVER)
        if season.lines is None:
            return season
        lines = [each for each in season.lines if each.present is not None]
        return ClubSeason(season.sessions, lines, season.correcting)

    async def add(self, login: Login, source: str, address: str, name: str) -> Sequence[WrongField]:
        """Put an address on the list."""
        now = self.accounts.chance.now()
        return await self._change(
            login, source, lambda c: add_to_roster(c, source, address, name, now=now)
        )

    async def rename(
        self, login: Login, source: str, entry: str, name: str
    ) -> Sequence[WrongField]:
        """Call somebody otherwise."""
        now = self.accounts.chance.now()
        return await self._change(
            login, source, lambda c: rename_on_roster(c, source, entry, name, now=now)
        )

    async def take_off(self, login: Login, source: str, entry: str) -> None:
        """Take somebody off the list."""
        now = self.accounts.chance.now()
        await self._change(login, source, lambda c: take_off_roster(c, source, entry, now=now))

    async def _change(
        self, login: Login, source: str, change: Callable[[Connection], Awaitable[None]]
    ) -> Sequence[WrongField]:
        try:
            await settled_at(self.accounts, login, source, change)
        except UnfitEntry as unfit:
            return [WrongField(_FIELDS[each.pointer], each.message) for each in unfit.mistakes]
        except RosterFull as full:
            return [WrongField("address", full.detail)]
        return []

    async def _told(
        self, source: str, entries: Sequence[RosterEntry]
    ) -> tuple[Sequence[ClubPerson], bool]:
        """Return people with their numbers, and whether those could be added up."""
        known = [each.player_id for each in entries if each.player_id is not None]
        if not known:
            return [_person(each, {}, {}, {}) for each in entries], True
        season = await self.seasons.season(source, *EVER)
        own = {each["player_id"]: each for each in season["players"] or ()}
        present = await self.seasons.present(known)
        first: dict[str, str] = {}
        people = []
        for each in entries:
            people.append(_person(each, own, present, first))
            if each.player_id is not None:
                first.setdefault(each.player_id, people[-1].shown)
        return people, season["players"] is not None


def _person(
    entry: RosterEntry,
    own: Mapping[str, SeasonPlayer],
    present: Mapping[str, PresentRating],
    first: Mapping[str, str],
) -> ClubPerson:
    """Return somebody on the list; `first` is who stands before them, by player."""
    played = own.get(entry.player_id or "")
    known_as = _known_as(entry, is_public=entry.player_id in present)
    return ClubPerson(
        entry.entry,
        entry.name,
        "" if known_as == "anonymous" else shown(entry.called),
        known_as,
        is_private=known_as == "private" or entry.called.startswith(PRIVATE),
        player_id=entry.player_id,
        own=None if played is None else _numbers(played),
        present=present.get(entry.player_id or ""),
        same_as=first.get(entry.player_id or ""),
    )


def _known_as(entry: RosterEntry, *, is_public: bool) -> KnownAs:
    if entry.player_id is None:
        return "new"
    if entry.called.startswith(ANONYMOUS):
        return "anonymous"
    return "public" if is_public else "private"


def _ids_of(player: SeasonPlayer) -> Sequence[str]:
    """Return by which ids a source may have named a player, the one they are read as first."""
    return list(dict.fromkeys([player["player_id"], *player["named_ids"]]))


def _line(
    player: SeasonPlayer,
    named: Mapping[str, CalledPerson],
    present: Mapping[str, PresentRating],
) -> SeasonLine:
    """Return somebody in the standings. Whom the club named by several addresses has one name."""
    player_id = player["player_id"]
    called = [named[each] for each in _ids_of(player) if each in named]
    standing = present.get(player_id)
    names = [each.name for each in called]
    if standing is not None:
        names.append(standing["name"])
    known_as: KnownAs = "private" if standing is None else "public"
    return SeasonLine(
        player_id,
        next((each for each in names if each is not None), None),
        shown(called[0].sent) if called and not player["is_anonymous"] else "",
        "anonymous" if player["is_anonymous"] else known_as,
        _numbers(player),
        standing,
    )


def _numbers(player: SeasonPlayer) -> OwnNumbers:
    return OwnNumbers(
        player["nights"],
        player["last_night"],
        player["games"],
        player["won"],
        player["points_centi"],
        player["change_centi"],
        player["reassigned"],
    )
