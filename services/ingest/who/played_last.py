"""What a source sent last, which is what it most likely sends next."""

from dataclasses import dataclass
from typing import Final

from shared.events.codec import decode_session
from shared.log.postgres import Connection

READ_LAST: Final = """
SELECT facts.body
FROM mahjic.submissions AS sent
JOIN mahjic.facts AS facts ON facts.seq = sent.fact_seq
WHERE sent.source = $1 AND sent.status = 'accepted'
ORDER BY sent.fact_seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class PlayedLast:
    """What a source sent last: the kind of game, and how many games its last round had."""

    game_type: str
    games_played: int


async def read_played_last(connection: Connection, source: str) -> PlayedLast | None:
    """Return what a source sent last, None if nothing of it counts."""
    body = await connection.fetchval(READ_LAST, source)
    session = None if body is None else decode_session(body)
    if session is None:
        return None
    return PlayedLast(session.game_type, session.rounds[-1].games_played)
