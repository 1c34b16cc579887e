"""Keeps every round as rated, every correction, the peaks, who was merged, and formulas."""

from collections.abc import Sequence
from datetime import date
from typing import Any, ClassVar, Final

import orjson

from services.projections.common.tables import add_up, read_schema_sql
from services.projections.common.verdicts import seated_players
from services.projections.history.corrected import (
    CORRECTION_COLUMNS,
    MOVED_COLUMNS,
    REPLACED_ROUND_COLUMNS,
    REPLACEMENT_COLUMNS,
    correction_row,
    ending_rows,
    event_of,
    first_facts,
    link_after,
    moved_rows,
    replaced_round_rows,
    replacement_rows,
)
from services.projections.history.peaks import (
    COUNT_WRONG_PEAKS,
    runs_between_corrections,
    take_in_correction,
    take_in_sessions,
)
from services.projections.history.places import first_place
from shared.events.codec import Verdict
from shared.events.facts import FormulaAdopted, FormulaAdoptedFromBeginning
from shared.events.verdicts import FactNoted, RatingsCorrected, SessionRated
from shared.feed.views import Connection, VerdictBatch
from shared.rating.registry import START_CENTI

ROUND_COLUMNS: Final = (
    "fact_seq",
    "round_no",
    "session_id",
    "source",
    "session_date",
    "game_type",
    "formula",
    "rated",
)
CHANGE_COLUMNS: Final = (
    "player_id",
    "fact_seq",
    "round_no",
    "on_date",
    "change_centi",
    "verified_change_centi",
)
ROUND_CHANGE_COLUMNS: Final = (*CHANGE_COLUMNS, "verified_rating_after")
ADOPTION_COLUMNS: Final = ("fact_seq", "formula", "parameters", "proposal")
# A session that was voided before stays as it was.
WRITE_ENDINGS: Final = """
INSERT INTO {schema}.endings (session_id, cause, fact_seq, replaced_by)
SELECT session_id, cause, fact_seq, replaced_by
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
    AS n (session_id, cause, fact_seq, replaced_by)
ON CONFLICT (session_id, cause) DO NOTHING
"""
WRITE_LINK: Final = """
INSERT INTO {schema}.links (player_id, merged_into, from_seq) VALUES ($1, $2, $3)
ON CONFLICT (player_id) DO UPDATE SET
    merged_into = EXCLUDED.merged_into, from_seq = EXCLUDED.from_seq
"""
# Verdicts come in the order of the log, so the first one of a day is there before the others.
WRITE_DAYS: Final = """
INSERT INTO {schema}.days (on_date, fact_seq)
SELECT on_date, fact_seq FROM unnest($1::date[], $2::bigint[]) AS n (on_date, fact_seq)
ON CONFLICT (on_date) DO NOTHING
"""
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
CUT_LINK: Final = "DELETE FROM {schema}.links WHERE player_id = $1"
ADD_UP: Final = f"""
SELECT
    count(*) FILTER (WHERE round_no > 0) AS seats,
    COALESCE(sum(change_centi), 0)::bigint AS change_centi,
    COALESCE(sum(verified_change_centi), 0)::bigint AS verified_change_centi,
    (SELECT count(*) FROM {{schema}}.rounds) AS rounds,
    (SELECT count(DISTINCT fact_seq) FROM {{schema}}.rounds) AS sessions,
    ({COUNT_WRONG_PEAKS}) AS wrong_rows
FROM {{schema}}.changes
"""


