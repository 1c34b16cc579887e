"""Whether the record moved since somebody looked at what a change would do."""

from collections.abc import Set as AbstractSet
from typing import Final

from services.ingest.record.waterline import Writing
from shared.events.codec import decode_facts
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.log.postgres import Connection

# They are decoded under the lock on the head: a quarter of a second. Whoever looked at something so
# long ago looks again.
FACTS_SINCE_MAX: Final = 5_000

READ_SINCE: Final = """
SELECT seq, body FROM mahjic.facts WHERE seq > $1 ORDER BY seq LIMIT $2
"""


async def moved_since(
    connection: Connection,
    writing: Writing,
    as_of: int,
    change: FactEvent,
    concerned: AbstractSet[str],
) -> bool:
    """Return whether anything after fact `as_of` bears on a change about these players.

    That the same change was made is no such thing: it is made once, however often it is sent.
    """
    if not 0 < as_of <= writing.head.position.seq:
        return True
    rows = await connection.fetch(READ_SINCE, as_of, FACTS_SINCE_MAX + 1)
    if len(rows) > FACTS_SINCE_MAX:
        return True
    facts = decode_facts((row["seq"], row["body"]) for row in rows)
    return any(fact.event != change and bears_on(fact.event, concerned) for _, fact in facts)


def bears_on(event: FactEvent, concerned: AbstractSet[str]) -> bool:
    """Return whether a fact can change what a change about these players would do."""
    match event:
        case SessionSubmitted():
            return any(not concerned.isdisjoint(played.players) for played in event.rounds)
        case PlayerVerified() | PlayerVerificationEnded():
            return event.player_id in concerned
        case FormulaAdopted():
            return True
        case _:
            return True  # It is about the past, and may have moved anybody.
