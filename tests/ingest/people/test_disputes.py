"""What players say about sessions they did not play, by the room itself and over HTTP."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest

from services.ingest.people.disputes import (
    STAFF_AFTER,
    Dispute,
    DisputeState,
    NothingToDispute,
    UnknownDispute,
    answer_dispute,
    dispute,
    disputes_of,
    list_disputes,
    take_back,
)
from services.ingest.players.acts import forget
from services.ingest.record.waterline import Waterline
from shared.db.erasing import clean_erased
from shared.errors import UnknownPlayer
from shared.log.postgres import Connection
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, UnfitText, read_short_text
from tests.ingest.answers import CLAIM, player, problem
from tests.ingest.changes.linking.merges import (
    all_on_record,
    id_of,
    merge,
    session,
    submit,
    unmerge,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import NOW, SOURCES, the_head_locked
from tests.ingest.people.asking import IDS_AND_TIMES
from tests.log.deadlines import until
from tests.service import RunningService, bearer

DISPUTES = "/v1/admin/disputes"
WORDS = "I was in Paris that week."


@pytest.fixture
async def ada(pool: asyncpg.Pool) -> str:
    """Return the id of Ada, who is in sessions 1 of one club and 2 of another."""
    for number, source in enumerate(SOURCES, start=1):
        night = a_session(a_round(ada=1, bo=0), on=f"2026-01-{number:02}")
        await submit(pool, number, night, IDS_AND_TIMES, source=source)
    return await id_of(pool, "ada@example.com")


async def say(
    pool: asyncpg.Pool, who: str, number: int, text: str = WORDS, *, now: datetime = NOW
) -> Dispute:
    async with pool.acquire() as connection, connection.transaction():
        return await dispute(connection, who, session(number), text, now=now)


async def answer(
    pool: asyncpg.Pool, number: int, text: str, *, by: str | None = None, now: datetime = NOW
) -> Dispute:
    async with pool.acquire() as connection, connection.transaction():
        return await answer_dispute(connection, number, text, by=by, now=now, tell=tell_nobody)


async def tell_nobody(connection: Connection, answered: Dispute, addresses: Sequence[str]) -> None:
    """Tell nobody: what is mailed is tried in `tests.people`."""


async def told(pool: asyncpg.Pool, *who: str, now: datetime = NOW) -> list[Dispute]:
    async with pool.acquire() as connection:
        return await disputes_of(connection, who, now=now)


async def listed(pool: asyncpg.Pool, **asked: Any) -> list[int]:
    wanted = {"source": None, "state": None, "after": 0, "limit": 100, "now": NOW, **asked}
    async with pool.acquire() as connection:
        return [each.number for each in await list_disputes(connection, **wanted)]


async def test_what_is_said_is_kept_once_for_each_session_and_changes_nothing_else(
    pool: asyncpg.Pool, ada: str
) -> None:
    before = await all_on_record(pool)
    first = await say(pool, ada, 1, f"  {WORDS}\r\nReally.  ")
    assert first == Dispute(
        number=first.number,
        player_id=ada,
        seated_as=ada,
        session_id=session(1),
        session_date=first.session_date,
        source="a-club",
        state="open",
        said=f"{WORDS}\nReally.",
        said_at=NOW,
        answer=None,
        answered_at=None,
        resolved_by=None,
        newest=None,
    )
    assert first.session_date.isoformat() == "2026-01-01"
    again = await say(pool, ada, 1, "Rome, it was.", now=NOW + timedelta(days=1))
    # The days until staff look are counted from when it was said first.
    assert (again.number, again.said, again.said_at) == (first.number, "Rome, it was.", NOW)
    other = await say(pool, ada, 2)
    assert [each.number for each in await told(pool, ada)] == [first.number, other.number]
    after = await all_on_record(pool)
    changed = {table for table in after if after[table] != before[table]}
    # Beside what is said, its source is told that something was.
    assert changed == {"disputes", "notices", "notice_numbers"}


async def test_after_fourteen_days_without_an_answer_staff_see_it(
    pool: asyncpg.Pool, ada: str
) -> None:
    number = (await say(pool, ada, 1)).number
    states: list[tuple[timedelta, DisputeState]] = [
        (timedelta(), "open"),
        (STAFF_AFTER - timedelta(seconds=1), "open"),
        (timedelta(days=14), "with_staff"),
        (timedelta(days=400), "with_staff"),
    ]
    for passed, state in states:
        (found,) = await told(pool, ada, now=NOW + passed)
        assert found.state == state
        assert await listed(pool, state=state, now=NOW + passed) == [number]
    await answer(pool, number, "You sat in for Cy.", by="a-club", now=NOW + timedelta(days=20))
    (found,) = await told(pool, ada, now=NOW + timedelta(days=400))
    assert (found.state, found.answer) == ("answered", "You sat in for Cy.")
    assert found.answered_at == NOW + timedelta(days=20)


@pytest.mark.parametrize("status", ["voided", "corrected"])
async def test_a_session_that_no_longer_counts_resolves_it_answered_or_not(
    pool: asyncpg.Pool, ada: str, status: str
) -> None:
    for number in (1, 2):
        await say(pool, ada, number)
    answered = (await told(pool, ada))[0].number
    await answer(pool, answered, "We look into it.")
    for number in (1, 2):
        await void(pool, number, status)
    for found in await told(pool, ada):
        assert (found.state, found.resolved_by) == ("resolved", status)
        with pytest.raises(NothingToDispute):
            await answer(pool, found.number, "Too late.")
    with pytest.raises(NothingToDispute):
        await say(pool, ada, 1)


async def test_a_seat_that_is_somebody_elses_now_resolves_it(pool: asyncpg.Pool, ada: str) -> None:
    await say(pool, ada, 1)
    bo = await id_of(pool, "bo@example.com")
    await pool.execute("UPDATE mahjic.seats SET sits = false WHERE player_id = $1", ada)
    (found,) = await told(pool, ada)
    assert (found.state, found.resolved_by) == ("resolved", "reseated")
    assert await told(pool, bo) == []


async def test_only_who_sits_in_a_session_says_anything_about_it(
    pool: asyncpg.Pool, ada: str
) -> None:
    await submit(pool, 3, a_session(a_round(cy=1, dee=0), on="2026-01-09"), IDS_AND_TIMES)
    before = await all_on_record(pool)
    for number in (3, 99):
        with pytest.raises(NothingToDispute):
            await say(pool, ada, number)
    for who in ("MJ-7K3Q9XZM", "BOB"):
        with pytest.raises(UnknownPlayer):
            await say(pool, who, 1)
    assert await all_on_record(pool) == before


@pytest.mark.parametrize(
    "text",
    ["", " \n ", "x" * 501, "x" * 100_000, "a\u0301" * 60_000, "a\u202eb", "a\x00b", "\ufdd0"],
)
async def test_a_text_that_cannot_be_read_is_refused_on_both_sides(
    pool: asyncpg.Pool, ada: str, text: str
) -> None:
    with pytest.raises(UnfitText):
        await say(pool, ada, 1, text)
    number = (await say(pool, ada, 1, "x" * SHORT_TEXT_CHARACTERS_MAX)).number
    with pytest.raises(UnfitText):
        await answer(pool, number, text)
    assert read_short_text(" Nein,\r\nda war ich nicht. 🀄 ") == "Nein,\nda war ich nicht. 🀄"


async def test_merged_ids_are_one_person_and_each_dispute_stays_with_its_seat(
    pool: asyncpg.Pool, ada: str
) -> None:
    await submit(pool, 3, a_session(a_round(eve=1, bo=0), on="2026-01-09"), IDS_AND_TIMES)
    eve = await id_of(pool, "eve@example.com")
    await merge(pool, eve, ada, IDS_AND_TIMES)
    found = await say(pool, ada, 3)
    assert found.player_id == ada
    assert [each.number for each in await told(pool, ada, eve)] == [found.number]
    await unmerge(pool, eve, IDS_AND_TIMES)
    assert await told(pool, ada) == []
    assert [each.player_id for each in await told(pool, eve)] == [eve]


async def test_a_source_sees_and_answers_only_what_is_about_its_own_sessions(
    pool: asyncpg.Pool, ada: str
) -> None:
    one, two = [(await say(pool, ada, number)).number for number in (1, 2)]
    assert await listed(pool) == [one, two]
    assert await listed(pool, source="a-club") == [one]
    assert await listed(pool, source="nobody") == []
    assert await listed(pool, after=one) == [two]
    assert await listed(pool, limit=1) == [one]
    with pytest.raises(UnknownDispute):
        await answer(pool, two, "Not ours.", by="a-club")
    with pytest.raises(UnknownDispute):
        await answer(pool, 99, "Nobody's.")
    await answer(pool, one, "Ours.", by="a-club")
    # The answer of a source is not the last word of staff.
    await answer(pool, one, "Ours, says staff.")
    assert (await told(pool, ada))[0].answer == "Ours, says staff."
    with pytest.raises(NothingToDispute):
        await say(pool, ada, 1, "Once more.")


async def test_what_is_taken_back_and_who_is_forgotten_is_in_no_file(
    pool: asyncpg.Pool, ada: str
) -> None:
    await say(pool, ada, 1)
    await clean_erased(pool)
    async with pool.acquire() as connection, connection.transaction():
        assert await take_back(connection, ada, session(1))
        assert not await take_back(connection, ada, session(1))
    assert await clean_erased(pool) == (["disputes"], [])
    number = (await say(pool, ada, 2)).number
    await answer(pool, number, "You were there.")
    bo = await id_of(pool, "bo@example.com")
    kept = await say(pool, bo, 1)
    await forget(pool, Waterline(), ada, IDS_AND_TIMES)
    assert [row["number"] for row in await pool.fetch("SELECT number FROM mahjic.disputes")] == [
        kept.number
    ]
    assert "disputes" in (await clean_erased(pool))[0]
    samples = await pool.fetch(
        "SELECT attname FROM pg_stats WHERE tablename = 'disputes' "
        "AND attname IN ('said', 'answer')"
    )
    assert samples == []


async def test_whoever_is_being_forgotten_says_nothing_that_would_stay(
    pool: asyncpg.Pool, ada: str
) -> None:
    """The dispute comes in while the erasure waits, and the other way around."""
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await dispute(connection, ada, session(1), WORDS, now=NOW)
        forgetting = asyncio.create_task(forget(pool, Waterline(), ada, IDS_AND_TIMES))

        async def it_waits() -> bool:
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            return bool(await pool.fetchval(waiting))

        await until(it_waits)
        await transaction.commit()
        await forgetting
    assert await pool.fetchval("SELECT count(*) FROM mahjic.disputes") == 0
    with pytest.raises(UnknownPlayer):
        await say(pool, ada, 2)


async def test_nobody_waits_for_those_who_record(pool: asyncpg.Pool, ada: str) -> None:
    async with the_head_locked(pool):
        assert (await say(pool, ada, 1)).state == "open"


async def test_staff_list_and_answer_over_http(service: RunningService) -> None:
    operator = bearer(await service.operator_key())
    key = await service.source_key()
    sent = await service.submit(CLAIM, key)
    ada = player(sent, "Ada@Example.com")["player_id"]
    async with service.pool.acquire() as connection, connection.transaction():
        found = await dispute(connection, ada, sent.json()["session_id"], WORDS, now=NOW)
    listing = await service.client.get(f"{DISPUTES}?state=with_staff&limit=1", headers=operator)
    (row,) = listing.json()["disputes"]
    assert listing.json()["next_after"] is None
    assert listing.headers["Cache-Control"] == "no-store"
    assert row == {
        "number": found.number,
        "player_id": ada,
        "session_id": sent.json()["session_id"],
        "session_date": CLAIM["session_date"],
        "source": "a-club",
        "state": "with_staff",
        "said": WORDS,
        "said_at": "2026-02-01T12:00:00.000000Z",
        "answer": None,
        "answered_at": None,
        "resolved_by": None,
        "newest": None,
    }
    body = {"number": found.number, "answer": "You sat in for Bea."}
    answered = await service.client.post(DISPUTES, json=body, headers=operator)
    assert (answered.status_code, answered.json()["state"]) == (200, "answered")
    assert answered.json()["answer"] == "You sat in for Bea."
    unknown = await service.client.post(DISPUTES, json={**body, "number": 99}, headers=operator)
    problem(unknown, 404, "unknown_dispute")
    empty = await service.client.post(DISPUTES, json={**body, "answer": " "}, headers=operator)
    problem(empty, 422, "unfit_text")
    voided = await service.client.post(
        f"/v1/sessions/{sent.json()['session_id']}/void",
        json={"reason": "test_entry"},
        headers=bearer(key),
    )
    assert voided.status_code in {201, 202}
    late = await service.client.post(DISPUTES, json=body, headers=operator)
    problem(late, 409, "nothing_to_dispute")
    listing = await service.client.get(f"{DISPUTES}?source=a-club", headers=operator)
    assert [each["resolved_by"] for each in listing.json()["disputes"]] == ["voided"]


async def test_pages_of_disputes_follow_one_another(service: RunningService) -> None:
    operator = bearer(await service.operator_key())
    sent = await service.submit(CLAIM, await service.source_key())
    for each in sent.json()["results"]:
        async with service.pool.acquire() as connection, connection.transaction():
            session_id = sent.json()["session_id"]
            await dispute(connection, each["player_id"], session_id, WORDS, now=NOW)
    seen, after = [], 0
    while after is not None:
        answered = await service.client.get(f"{DISPUTES}?limit=1&after={after}", headers=operator)
        seen += [each["player_id"] for each in answered.json()["disputes"]]
        after = answered.json()["next_after"]
    assert seen == [each["player_id"] for each in sent.json()["results"]]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_only_the_operator_may(service: RunningService, method: str) -> None:
    body = {"number": 1, "answer": "No."} if method == "POST" else None
    problem(await service.client.request(method, DISPUTES, json=body), 401, "not_authenticated")
    for key in (await service.source_key(), await service.auditor_key()):
        refused = await service.client.request(method, DISPUTES, json=body, headers=bearer(key))
        problem(refused, 403, "not_allowed")


async def test_mails_to_somebody_who_is_forgotten_are_erased_with_them(
    service: RunningService,
) -> None:
    operator = bearer(await service.operator_key())
    sent = await service.submit(CLAIM, await service.source_key())
    ada = player(sent, "Ada@Example.com")["player_id"]
    for address in ("ada@example.com", "bo@example.com"):
        await service.pool.execute(
            "INSERT INTO mahjic.unreachable_addresses (address, since, smtp_code) "
            "VALUES ($1, now(), 550)",
            address,
        )
    erased = await service.client.delete(f"/v1/admin/players/{ada}/personal-data", headers=operator)
    assert erased.status_code == 204
    left = await service.pool.fetch("SELECT address FROM mahjic.unreachable_addresses")
    assert [row["address"] for row in left] == ["bo@example.com"]