class HistoryView:
    """The view of histories."""

    name: ClassVar[str] = "history"
    version: ClassVar[int] = 5

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Add what was rated and corrected. Such rows are only ever added, so COPY is used."""
        rounds, changes = rows_of(batch.verdicts)
        corrected = [each for each in batch.verdicts if isinstance(each.event, RatingsCorrected)]
        for table, columns, rows in (
            ("rounds", ROUND_COLUMNS, rounds),
            ("changes", ROUND_CHANGE_COLUMNS, changes),
            ("changes", (*CHANGE_COLUMNS, *MOVED_COLUMNS), moved_rows(corrected)),
            ("adoptions", ADOPTION_COLUMNS, adoptions_in(batch.verdicts)),
        ):
            if rows:
                await connection.copy_records_to_table(
                    table, records=rows, columns=columns, schema_name=schema
                )
        if days := first_facts(batch.verdicts):
            days_sql = WRITE_DAYS.format(schema=schema)
            await connection.execute(days_sql, list(days), list(days.values()))
        for run in runs_between_corrections(batch.verdicts):
            if isinstance(run[0].event, RatingsCorrected):
                await _correct(connection, schema, run[0])
            else:
                await take_in_sessions(connection, schema, run)

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up sessions, rounds, seats, and changes in both pools, and count what is wrong."""
        return await add_up(connection, ADD_UP.format(schema=schema), START_CENTI)


async def _correct(connection: Connection, schema: str, verdict: Verdict) -> None:
    """Take in a part of a correction. The first one says what it was about."""
    if verdict.answers.part == 1:
        from_seq = await first_place(connection, schema, verdict)
        await _write_correction(connection, schema, verdict, from_seq)
        await _write_seated(connection, schema, verdict)
    await take_in_correction(connection, schema, verdict)


async def _write_correction(
    connection: Connection, schema: str, first: Verdict, from_seq: int
) -> None:
    """Write what a correction was about, and what it does to existing rows."""
    for table, columns, rows in (
        ("corrections", CORRECTION_COLUMNS, [(*correction_row(first), from_seq)]),
        ("replacements", REPLACEMENT_COLUMNS, replacement_rows(first, from_seq)),
        ("replaced_rounds", REPLACED_ROUND_COLUMNS, replaced_round_rows(first)),
    ):
        if rows:
            await connection.copy_records_to_table(
                table, records=rows, columns=columns, schema_name=schema
            )
    endings = ending_rows(first)
    if endings:
        columns_of_endings = [list(column) for column in zip(*endings, strict=True)]
        await connection.execute(WRITE_ENDINGS.format(schema=schema), *columns_of_endings)
    for player_id, into in link_after(first):
        if into is None:
            await connection.execute(CUT_LINK.format(schema=schema), player_id)
        else:
            await connection.execute(WRITE_LINK.format(schema=schema), player_id, into, from_seq)


async def _write_seated(connection: Connection, schema: str, first: Verdict) -> None:
    """Write who sits in the rounds of which the first part of a verdict reassigns seats.

    What was published stays.
    """
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


def rows_of(verdicts: Sequence[Verdict]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the rows of `rounds` and of `changes` that rated sessions make."""
    rounds: list[tuple[Any, ...]] = []
    changes: list[tuple[Any, ...]] = []
    for verdict in verdicts:
        session, answers = verdict.event, verdict.answers
        if not isinstance(session, SessionRated):
            continue
        fact_seq, session_date = answers.fact_seq, date.fromisoformat(session.session_date)
        told = (session.session_id, session.source, session_date, session.game_type)
        for round_no, rated in enumerate(session.rounds, start=1):
            numbers = orjson.dumps(rated.to_json()).decode()
            rounds.append((fact_seq, round_no, *told, answers.formula, numbers))
            changes += [
                (
                    player_id,
                    fact_seq,
                    round_no,
                    session_date,
                    rated.rating_change[seat],
                    rated.verified_rating_change[seat],
                    rated.verified_rating_before[seat] + rated.verified_rating_change[seat],
                )
                for seat, player_id in seated_players(rated)
            ]
    return rounds, changes


def adoptions_in(verdicts: Sequence[Verdict]) -> list[tuple[int, str, str, str | None]]:
    """Return the rows of `adoptions` that verdicts make, from now on or from the beginning."""
    return [
        (
            verdict.answers.fact_seq,
            event.data["formula"],
            orjson.dumps(event.data["parameters"]).decode(),
            event.data.get("proposal"),
        )
        for verdict in verdicts
        if isinstance(event := verdict.event, FactNoted | RatingsCorrected)
        and event.fact_type in {FormulaAdopted.TYPE, FormulaAdoptedFromBeginning.TYPE}
        and verdict.answers.part == 1
    ]
