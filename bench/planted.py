"""Plants a made-up history behind a rater: its folder, and the ends of both logs in PostgreSQL.

The facts themselves are not there: a rater that starts from its folder reads none of them.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import asyncpg

from bench.made_history import FilledColumns, Made, session_name
from services.rater.answering import Rater
from services.rater.engine import engine_digest
from services.rater.folder import Snapshot, open_folder
from services.rater.manifest import seal_of
from shared.events.chain import next_chain
from shared.events.codec import encode_fact, encode_verdict
from shared.events.facts import FactEvent, FormulaAdopted, SessionsVoided
from shared.events.verdicts import Answers, FactNoted
from shared.log.port import Position
from shared.log.postgres import PostgresFactLog, found_logs
from shared.rating.registry import MAHJIC_ELO_1
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

LOG_ID: Final = "made-up"
TIME: Final = "2026-02-01T00:00:00.000000Z"
ADOPTED: Final = FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters)
MOVE_HEAD: Final = "UPDATE mahjic.head SET fact_seq = $1, fact_chain = $2"
MOVE_RATER: Final = """
UPDATE mahjic.rater SET fact_seq = $1, verdict_seq = 1, verdict_chain = $2
"""
ADD_FACT: Final = "INSERT INTO mahjic.facts (seq, chain, body) VALUES ($1, $2, $3)"
ADD_VERDICT: Final = "INSERT INTO mahjic.verdicts (seq, chain, body) VALUES (1, $1, $2)"


@cache
def engine() -> str:
    """Return the digest of the engine that is measured, even if its files change meanwhile."""
    return engine_digest()


@dataclass(frozen=True, slots=True)
class Ends:
    """The last fact, and the one verdict that stands on the log, on that fact."""

    position: Position
    fact: bytes
    verdict: bytes


def ends(made: Made) -> Ends:
    """Return the ends of the logs of a made-up history."""
    fact = encode_fact(ADOPTED, log_id=LOG_ID, seq=made.last_seq, time=TIME)
    chain = next_chain(bytes(32), fact)
    answers = Answers(made.last_seq, chain, 1, 1, ADOPTED.formula, engine())
    event = FactNoted(ADOPTED.TYPE, ADOPTED.to_json())
    verdict = encode_verdict(event, answers, log_id=LOG_ID, time=TIME, subject=ADOPTED.subject)
    return Ends(Position(LOG_ID, made.last_seq, chain), fact, verdict)


def chronicle_of(made: Made, columns: StoredColumns) -> Chronicle:
    """Return the chronicle of a made-up history, in these columns."""
    chronicle = Chronicle(FilledColumns(columns, made.columns))
    chronicle.append(1, ADOPTED)
    return chronicle


def fill_folder(path: Path, made: Made) -> None:
    """Write what a rater that had rated the history would have left in its folder."""
    at = ends(made)
    folder = open_folder(path, engine())
    assert folder is not None
    columns = folder.begin(None)
    rater = Rater(Position(LOG_ID, 0, bytes(32)), engine(), chronicle_of(made, columns), folder)
    rater.restore(at.position, TIME)
    rater.settle()
    verdict = seal_of(at.verdict)
    folder.save(Snapshot(at.position, verdict, TIME, columns.rows, rater.state.standings))
    assert not folder.is_lost
    folder.close()


async def plant_logs(pool: asyncpg.Pool, made: Made) -> None:
    """Let both logs of a migrated database end where the history does."""
    at = ends(made)
    async with pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
        await connection.execute(ADD_FACT, at.position.seq, at.position.chain, at.fact)
        await connection.execute(MOVE_HEAD, at.position.seq, at.position.chain)
        chain = next_chain(bytes(32), at.verdict)
        await connection.execute(ADD_VERDICT, chain, at.verdict)
        await connection.execute(MOVE_RATER, at.position.seq, chain)


async def void(facts: PostgresFactLog, session: int) -> None:
    """Append the fact that voids a session, by its number."""
    event = SessionsVoided((session_name(session),), "not_played")
    await append(facts, event)


async def append(facts: PostgresFactLog, event: FactEvent) -> None:
    """Append a fact as ingest does, but for everything that it checks."""
    seq = (await facts.tail()).seq + 1
    await facts.append([encode_fact(event, log_id=LOG_ID, seq=seq, time=TIME)])
