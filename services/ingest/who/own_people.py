"""The people that a source has named, as it calls them itself, and what it sent last.

Nothing here comes from other sources or from the people themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.answers.seen import called
from shared.events.codec import decode_session
from shared.log.postgres import Connection
from shared.seated import read_people

# A club knows some hundreds. Beyond that people are named by their addresses.
LISTED_MAX: Final = 2_000

READ_NAMED: Final = f"""
SELECT known.player_id, known.name
FROM mahjic.acquaintances AS known
JOIN mahjic.people AS people ON people.player_id = known.player_id
WHERE known.source = $1
ORDER BY known.name NULLS LAST, known.player_id LIMIT {LISTED_MAX}
"""
READ_LAST: Final = """
SELECT facts.body
FROM mahjic.submissions AS sent
JOIN mahjic.facts AS facts ON facts.seq = sent.fact_seq
WHERE sent.source = $1 AND sent.status = 'accepted'
ORDER BY sent.fact_seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class OwnPerson:
    """Somebody whom a source has named: the name that came with it, and what it sends for them."""

    player_id: str
    name: str | None
    sent: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlayedLast:
    """What a source sent last: the kind of game, and how many games its last round had."""

    game_type: str
    games_played: int


async def read_own_list(connection: Connection, source: str) -> Sequence[OwnPerson]:
    """Return everybody on record whom a source has named. Who is forgotten is gone."""
    names = {row["player_id"]: row["name"] for row in await connection.fetch(READ_NAMED, source)}
    seated = await read_people(connection.fetch, list(names), source=source)
    people = []
    for player_id, name in names.items():
        if player_id in seated and (sent := called(seated[player_id], "own")) is not None:
            people.append(OwnPerson(player_id, name, sent))
    return people


async def read_played_last(connection: Connection, source: str) -> PlayedLast | None:
    """Return what a source sent last, None if nothing of it counts."""
    body = await connection.fetchval(READ_LAST, source)
    session = None if body is None else decode_session(body)
    if session is None:
        return None
    return PlayedLast(session.game_type, session.rounds[-1].games_played)
