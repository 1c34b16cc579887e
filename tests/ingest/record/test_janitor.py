"""Idempotency-Keys are kept for as long as is promised, and not forever."""

import random
from datetime import datetime, timedelta

from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.janitor import SWEEP_KEYS_MAX, sweep
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import NOW, a_submission, found, ids_and_times_of, outcome_of, record

CLAIM = a_session(a_round(ada=1, bo=0))
OTHER_CLAIM = a_session(a_round(ada=0, bo=1))
COUNT_KEYS = "SELECT count(*) FROM mahjic.idempotency_keys"


def at(moment: datetime) -> IdsAndTimes:
    """Return ids and times of a clock that stands still."""
    return IdsAndTimes(ids_and_times_of(random.Random(1)).player_number, now=lambda: moment)


async def test_a_key_holds_for_30_days_to_the_second_and_then_is_free(database: Database) -> None:
    pool, ids_and_times = database.pool, at(NOW)
    await found(pool, ids_and_times)
    await record(pool, [a_submission(1, CLAIM, key="k")], ids_and_times)
    for age, outcome in (
        (timedelta(hours=1), "idempotency_key_reused"),
        (timedelta(hours=48), "idempotency_key_reused"),
        (timedelta(days=30), "idempotency_key_reused"),
        (timedelta(days=30, seconds=1), "accepted"),
    ):
        later = at(NOW + age)
        await sweep(pool, later, kept_days=30)
        (judged,) = await record(pool, [a_submission(2, OTHER_CLAIM, key="k")], later)
        assert outcome_of(judged).partition(" ")[0] == outcome, age
    # What was sent under the old key is still known by its content.
    (judged,) = await record(pool, [a_submission(3, CLAIM)], ids_and_times)
    assert outcome_of(judged).startswith("replayed")


async def test_a_sweep_takes_all_old_keys_in_portions_and_leaves_the_young_ones(
    database: Database,
) -> None:
    pool, ids_and_times = database.pool, at(NOW)
    await found(pool, ids_and_times)
    await record(pool, [a_submission(1, CLAIM, key="young")], ids_and_times)
    old = SWEEP_KEYS_MAX + 5
    await pool.execute(
        """INSERT INTO mahjic.idempotency_keys (key_print, request_print, session_id, created_at)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 'print', session_id, $2
        FROM generate_series(1, $1) AS n CROSS JOIN mahjic.submissions""",
        old,
        NOW - timedelta(days=31),
    )
    assert await sweep(pool, ids_and_times, kept_days=30) == old
    assert await pool.fetchval(COUNT_KEYS) == 1
    assert await sweep(pool, ids_and_times, kept_days=30) == 0
