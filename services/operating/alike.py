"""Finds addresses that belonged to two people before addresses were normalized."""

from typing import Final

import asyncpg

# Players who were since merged or erased are no longer reported.
READ_ALIKE: Final = """
SELECT alike.player_id, alike.read_as
FROM mahjic.alike_addresses AS alike
JOIN mahjic.people AS odd ON odd.player_id = alike.player_id
JOIN mahjic.people AS plain ON plain.player_id = alike.read_as
WHERE mahjic.survivor(alike.player_id) <> mahjic.survivor(alike.read_as)
ORDER BY alike.player_id
"""


async def alike_addresses(pool: asyncpg.Pool) -> tuple[str, ...]:
    """Return a sentence for each player whose address is another player's, spelled differently."""
    try:
        rows = await pool.fetch(READ_ALIKE)
    except asyncpg.UndefinedTableError:
        return ()  # An older program wrote this database, and read each spelling as another.
    return tuple(
        f"The address of {row['player_id']} is the one of {row['read_as']} in other letters, "
        "such as full-width ones, and anyone submitted with it now counts as "
        f"{row['read_as']}. If they are the same person: mahjic merge {row['player_id']} "
        f"--into {row['read_as']}."
        for row in rows
    )
