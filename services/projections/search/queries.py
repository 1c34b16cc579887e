"""Finds public players by the beginning of any word in their name, or of their Mahjic ID."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from shared.errors import MahjicError
from shared.ids import CROCKFORD, READ_AS_DIGITS
from shared.rating.registry import START_CENTI

SEARCH_S_MAX: Final = 2.0
RETRY_AFTER_S: Final = 30
ID_PREFIX: Final = "MJ-"
# One letter finds half of all players, but a Chinese character may be a whole name.
LETTERS_MIN: Final = 2
WORDS_CHARACTERS_MAX: Final = 100

_FOUND: Final = """
SELECT live.seq, live.correcting, found.player_id, found.name,
    COALESCE(p.rating_centi, $2) AS rating_centi, COALESCE(p.games, 0) AS games,
    COALESCE(p.is_verified, false) AS is_verified
FROM {{live}} AS live
LEFT JOIN LATERAL ({found}) AS found ON true
LEFT JOIN {{profiles}}.profiles AS p ON p.player_id = found.player_id
ORDER BY lower(found.name), found.player_id
"""
# Hides players who are merged into another, or have a private member. It is checked one by one,
# only as far as the answer goes: most people that a search finds are public.
_IS_PUBLIC: Final = """(
        SELECT true FROM mahjic.public_players AS public WHERE public.player_id = sought.player_id
    )"""
# The words are made by the same function as the index. It leaves no quotes or backslashes in them.
FIND_BY_NAME: Final = _FOUND.format(
    found=f"""
    SELECT sought.player_id, sought.name
    FROM (
        SELECT people.player_id, people.name FROM mahjic.shown_people AS people
        WHERE people.is_public AND people.name IS NOT NULL
            AND array_to_tsvector(mahjic.name_words(people.name)) @@ (
                SELECT string_agg('''' || word || ''':*', ' & ')::tsquery
                FROM unnest(mahjic.name_words($1)) AS word
            )
        ORDER BY lower(people.name), people.player_id OFFSET 0
    ) AS sought
    WHERE {_IS_PUBLIC}
    ORDER BY lower(sought.name), sought.player_id LIMIT $3
"""
)
FIND_BY_ID: Final = _FOUND.format(
    found=f"""
    SELECT sought.player_id, COALESCE(sought.name, sought.player_id) AS name
    FROM mahjic.shown_people AS sought
    WHERE sought.is_public
        AND sought.player_id >= $1 AND sought.player_id < $1 || 'a'
        AND {_IS_PUBLIC}
    ORDER BY sought.player_id LIMIT $3
"""
)


class SearchTakesTooLong(MahjicError):
    """The search matches too many people to be answered in time."""

    code = "search_takes_too_long"
    title = "The search takes too long"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "Too many players match. Type more letters of the name, or the Mahjic ID.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


@dataclass(frozen=True, slots=True)
class Found:
    """At most as many players as were asked for, and the fact that the numbers are as of.

    `correcting` is set while the verdict on the next fact is being applied (correcting.py).
    """

    seq: int
    correcting: Sequence[int] | None
    players: Sequence[asyncpg.Record]


async def find_players(reader: ViewReader, words: str, limit: int) -> Found:
    """Return at most `limit` players. Raises SearchTakesTooLong."""
    id_prefix = read_id_prefix(words)
    query, sought = (FIND_BY_NAME, words) if id_prefix is None else (FIND_BY_ID, id_prefix)
    try:
        rows = await reader.fetch(query, sought, START_CENTI, limit, limit_s=SEARCH_S_MAX)
    except TimeoutError:
        raise SearchTakesTooLong from None
    players = [row for row in rows if row["player_id"] is not None]
    return Found(rows[0]["seq"], rows[0]["correcting"], players)


def read_id_prefix(words: str) -> str | None:
    """Return the beginning of a Mahjic ID in its written form, or None if this is not one."""
    text = words.strip().upper()
    if not text.startswith(ID_PREFIX):
        return None
    body = text.removeprefix(ID_PREFIX).translate(READ_AS_DIGITS)
    if not 1 <= len(body) <= 8 or any(character not in CROCKFORD for character in body):
        return None
    return ID_PREFIX + body
