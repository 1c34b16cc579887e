"""A player is told by mail that a dispute was answered: if they want such mail, and once."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from prometheus_client import CollectorRegistry

from services.accounts.own.mail_choices import MailChoice
from services.ingest.people.disputes import STAFF_AFTER, dispute, take_back
from services.parts import tell_disputes
from shared.mail.no_more import end_mail
from tests.conftest import Database
from tests.ingest.changes.asking import void
from tests.log.deadlines import until
from tests.service import bearer
from tests.site.me.living import Living, a_life
from tests.site.me.test_forget import forget
from tests.site.me.test_forget_at_once import LOCK_PEOPLE, holding
from tests.site.me.whole_life import ADA, WORK, add_address
from tests.site.serving import ORIGIN

DISPUTES = "/v1/admin/disputes"
SAID, ANSWER = "It was my twin.", "Bea says that you sat in for her."
READ_TOLD = "SELECT address, plain, html FROM mahjic.mails WHERE kind = 'dispute_answered'"
WANTS = """
INSERT INTO mahjic.mail_choices (account_id, wants, chosen_at)
SELECT account_id, $2, now() FROM mahjic.addresses WHERE address = $1
"""
FIGURE = "mahjic_disputes_with_staff"
KEY = "a key that is used by the tests alone"


@pytest.fixture
async def life(database: Database) -> AsyncIterator[Living]:
    """Return a service in which Ada and Ben have played, by the hashes of addresses of a test."""
    async with a_life(database, address_hash_key=KEY) as living:
        yield living


async def says(life: Living, session_id: str, address: str = ADA) -> int:
    """Let a player dispute a session, and return the number of that."""
    player = await life.player_of(address)
    now = life.service.service.process.outbox.now()
    async with life.pool.acquire() as connection, connection.transaction():
        return (await dispute(connection, player, session_id, SAID, now=now)).number


async def answer(life: Living, number: int, text: str = ANSWER) -> httpx.Response:
    """Answer as the operator."""
    body = {"number": number, "answer": text}
    key = await life.service.operator_key()
    return await life.service.client.post(DISPUTES, json=body, headers=bearer(key))


async def told(life: Living) -> list[str]:
    """Return to whom it was mailed."""
    return [row["address"] for row in await life.pool.fetch(READ_TOLD)]


@pytest.mark.parametrize(
    ("wants", "is_told"),
    [("important", True), ("summary", True), ("nothing", False), (None, False)],
)
async def test_who_chose_to_hear_of_it_is_mailed_and_nobody_else(
    life: Living, wants: MailChoice | None, is_told: bool
) -> None:
    number = await says(life, await life.play({"ada": 2, "ben": 1}))
    await life.logged_in(ADA)
    await life.logged_in("ben@example.com", "198.51.100.9")
    await life.pool.execute(WANTS, "ben@example.com", "summary")
    if wants is not None:
        await life.pool.execute(WANTS, ADA, wants)
    assert (await answer(life, number)).status_code == 200
    assert await told(life) == ([ADA] if is_told else [])


async def test_the_mail_leads_to_the_answer_and_says_none_of_it(life: Living) -> None:
    night = await life.play({"ada": 2, "ben": 1}, on="2026-01-02")
    number = await says(life, night)
    await life.logged_in(ADA)
    await life.pool.execute(WANTS, ADA, "important")
    # Who wants no mail that they did not ask for asked for this one.
    hashes = life.service.service.process.outbox.hashes
    assert hashes is not None
    await end_mail(life.pool, hashes.of(ADA), at=life.service.service.process.outbox.now())
    await answer(life, number)
    (mail,) = await life.pool.fetch(READ_TOLD)
    for text in (mail["plain"], mail["html"]):
        assert f"{ORIGIN}/me/sessions/{night}/dispute" in text
        assert "A Club" in text
        assert "January 2, 2026" in " ".join(text.split())
        for secret in (SAID, ANSWER, "ben@", await life.player_of(ADA)):
            assert secret not in text


async def test_each_answer_is_told_once(life: Living) -> None:
    number = await says(life, await life.play({"ada": 2, "ben": 1}))
    await life.logged_in(ADA)
    await life.pool.execute(WANTS, ADA, "important")
    for text in (ANSWER, ANSWER, "Another answer.", "Another answer."):
        assert (await answer(life, number, text)).status_code == 200
    assert await told(life) == [ADA, ADA]
    # What is refused tells nobody.
    assert (await answer(life, number + 1)).status_code == 404
    assert (await answer(life, number, "")).status_code == 422
    assert await told(life) == [ADA, ADA]


async def test_of_several_addresses_one_that_can_be_reached_is_told(life: Living) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    await add_address(visitor, WORK)
    await life.pool.execute(WANTS, ADA, "important")
    ada, work = await life.player_of(ADA), await life.player_of(WORK)
    async with life.pool.acquire() as connection, connection.transaction():
        await life.people.merge(connection, ada, work, is_private=False)
    number = await says(life, night)
    await answer(life, number)
    # The player is read as that of the other address now.
    assert await told(life) == [WORK]
    await life.pool.execute(
        "INSERT INTO mahjic.unreachable_addresses VALUES ($1, now(), 550)", WORK
    )
    await answer(life, number, "Another answer.")
    assert await told(life) == [WORK, ADA]


@pytest.mark.parametrize("first", ["answer", "forget"])
async def test_nobody_is_told_who_is_being_forgotten(life: Living, first: str) -> None:
    number = await says(life, await life.play({"ada": 2, "ben": 1}))
    visitor = await life.logged_in(ADA)
    await life.pool.execute(WANTS, ADA, "important")
    ada = await life.player_of(ADA)
    acts = {"answer": lambda: answer(life, number), "forget": lambda: forget(visitor, ada)}
    async with holding(life, LOCK_PEOPLE) as held:
        await held.then(acts[first]())
        await held.then(acts[next(each for each in acts if each != first)]())
    answers = {each.request.url.path: each.status_code for each in await held.answers()}
    assert answers.pop(DISPUTES) in {200, 404}
    assert list(answers.values()) == [303]
    assert await life.holding("ada@", "twin", "sat in for her") == {}


async def test_staff_are_told_how_many_wait_for_them(life: Living) -> None:
    nights = [await life.play({"ada": 2, "ben": 1}, on=f"2026-01-0{day}") for day in (1, 2, 3, 4)]
    for night in nights:
        await says(life, night)
    now = life.service.service.process.outbox.now

    async def waits() -> float | None:
        registry = CollectorRegistry()
        part = asyncio.create_task(tell_disputes(life.pool, now, registry))

        async def is_told() -> bool:
            return registry.get_sample_value(FIGURE) is not None

        await until(is_told)
        part.cancel()
        return registry.get_sample_value(FIGURE)

    assert await waits() == 0
    late = STAFF_AFTER + timedelta(seconds=1)
    await life.pool.execute("UPDATE mahjic.disputes SET said_at = said_at - $1::interval", late)
    assert await waits() == 4
    # One is answered, one resolved, and one taken back.
    listed = await life.service.client.get(
        f"{DISPUTES}?state=with_staff", headers=bearer(await life.service.operator_key())
    )
    numbers = [each["number"] for each in listed.json()["disputes"]]
    assert len(numbers) == 4
    await answer(life, numbers[0])
    assert await waits() == 3
    staff = await life.service.operator_key()
    assert (await void(life.service, nights[1], staff)).status_code == 201
    assert await waits() == 2
    async with life.pool.acquire() as connection, connection.transaction():
        await take_back(connection, await life.player_of(ADA), nights[2])
    assert await waits() == 1
