"""Keeps who sits in the rounds in which seats were reassigned; what was published stays."""

from typing import Final

from services.projections.history.corrected import event_of
from shared.events.codec import Verdict
from shared.feed.views import Connection

# A session that came twice by a poisoned record counts as the first of the two.
READ_SEATED: Final = """
SELECT DISTINCT ON (asked.session_id, asked.round_no) asked.session_id, asked.round_no,
    round.fact_seq, COALESCE(now.seated, sat.played_as, sat.players) AS seated
FROM unnest($1::text[], $2::smallint[]) AS asked (session_id, round_no)
CROSS JOIN LATERAL (
    SELECT r.fact_seq FROM {schema}.rounds AS r
    WHERE r.session_id = asked.session_id AND r.round_no = 1
    UNION ALL
    SELECT r.fact_seq FROM {schema}.replacements AS r WHERE r.session_id = asked.session_id
) AS session
CROSS JOIN LATERAL (
    SELECT r.fact_seq, r.rated AS results FROM {schema}.rounds AS r
    WHERE r.fact_seq = session.fact_seq AND r.round_no = asked.round_no
    UNION ALL
    SELECT r.fact_seq, r.results FROM {schema}.replaced_rounds AS r
    WHERE r.fact_seq = session.fact_seq AND r.round_no = asked.round_no
) AS round
CROSS JOIN LATERAL json_to_record(round.results) AS sat (players text[], played_as text[])
LEFT JOIN {schema}.reseated_rounds AS now
    ON now.fact_seq = round.fact_seq AND now.round_no = asked.round_no
ORDER BY asked.session_id, asked.round_no, round.fact_seq
"""
WRITE_SEATED: Final = """
INSERT INTO {schema}.reseated_rounds (fact_seq, round_no, seated) VALUES ($1, $2, $3)
ON CONFLICT (fact_seq, round_no) DO UPDATE SET seated = EXCLUDED.seated
"""


async def take_in_reseated(connection: Connection, schema: str, first: Verdict) -> None:
    """Write who sits in the rounds of which the first part of a verdict reassigns seats."""
    moved = [
        (each.session_id, round_no, seat, now)
        for each in event_of(first).reseated or ()
        for round_no, seat, now in zip(each.round_numbers, each.seats, each.now, strict=True)
    ]
    if not moved:
        return
    asked = sorted({(session_id, round_no) for session_id, round_no, _, _ in moved})
    rows = await connection.fetch(
        READ_SEATED.format(schema=schema),
        [session_id for session_id, _ in asked],
        [round_no for _, round_no in asked],
    )
    facts = {(row["session_id"], row["round_no"]): row["fact_seq"] for row in rows}
    seated = {(row["session_id"], row["round_no"]): list(row["seated"]) for row in rows}
    for session_id, round_no, seat, now in moved:
        seated[session_id, round_no][seat] = now
    await connection.executemany(
        WRITE_SEATED.format(schema=schema),
        [(facts[which], which[1], players) for which, players in seated.items()],
    )
