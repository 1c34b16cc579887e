"""Reads which facts about the past changed what a session's players were rated before them.

The numbers of a session stay as they were published. A correction of earlier games, by whoever made
it, makes those of the players that it moved untrue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.projections.answering.reading import ViewReader

# As many are shown of a session; further ones are in the histories of its players.
LATER_MAX: Final = 100

# Who may not be shown is not even looked up, so that nothing tells how much moved them.
READ_LATER: Final = """
SELECT live.seq, moved.player_id, moved.fact_seq, moved.on_date, moved.change_centi,
    later.cause, later.sessions,
    sent.source, COALESCE(sources.name, sent.source) AS source_name
FROM {live} AS live
LEFT JOIN LATERAL (
    SELECT c.player_id, c.fact_seq, c.on_date, c.change_centi
    FROM unnest($1::text[]) AS member (player_id)
    CROSS JOIN LATERAL (
        SELECT c.player_id, c.fact_seq, c.on_date, c.change_centi
        FROM {history}.changes AS c
        WHERE c.player_id = member.player_id AND c.fact_seq > $2 AND c.round_no = 0
            AND c.fact_seq <> $4
            AND (
                SELECT k.from_seq FROM {history}.corrections AS k WHERE k.fact_seq = c.fact_seq
            ) <= $3
        ORDER BY c.fact_seq DESC LIMIT $5
    ) AS c
    WHERE EXISTS (
        SELECT FROM {visible} AS shown
        WHERE shown.player_id = mahjic.survivor(member.player_id)
    )
    ORDER BY c.fact_seq DESC, c.player_id LIMIT $5
) AS moved ON true
LEFT JOIN {history}.corrections AS later ON later.fact_seq = moved.fact_seq
LEFT JOIN mahjic.recorded_sessions AS sent ON sent.session_id = later.sessions[1]
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = sent.source
ORDER BY moved.fact_seq DESC, moved.player_id
"""


@dataclass(frozen=True, slots=True)
class LaterChange:
    """What one fact about the past did to one player. `source` is whose session it changed.

    `sessions` are the first of those that were left out, or whose seats were given to others.
    """

    player_id: str
    fact_seq: int
    on_date: date
    change_centi: int
    cause: str
    sessions: Sequence[str]
    source: str | None
    source_name: str | None

    @property
    def change_id(self) -> str:
        """The permanent id of the change, under which the reason for it is told."""
        return f"{self.player_id}.{self.fact_seq}"


async def read_later_changes(
    reader: ViewReader,
    player_ids: Sequence[str],
    *,
    fact_seq: int,
    place_seq: int,
    but_for: int = 0,
) -> Sequence[LaterChange]:
    """Return what moved these players after a session, by changes at or before its place.

    Players whom not everyone may see are left out. `but_for` is the fact that ended the session.
    """
    rows = await reader.fetch(READ_LATER, list(player_ids), fact_seq, place_seq, but_for, LATER_MAX)
    return [
        LaterChange(
            row["player_id"],
            row["fact_seq"],
            row["on_date"],
            row["change_centi"],
            row["cause"],
            row["sessions"],
            row["source"],
            row["source_name"],
        )
        for row in rows
        if row["player_id"] is not None
    ]
