"""Reads how far the players of a board have moved lately, from their histories."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from services.projections.answering.reading import ViewReader
from shared.rating.registry import START_CENTI

# The rating of an id after its last change, minus that after the last one before the day: one look
# at each end of its history, however much it played. What is merged into it moved it by the merge,
# which is an entry of its own.
READ_MOVES: Final = """
WITH since AS MATERIALIZED (
    SELECT d.fact_seq FROM {history}.days AS d
    WHERE d.on_date >= $2::date ORDER BY d.on_date LIMIT 1
)
SELECT live.seq, asked.player_id,
    latest.rating_centi - COALESCE(earlier.rating_centi, $3::bigint) AS moved_centi
FROM {live} AS live
LEFT JOIN unnest($1::text[]) AS asked (player_id) ON true
LEFT JOIN LATERAL (
    SELECT c.verified_rating_after AS rating_centi FROM {history}.changes AS c
    WHERE c.player_id = asked.player_id AND c.fact_seq >= (SELECT since.fact_seq FROM since)
    ORDER BY c.fact_seq DESC, c.round_no DESC LIMIT 1
) AS latest ON true
LEFT JOIN LATERAL (
    SELECT c.verified_rating_after AS rating_centi FROM {history}.changes AS c
    WHERE c.player_id = asked.player_id AND c.fact_seq < (SELECT since.fact_seq FROM since)
        AND latest.rating_centi IS NOT NULL
    ORDER BY c.fact_seq DESC, c.round_no DESC LIMIT 1
) AS earlier ON true
"""


async def read_moves(reader: ViewReader, player_ids: Sequence[str], since: date) -> dict[str, int]:
    """Return how far each verified rating moved, in centi, by what was rated on a day or later.

    The players are those whom a board shows, so all of them are public.
    """
    if not player_ids:
        return {}
    rows = await reader.fetch(READ_MOVES, player_ids, since, START_CENTI)
    return {row["player_id"]: row["moved_centi"] or 0 for row in rows}
