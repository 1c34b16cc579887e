"""Knows which people each source has named itself, and reads that when it is asked for."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from shared.log.postgres import Connection

READ_ACQUAINTANCES: Final = """
SELECT known.source, known.player_id
FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) AS named (source, player_id)
CROSS JOIN LATERAL (
    SELECT k.source, k.player_id FROM mahjic.acquaintances AS k
    WHERE k.source = named.source AND k.player_id = named.player_id OFFSET 0
) AS known
"""
# Some 10 MB. Beyond that everything is forgotten, and asked for again.
MET_MAX: Final = 50_000

# The source and the id of the address or nickname, with the name that came with it, if any.
Named: TypeAlias = Mapping[tuple[str, str], str | None]


class MetBefore:
    """The pairs of a source and a player that are known to be on record, where they stay for good.

    Most people who play have played before. This process need not ask again for what it wrote.
    """

    def __init__(self) -> None:
        self._met: set[tuple[str, str]] = set()

    def news(self, named: Named) -> dict[tuple[str, str], str | None]:
        """Return what may not be on record yet. A name may always be new."""
        return {
            pair: name for pair, name in named.items() if name is not None or pair not in self._met
        }

    def note(self, named: Named) -> None:
        """Note what is on record. Call it after the commit."""
        if len(self._met) + len(named) > MET_MAX:
            self._met.clear()
        self._met.update(named)


async def read_acquaintances(
    connection: Connection, asked: Iterable[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return the pairs of a source and a player that the source has named itself."""
    pairs = sorted(set(asked))
    if not pairs:
        return set()
    sources, players = zip(*pairs, strict=True)
    rows = await connection.fetch(READ_ACQUAINTANCES, sources, players)
    return {(row["source"], row["player_id"]) for row in rows}
