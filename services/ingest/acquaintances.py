"""Reads whom sources named themselves, as far as somebody wants to know."""

from collections.abc import Iterable
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

READ_ACQUAINTANCES: Final = """
SELECT known.source, known.player_id
FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) AS named (source, player_id)
CROSS JOIN LATERAL (
    SELECT k.source, k.player_id FROM mahjic.acquaintances AS k
    WHERE k.source = named.source AND k.player_id = named.player_id OFFSET 0
) AS known
"""


async def read_acquaintances(
    connection: asyncpg.Connection | PoolConnectionProxy, asked: Iterable[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return those pairs of a source and a player whom it has named itself."""
    pairs = sorted(set(asked))
    if not pairs:
        return set()
    sources, players = zip(*pairs, strict=True)
    rows = await connection.fetch(READ_ACQUAINTANCES, sources, players)
    return {(row["source"], row["player_id"]) for row in rows}
