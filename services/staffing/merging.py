"""Keeps the promises of MergesAtStaff, by ingest's own functions."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.accounts.logging_in.logins import Login
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.linking import NotMerged, check_mergeable
from services.ingest.changes.merges import merge, unmerge
from services.ingest.changes.reseats import AskedReseat, reseat
from services.ingest.players.looking import (
    LookedAtPlayer,
    look_at_player,
    person_of,
    sessions_with,
)
from services.site.staff.changes import (
    LookedAtMerge,
    LookedAtReseat,
    SessionOfPlayer,
    WhatItMoves,
)
from services.staffing.checked import ActOfStaff, AsShown, ports_for
from services.staffing.foreseeing import Foreseeing
from shared.errors import MahjicError, UnknownPlayer
from shared.events.facts import PlayersMerged, PlayersUnmerged, SeatsReassigned

# Whoever reads the page waits for the verdict, as `mahjic merge` does, but not for long.
WAIT_S: Final = 5.0
# As many as an address of ours has room for.
LISTED_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class StaffMerges:
    """What staff do about who is who."""

    accounts: Accounts
    changing: ChangePorts
    foreseeing: Foreseeing

    async def look(self, player_id: str, into: str, *, newer_than: int) -> LookedAtMerge:
        """Return what a merge would do."""

        async def look(connection: Connection) -> tuple[LookedAtPlayer, LookedAtPlayer, str]:
            moved = await look_at_player(connection, player_id)
            joined = await look_at_player(connection, into)
            try:
                await check_mergeable(connection, player_id, into)
            except UnknownPlayer:
                raise
            except MahjicError as error:
                return moved, joined, error.detail
            return moved, joined, ""

        moved, joined, why_not = await self.accounts.settled(look)
        moves = WhatItMoves(None, why_not)
        if not why_not:
            change = PlayersMerged(player_id, into)
            moves = await self.foreseeing.moves(change, newer_than=newer_than)
        hides = moved.is_private != joined.is_private
        return LookedAtMerge(player_id, into, moved.sessions, joined.sessions, hides, moves)

    async def merge(self, login: Login, player_id: str, into: str, *, as_of: int) -> None:
        """Treat a player as another one."""
        done = ActOfStaff(login, "merge_players", (player_id, into))
        shown = AsShown(as_of, PlayersMerged(player_id, into), await self._all(player_id, into))
        ports = ports_for(self.changing, self.accounts, done, shown)
        await merge(player_id, into, None, wait_s=WAIT_S, ports=ports)

    async def look_at_end(self, player_id: str, *, newer_than: int) -> LookedAtMerge:
        """Return what undoing a merge would do."""
        player = await self._player(player_id)
        into = player.merged_into
        if into is None:
            raise NotMerged(f"{player_id} is not merged into anyone, so there is nothing to undo.")
        change = PlayersUnmerged(player_id, into)
        moves = await self.foreseeing.moves(change, newer_than=newer_than)
        return LookedAtMerge(player_id, into, player.sessions, 0, hides=False, moves=moves)

    async def end(self, login: Login, player_id: str, into: str, *, as_of: int) -> None:
        """Undo a merge, once."""
        player = await self._player(player_id)
        change = PlayersUnmerged(player_id, player.merged_into or into)
        done = ActOfStaff(login, "unmerge_player", (player_id,))
        shown = AsShown(as_of, change, frozenset(player.members))
        ports = ports_for(self.changing, self.accounts, done, shown)
        # If it is undone already, as it was shown, nothing is left to do.
        with contextlib.suppress(NotMerged):
            await unmerge(player_id, None, wait_s=WAIT_S, ports=ports)

    async def sessions(self, player_id: str) -> Sequence[SessionOfPlayer]:
        """Return the newest sessions in which somebody sits."""

        async def read(connection: Connection) -> Sequence[SessionOfPlayer]:
            player = await look_at_player(connection, player_id)
            found = await sessions_with(connection, player.members, LISTED_MAX)
            return [SessionOfPlayer(each.session_id, each.source, each.day) for each in found]

        return await self.accounts.settled(read)

    async def look_at_reseat(
        self, player_id: str, to: str, session_ids: Sequence[str], *, newer_than: int
    ) -> LookedAtReseat:
        """Return what giving seats to another player would do."""
        await self._all(player_id, to)
        change = SeatsReassigned(player_id, to, tuple(session_ids))
        moves = await self.foreseeing.moves(change, newer_than=newer_than)
        return LookedAtReseat(player_id, to, session_ids, moves)

    async def reseat(
        self, login: Login, player_id: str, to: str, session_ids: Sequence[str], *, as_of: int
    ) -> None:
        """Give seats to another player, who is on record."""
        person = await self.accounts.settled(lambda c: person_of(c, to))
        sessions = tuple(session_ids)
        done = ActOfStaff(login, "reassign_seats", (player_id, to, *sessions))
        change = SeatsReassigned(player_id, to, sessions)
        shown = AsShown(as_of, change, await self._all(player_id, to))
        ports = ports_for(self.changing, self.accounts, done, shown)
        await reseat(AskedReseat(player_id, sessions, person), wait_s=WAIT_S, ports=ports)

    async def _player(self, player_id: str) -> LookedAtPlayer:
        return await self.accounts.settled(lambda c: look_at_player(c, player_id))

    async def _all(self, *player_ids: str) -> frozenset[str]:
        """Return all ids of these players. Raises UnknownPlayer."""
        players = [await self._player(each) for each in player_ids]
        return frozenset(each for player in players for each in player.members)
