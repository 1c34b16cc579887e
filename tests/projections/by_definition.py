"""What the views must show, worked out from the verdicts by the shortest way there is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from shared.events.codec import decode_verdict
from shared.events.verdicts import FactNoted, SessionRated
from shared.log.memory import MemoryVerdictLog


@dataclass
class Known:
    """Everything about one player that a view may show."""

    rating: int = 150_000
    games: int = 0
    verified_rating: int = 150_000
    verified_games: int = 0
    is_verified: bool = False
    dates: list[str] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    changes: list[tuple[int, int, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class BoardRow:
    place: int
    player_id: str
    rating: int
    games: int
    last_played: str | None


async def everybody(log: MemoryVerdictLog) -> dict[str, Known]:
    """Read the whole log of verdicts, one record after the other."""
    known: dict[str, Known] = {}
    for record in await log.read(await log.beginning(), 1_000_000):
        verdict = decode_verdict(record.body)
        event, fact_seq = verdict.event, verdict.answers.fact_seq
        if isinstance(event, FactNoted) and "player_id" in event.data:
            who = known.setdefault(event.data["player_id"], Known())
            who.is_verified = event.fact_type == "player-verified.v1"
        if not isinstance(event, SessionRated):
            continue
        for number, rated in enumerate(event.rounds, start=1):
            for seat, player in enumerate(rated.players):
                if player == "BOB":
                    continue
                who = known.setdefault(player, Known())
                who.rating += rated.rating_change[seat]
                who.verified_rating += rated.verified_rating_change[seat]
                who.games = rated.games_after[seat]
                who.verified_games = rated.verified_games_after[seat]
                who.dates.append(event.session_date)
                who.sources.add(event.source)
                change = (rated.rating_change[seat], rated.verified_rating_change[seat])
                who.changes.append((fact_seq, number, *change))
    return known


async def public_people(pool: asyncpg.Pool) -> dict[str, str | None]:
    """Return whom everybody may see, with the region: chosen, else the first source's."""
    people = await pool.fetch("SELECT player_id, is_private, nickname, region FROM mahjic.people")
    players = await pool.fetch("SELECT player_id, first_source FROM mahjic.players")
    sources = await pool.fetch("SELECT slug, region FROM mahjic.sources")
    region_of_source = {row["slug"]: row["region"] for row in sources}
    first_source = {row["player_id"]: row["first_source"] for row in players}
    return {
        row["player_id"]: row["region"] or region_of_source.get(first_source[row["player_id"]])
        for row in people
        if not row["is_private"] and row["nickname"] is None
    }


def board(
    name: str,
    known: dict[str, Known],
    public: dict[str, str | None],
    *,
    min_games: int = 10,
    since: str = "",
) -> list[BoardRow]:
    """Return all rows of a board in order."""
    kind, _, which = name.partition(":")
    members = [
        (-who.verified_rating, player_id, who)
        for player_id, who in known.items()
        if who.is_verified
        and player_id in public
        and who.verified_games >= min_games
        and max(who.dates, default="") >= since
        and (
            kind == "global"
            or (kind == "region" and public[player_id] == which)
            or (kind == "source" and which in who.sources)
        )
    ]
    members.sort(key=lambda each: each[:2])
    return [_row(members, player_id, who) for _, player_id, who in members]


def _row(members: Sequence[tuple[int, str, Known]], player_id: str, who: Known) -> BoardRow:
    better = sum(1 for _, _, other in members if other.verified_rating > who.verified_rating)
    last = max(who.dates, default=None)
    return BoardRow(better + 1, player_id, who.verified_rating, who.verified_games, last)
