"""Keeps every round as it was rated, who sat in it, and which formula held."""

from collections.abc import Sequence
from datetime import date
from typing import Any, ClassVar, Final

import orjson

from services.projections.tables import (
    add_up,
    rated_sessions,
    read_schema_sql,
    seated_players,
)
from shared.events.facts import FormulaAdopted
from shared.events.verdicts import FactNoted
from shared.feed import Batch, Connection, Entry

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
    "session_date",
    "change_centi",
    "verified_change_centi",
)
ADOPTION_COLUMNS: Final = ("fact_seq", "formula", "parameters")
ADD_UP: Final = """
SELECT
    count(*) AS seats,
    COALESCE(sum(change_centi), 0)::bigint AS change_centi,
    COALESCE(sum(verified_change_centi), 0)::bigint AS verified_change_centi,
    (SELECT count(*) FROM {schema}.rounds) AS rounds,
    (SELECT count(DISTINCT fact_seq) FROM {schema}.rounds) AS sessions
FROM {schema}.changes
"""


class History:
    """The view of histories."""

    name: ClassVar[str] = "history"
    version: ClassVar[int] = 1

    @property
    def schema_sql(self) -> str:
        """The tables."""
        return read_schema_sql(__package__)

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Add what was rated. Rows are only ever added, so they are copied in."""
        rounds, changes = rows_of(batch.entries)
        for table, columns, rows in (
            ("rounds", ROUND_COLUMNS, rounds),
            ("changes", CHANGE_COLUMNS, changes),
            ("adoptions", ADOPTION_COLUMNS, adoptions_in(batch.entries)),
        ):
            if rows:
                await connection.copy_records_to_table(
                    table, records=rows, columns=columns, schema_name=schema
                )

    async def attest(self, connection: Connection, schema: str) -> dict[str, int]:
        """Add up sessions, rounds, seats, and the changes in both pools."""
        return await add_up(connection, ADD_UP.format(schema=schema))


def rows_of(entries: Sequence[Entry]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the rows of `rounds` and of `changes` that the verdicts make."""
    formulas = {entry.verdict.answers.fact_seq: entry.verdict.answers.formula for entry in entries}
    rounds: list[tuple[Any, ...]] = []
    changes: list[tuple[Any, ...]] = []
    for fact_seq, session in rated_sessions(entries):
        session_date = date.fromisoformat(session.session_date)
        told = (session.session_id, session.source, session_date, session.game_type)
        for round_no, rated in enumerate(session.rounds, start=1):
            numbers = orjson.dumps(rated.to_json()).decode()
            rounds.append((fact_seq, round_no, *told, formulas[fact_seq], numbers))
            changes += [
                (
                    player_id,
                    fact_seq,
                    round_no,
                    session_date,
                    rated.rating_change[seat],
                    rated.verified_rating_change[seat],
                )
                for seat, player_id in seated_players(rated)
            ]
    return rounds, changes


def adoptions_in(entries: Sequence[Entry]) -> list[tuple[int, str, str]]:
    """Return the rows of `adoptions` that the verdicts make."""
    return [
        (
            entry.verdict.answers.fact_seq,
            entry.verdict.event.data["formula"],
            orjson.dumps(entry.verdict.event.data["parameters"]).decode(),
        )
        for entry in entries
        if isinstance(entry.verdict.event, FactNoted)
        and entry.verdict.event.fact_type == FormulaAdopted.TYPE
    ]
