"""Keeps every round as rated, every correction, who was merged into whom, and formulas."""

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
    first_facts,
    links_after,
    moved_rows,
    replaced_round_rows,
    replacement_rows,
)
from shared.events.codec import Verdict
from shared.events.facts import FormulaAdopted, FormulaAdoptedFromBeginning
from shared.events.verdicts import FactNoted, RatingsCorrected, SessionRated
from shared.feed.views import Connection, VerdictBatch

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
ADOPTION_COLUMNS: Final = ("fact_seq", "formula", "parameters")
# A session that was voided before stays as it was. So does one left out twice in a batch.
WRITE_ENDINGS: Final = """
INSERT INTO {schema}.endings (session_id, cause, fact_seq, replaced_by)
SELECT session_id, cause, fact_seq, replaced_by
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
    AS n (session_id, cause, fact_seq, replaced_by)
ON CONFLICT (session_id, cause) DO NOTHING
"""
WRITE_LINKS: Final = """
INSERT INTO {schema}.links (player_id, merged_into)
SELECT player_id, merged_into FROM unnest($1::text[], $2::text[]) AS n (player_id, merged_into)
ON CONFLICT (player_id) DO UPDATE SET merged_into = EXCLUDED.merged_into
"""
# Verdicts come in the order of the log, so the first one of a day is there before the others.
WRITE_DAYS: Final = """
INSERT INTO {schema}.days (on_date, fact_seq)
SELECT on_date, fact_seq FROM unnest($1::date[], $2::bigint[]) AS n (on_date, fact_seq)
ON CONFLICT (on_date) DO NOTHING
"""
CUT_LINKS: Final = "DELETE FROM {schema}.links WHERE player_id = ANY($1::text[])"
ADD_UP: Final = """
SELECT
    count(*) FILTER (WHERE round_no > 0) AS seats,
    COALESCE(sum(change_centi), 0)::bigint AS change_centi,
    COALESCE(sum(verified_change_centi), 0)::bigint AS verified_change_centi,
    (SELECT count(*) FROM {schema}.rounds) AS rounds,
    (SELECT count(DISTINCT fact_seq) FROM {schema}.rounds) AS sessions
FROM {schema}.changes
"""


class HistoryView:
    """The view of histories."""

    name: ClassVar[str] = "history"
    version: ClassVar[int] = 3

    @property
    def schema_sql(self) -> str:
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Add what was rated and corrected. Such rows are only ever added, so COPY is used."""
        rounds, changes = rows_of(batch.verdicts)
        corrected = [each for each in batch.verdicts if isinstance(each.event, RatingsCorrected)]
        # The first part of a correction says what it was about.
        first = [each for each in corrected if each.answers.part == 1]
        for table, columns, rows in (
            ("rounds", ROUND_COLUMNS, rounds),
            ("changes", ROUND_CHANGE_COLUMNS, changes),
            ("changes", (*CHANGE_COLUMNS, *MOVED_COLUMNS), moved_rows(corrected)),
            ("corrections", CORRECTION_COLUMNS, [correction_row(each) for each in first]),
            ("replacements", REPLACEMENT_COLUMNS, replacement_rows(first)),
            ("replaced_rounds", REPLACED_ROUND_COLUMNS, replaced_round_rows(first)),
            ("adoptions", ADOPTION_COLUMNS, adoptions_in(batch.verdicts)),
        ):
            if rows:
                await connection.copy_records_to_table(
                    table, records=rows, columns=columns, schema_name=schema
                )
        if first:
            await _write_corrections(connection, schema, first)
        if days := first_facts(batch.verdicts):
            days_sql = WRITE_DAYS.format(schema=schema)
            await connection.execute(days_sql, list(days), list(days.values()))

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up sessions, rounds, seats, and the changes in both pools."""
        return await add_up(connection, ADD_UP.format(schema=schema))


async def _write_corrections(connection: Connection, schema: str, first: Sequence[Verdict]) -> None:
    """Write what corrections do to existing rows."""
    endings = ending_rows(first)
    if endings:
        columns = [list(column) for column in zip(*endings, strict=True)]
        await connection.execute(WRITE_ENDINGS.format(schema=schema), *columns)
    links = links_after(first)
    made = {player_id: into for player_id, into in links.items() if into is not None}
    if made:
        await connection.execute(WRITE_LINKS.format(schema=schema), list(made), list(made.values()))
    if links.keys() - made.keys():
        cut = sorted(links.keys() - made.keys())
        await connection.execute(CUT_LINKS.format(schema=schema), cut)


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


def adoptions_in(verdicts: Sequence[Verdict]) -> list[tuple[int, str, str]]:
    """Return the rows of `adoptions` that verdicts make, from now on or from the beginning."""
    return [
        (
            verdict.answers.fact_seq,
            event.data["formula"],
            orjson.dumps(event.data["parameters"]).decode(),
        )
        for verdict in verdicts
        if isinstance(event := verdict.event, FactNoted | RatingsCorrected)
        and event.fact_type in {FormulaAdopted.TYPE, FormulaAdoptedFromBeginning.TYPE}
        and verdict.answers.part == 1
    ]
