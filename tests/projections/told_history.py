"""A world whose verdicts are those of replays by hand, and the sum law of its pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from shared.events.facts import (
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.ids import session_id
from tests.conftest import Database
from tests.projections.conftest import ROUNDS_MAX, World, a_world, asked
from tests.projections.season import Round
from tests.projections.told import ToldSeason

POOLS = ("mahjic", "verified")


async def whole_history(world: World, who: str, **asked_for: object) -> list[dict[str, Any]]:
    """Return the whole history of a player, the oldest first."""
    entries: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = await world.get(f"/v1/players/{who}/history", **asked_for, **cursor)
        entries += page["changes"]
        if page["next_cursor"] is None:
            return entries[::-1]
        cursor = {"cursor": page["next_cursor"]}


def in_pool(
    before: float, change: float, after: float, *, games: tuple[int, int]
) -> dict[str, Any]:
    """Return what an entry of a history tells of one pool; games are those before and after."""
    games_before, games_after = games
    return {
        "rating_before": before,
        "rating_change": change,
        "rating_after": after,
        "games_before": games_before,
        "games_after": games_after,
    }


@dataclass
class Told:
    """A world whose verdicts are those of replays by hand."""

    world: World
    season: ToldSeason

    async def history(self, who: str, **asked_for: object) -> list[dict[str, Any]]:
        return await whole_history(self.world, who, **asked_for)

    async def why(self, who: str, change_id: str, **asked_for: object) -> Any:
        return await self.world.get(f"/v1/players/{who}/changes/{change_id}", **asked_for)

    async def void(self, *sessions: str) -> int:
        return await self.season.tell(SessionsVoided(sessions, "entered_twice"))

    async def correct(self, session: str, *rounds: Round, new: int = 900) -> tuple[str, int]:
        """Put other rounds in the place of a session."""
        name = session_id(1_770_000_000_000, new)
        fact = SessionSubmitted(
            name, "club", "2026-01-31", "social", tuple(each.played() for each in rounds), ()
        )
        return name, await self.season.tell(SessionCorrected(session, "wrong_result", fact))

    async def merge(self, player: str, into: str) -> int:
        return await self.season.tell(PlayersMerged(player, into))

    async def unmerge(self, player: str, merged_into: str) -> int:
        return await self.season.tell(PlayersUnmerged(player, merged_into))

    async def reseat(self, player: str, to: str, *sessions: str) -> int:
        return await self.season.tell(SeatsReassigned(player, to, sessions))

    def assert_adds_up(self, who: str, entries: list[dict[str, Any]]) -> None:
        """Check the sum law: for every id on the page, and for the page as a whole."""
        standing = self.season.standings[who]
        now = {"mahjic": standing.rating_centi, "verified": standing.verified_rating_centi}
        for pool in POOLS:
            lines: dict[str, list[dict[str, Any]]] = {}
            for each in entries:
                lines.setdefault(each["played_as"] or who, []).append(each[pool])
            for line in lines.values():
                total = 150_000
                for change in line:
                    assert round(change["rating_before"] * 100) == total
                    total += round(change["rating_change"] * 100)
                    assert round(change["rating_after"] * 100) == total
                for older, newer in pairwise(line):
                    assert older["games_after"] == newer["games_before"]
            whole = sum(round(each[pool]["rating_change"] * 100) for each in entries)
            assert 150_000 + whole == now[pool], (who, pool)


@asynccontextmanager
async def a_told_season(database: Database, *, rounds_max: int = ROUNDS_MAX) -> AsyncIterator[Told]:
    """Give a season of a club and six players, with all views."""
    season = ToldSeason(database.pool)
    async with asked(await a_world(season, rounds_max=rounds_max)) as world:
        await season.source("club")
        for number in range(1, 7):
            await season.player(number, source="club")
        yield Told(world, season)
