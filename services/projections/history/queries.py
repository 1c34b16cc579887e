"""Reads a player's history in pages, single changes, and the formula that holds."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import asyncpg
import orjson

from services.projections.people import NoPublicPlayer
from services.projections.reading import ViewReader
from shared.events.verdicts import RatedRound
from shared.rating.formulas import MAHJIC_ELO_1

FACT_SEQ_MAX: Final = (1 << 62) - 1

# Rounds are found in a step of their own, which is not even begun for a hidden player: the time it
# takes would tell of one.
_READ_ROUNDS: Final = """
WITH public AS MATERIALIZED (
    SELECT player_id FROM mahjic.public_players WHERE player_id = $1
), place AS (
    SELECT c.fact_seq, c.round_no FROM {{history}}.changes AS c WHERE c.player_id = $1 AND {places}
), round AS MATERIALIZED (
    SELECT r.fact_seq, r.round_no, r.session_id, r.source, r.session_date, r.game_type, r.formula,
        r.rated, COALESCE(sources.name, r.source) AS source_name
    FROM place JOIN {{history}}.rounds AS r USING (fact_seq, round_no)
    LEFT JOIN mahjic.sources AS sources ON sources.slug = r.source
    WHERE EXISTS (SELECT FROM public)
)
SELECT live.seq, EXISTS (SELECT FROM public) AS is_public, round.fact_seq, round.round_no,
    round.session_id, round.source, round.session_date, round.game_type, round.formula,
    round.rated, round.source_name
FROM {{live}} AS live LEFT JOIN round ON true
ORDER BY round.fact_seq DESC, round.round_no DESC
"""
READ_HISTORY: Final = _READ_ROUNDS.format(
    places="""(c.fact_seq, c.round_no) < ($2::bigint, $3::smallint)
        AND ($4::date IS NULL OR c.session_date >= $4::date)
        AND ($5::date IS NULL OR c.session_date <= $5::date)
    ORDER BY c.fact_seq DESC, c.round_no DESC LIMIT $6"""
)
READ_CHANGE: Final = _READ_ROUNDS.format(places="c.fact_seq = $2 AND c.round_no = $3")
READ_ADOPTION: Final = """
SELECT live.seq, adopted.formula, adopted.parameters, adopted.fact_seq
FROM {live} AS live
LEFT JOIN LATERAL (
    SELECT a.formula, a.parameters, a.fact_seq FROM {history}.adoptions AS a
    ORDER BY a.fact_seq DESC LIMIT 1
) AS adopted ON true
"""


@dataclass(frozen=True, slots=True)
class PlayedChange:
    """One player's round, as it was rated."""

    fact_seq: int
    round_no: int
    session_id: str
    source: str
    source_name: str
    session_date: date
    game_type: str
    formula: str
    rated: RatedRound
    seat: int

    def change_id(self, player_id: str) -> str:
        """Return the id of the change for good: player, fact and round."""
        return f"{player_id}.{self.fact_seq}.{self.round_no}"


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of a history, newest first, and the fact that it stands on."""

    seq: int
    changes: list[PlayedChange]
    has_more: bool


async def read_history(
    reader: ViewReader,
    player_id: str,
    *,
    before: tuple[int, int],
    first_date: date | None,
    last_date: date | None,
    limit: int,
) -> HistoryPage:
    """Return the changes of a public player before a place (fact, round). Raises NoPublicPlayer."""
    rows = await reader.fetch(READ_HISTORY, player_id, *before, first_date, last_date, limit + 1)
    if not rows[0]["is_public"]:
        raise NoPublicPlayer
    changes = [_change(row, player_id) for row in rows if row["fact_seq"] is not None]
    return HistoryPage(rows[0]["seq"], changes[:limit], has_more=len(changes) > limit)


async def read_change(
    reader: ViewReader, player_id: str, fact_seq: int, round_no: int
) -> PlayedChange | None:
    """Return one change of a public player, if there is such a one. Raises NoPublicPlayer."""
    row = await reader.fetchrow(READ_CHANGE, player_id, fact_seq, round_no)
    if not row["is_public"]:
        raise NoPublicPlayer
    return None if row["fact_seq"] is None else _change(row, player_id)


async def read_adoption(reader: ViewReader) -> tuple[str, dict[str, Any]]:
    """Return name and parameters of the formula that holds, as they stand on the log."""
    row = await reader.fetchrow(READ_ADOPTION)
    if row["formula"] is None:  # A log that is a moment old; its first record is this one.
        return MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters
    return row["formula"], orjson.loads(row["parameters"])


def _change(row: asyncpg.Record, player_id: str) -> PlayedChange:
    rated = RatedRound.from_json(orjson.loads(row["rated"]))
    return PlayedChange(
        fact_seq=row["fact_seq"],
        round_no=row["round_no"],
        session_id=row["session_id"],
        source=row["source"],
        source_name=row["source_name"],
        session_date=row["session_date"],
        game_type=row["game_type"],
        formula=row["formula"],
        rated=rated,
        seat=rated.players.index(player_id),
    )
