"""Keeps a player's row consistent while the parts of one verdict are taken in.

The first part says which sessions are left out, and the part that lists a player says how the
player's rating changes. The sessions are counted again together with the rating, and not before.
"""

from collections.abc import Sequence
from typing import Final

from services.projections.common.verdicts import corrections
from shared.events.codec import Verdict
from shared.feed.views import Connection

# The players whose sessions are still to be counted again. Empty except between parts of a verdict.
PENDING_SQL: Final = 'CREATE TABLE pending (player_id text COLLATE "C" PRIMARY KEY);\n'
POSTPONE: Final = """
INSERT INTO {schema}.pending (player_id)
SELECT player_id FROM unnest($1::text[]) AS n (player_id) ON CONFLICT (player_id) DO NOTHING
"""
TAKE_UP: Final = """
DELETE FROM {schema}.pending WHERE player_id = ANY($1::text[]) RETURNING player_id
"""
TAKE_UP_ALL: Final = "DELETE FROM {schema}.pending RETURNING player_id"


async def due(
    connection: Connection, schema: str, verdicts: Sequence[Verdict], players: set[str]
) -> set[str]:
    """Return the players, from this batch or earlier ones, to count again with this batch.

    A batch that ends between parts holds parts of one verdict and nothing else (shared/feed.py).
    """
    first, last = verdicts[0].answers, verdicts[-1].answers
    if last.part < last.parts:
        listed = {player_id for _, event in corrections(verdicts) for player_id in event.players}
        if players - listed:
            await connection.execute(POSTPONE.format(schema=schema), sorted(players - listed))
        rows = await connection.fetch(TAKE_UP.format(schema=schema), sorted(listed))
        return (players & listed) | {row["player_id"] for row in rows}
    if first.part > 1:
        rows = await connection.fetch(TAKE_UP_ALL.format(schema=schema))
        return players | {row["player_id"] for row in rows}
    return players
