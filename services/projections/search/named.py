"""Lists the public players who chose a name, for those who look for people from outside.

They are listed in parts, so that nobody has to read all of them to find some: ids are random, so
equal ranges of ids hold about as many players each.
"""

from typing import Final

from services.projections.answering.reading import ViewReader
from shared.ids import CROCKFORD

# What ranges are named by: the first two characters of an id, after `MJ-`.
PARTS_MAX: Final = len(CROCKFORD) ** 2

# Whoever is merged, or has a private member, is counted too, and not listed.
COUNT_NAMED: Final = """
SELECT count(*) AS players FROM mahjic.shown_people AS people
WHERE people.is_public AND people.name IS NOT NULL
"""
READ_NAMED: Final = """
SELECT sought.player_id FROM mahjic.shown_people AS sought
WHERE sought.player_id >= $1 AND sought.player_id < $2
    AND sought.is_public AND sought.name IS NOT NULL
    AND (SELECT true FROM mahjic.public_players AS public
        WHERE public.player_id = sought.player_id)
ORDER BY sought.player_id LIMIT $3
"""


async def count_named(reader: ViewReader) -> int:
    """Return how many players chose a name; a few of them may not be public."""
    (row,) = await reader.fetch_plain(COUNT_NAMED)
    players: int = row["players"]
    return players


async def read_named(reader: ViewReader, part: int, parts: int, players_max: int) -> list[str]:
    """Return the ids of the public players with a name in one of `parts` parts, from 0."""
    rows = await reader.fetch_plain(READ_NAMED, *_ids_in(part, parts), players_max)
    return [row["player_id"] for row in rows]


def _ids_in(part: int, parts: int) -> tuple[str, str]:
    """Return where the ids of a part begin and end. The number of parts is a power of two."""
    assert 0 <= part < parts <= PARTS_MAX
    assert PARTS_MAX % parts == 0
    width = PARTS_MAX // parts
    return _beginning(part * width), _beginning((part + 1) * width)


def _beginning(number: int) -> str:
    first, second = divmod(number, len(CROCKFORD))
    # Small letters come after all characters of ids.
    return f"MJ-{CROCKFORD[first]}{CROCKFORD[second]}" if first < len(CROCKFORD) else "MJ-a"
