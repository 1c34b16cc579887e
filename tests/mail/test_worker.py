"""What becomes of each mail: noted at once, tried again, given up, never in two hands."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

import asyncpg
from prometheus_client import CollectorRegistry, generate_latest

from services.mail.keeping import MailFigures, tidy
from services.mail.posts import MailHold, MailPutOff, MailRefused, PostAway
from services.mail.waits import mail_wait
from services.mail.worker import MailWorker
from shared.db.bell import Bell
from shared.mail.no_more import end_mail
from shared.mail.taking import TAKE, MailQueue, TakenMail
from tests.conftest import Database
from tests.log.deadlines import LOOK_S, until
from tests.mail.letters import START, AnOutbox, Clock, a_letter

# As if so many more had been queued, one a second.
MANY_MORE = """
INSERT INTO mahjic.mails (
    mail_id, kind, address, is_asked_for, subject, plain, html, no_more_url,
    queued_at, good_until, due_at
) SELECT 'more_' || n, kind, address, is_asked_for, subject, plain, html, no_more_url,
    queued_at, good_until, due_at + n * interval '1 second'
FROM mahjic.mails, generate_series(1, $1::integer) AS more (n)
"""


@dataclass
class APost:
    """Takes mails, or does what is next in `answers`."""

    answers: list[Exception] = field(default_factory=list)
    taken: list[TakenMail] = field(default_factory=list)
    in_hand: set[str] = field(default_factory=set)
    opened: asyncio.Event | None = None

    async def send(self, hold: MailHold) -> None:
        assert hold.mail.mail_id not in self.in_hand, "It is in two hands."
        self.in_hand.add(hold.mail.mail_id)
        try:
            await (self.opened.wait() if self.opened else asyncio.sleep(0))
            hold.check()
            if self.answers:
                raise self.answers.pop(0)
            self.taken.append(hold.mail)
        finally:
            self.in_hand.remove(hold.mail.mail_id)

    async def close(self) -> None:
        pass


@dataclass
class Sending:
    """A worker with its outbox, post and figures; its clocks are wound by hand."""

    pool: asyncpg.Pool
    outbox: AnOutbox
    post: APost
    seconds: float = 0

    def __post_init__(self) -> None:
        self.registry = CollectorRegistry()
        self.figures = MailFigures(self.registry, is_sent=True)
        self.queue = MailQueue(self.pool, self.outbox.hashes, "mahjic.example")

    def worker(self, post: APost | None = None) -> MailWorker:
        return MailWorker(
            self.queue,
            lambda: post or self.post,
            Bell(),
            self.outbox.clock.now,
            lambda: self.seconds,
            self.figures.tally,
        )

    def wind(self, by: timedelta) -> None:
        self.outbox.clock.wind(by)
        self.seconds += by.total_seconds()

    async def row(self) -> asyncpg.Record:
        row = await self.pool.fetchrow("SELECT * FROM mahjic.mails")
        assert row is not None
        return row

    async def until_state(self, state: str) -> None:
        async def there() -> bool:
            return str((await self.row())["state"]) == state

        await until(there)

    async def until_tried(self, tries: int) -> None:
        async def there() -> bool:
            row = await self.row()
            return row["tries"] == tries and row["lease"] is None

        await until(there)


def sending(database: Database, *answers: Exception) -> Sending:
    return Sending(database.pool, AnOutbox(Clock()), APost(list(answers)))


@contextlib.asynccontextmanager
async def running(*workers: MailWorker) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        assert task.cancelled(), task.exception()


async def test_a_mail_that_was_sent_loses_what_it_said(database: Database) -> None:
    here = sending(database)
    await here.outbox.queue(database.pool, a_letter(is_asked_for=False))
    async with running(here.worker()):
        await here.until_state("sent")
    (mail,) = here.post.taken
    assert mail.text == "Type 7K3Q-9XZM.\n"
    assert mail.message_id == "mail_0000000000000001@mahjic.example"
    row = await here.row()
    lost = ("subject", "plain", "html", "no_more_url", "lease", "leased_until")
    assert [row[name] for name in lost] == [None] * 6
    assert (row["settled_at"], row["tries"]) == (START, 1)
    assert b'mahjic_mails_total{kind="proof",outcome="sent"} 1.0' in generate_latest(here.registry)


async def test_a_mail_that_was_put_off_waits_longer_each_time_and_for_two_days(
    database: Database,
) -> None:
    here = sending(database, *(MailPutOff(451) for _ in range(100)))
    await here.outbox.queue(database.pool, a_letter())
    message_ids, tries, end = set(), 0, START + timedelta(days=2)
    async with running(here.worker()):
        while here.outbox.clock.now() + mail_wait(tries + 1) < end:
            tries += 1
            await here.until_tried(tries)
            row = await here.row()
            message_ids.add(row["message_id"])
            assert row["due_at"] == here.outbox.clock.now() + mail_wait(tries)
            assert row["smtp_code"] == 451
            here.wind(row["due_at"] - here.outbox.clock.now())
        await here.until_state("given_up")
    row = await here.row()
    assert (row["state"], row["plain"], row["smtp_code"]) == ("given_up", None, 451)
    assert START + timedelta(hours=43) < row["settled_at"] < START + timedelta(days=2)
    assert row["tries"] >= 15
    assert len(message_ids) == 1


async def test_a_mail_that_was_refused_marks_its_address_until_one_arrives(
    database: Database,
) -> None:
    here = sending(database, MailRefused(550))
    await here.outbox.queue(database.pool, a_letter())
    async with running(here.worker()):
        await here.until_state("refused")
    assert (await here.row())["smtp_code"] == 550
    marks = await database.pool.fetch("SELECT * FROM mahjic.unreachable_addresses")
    assert [tuple(each) for each in marks] == [("carol@example.com", START, 550)]
    assert await here.outbox.queue(database.pool, a_letter(is_asked_for=False)) is None
    await database.pool.execute("DELETE FROM mahjic.mails")
    await here.outbox.queue(database.pool, a_letter())
    async with running(here.worker()):
        await here.until_state("sent")
    assert await database.pool.fetch("SELECT * FROM mahjic.unreachable_addresses") == []


async def test_trouble_of_the_server_is_counted_against_no_mail(database: Database) -> None:
    here = sending(database, *(PostAway("it is away") for _ in range(3)))
    await here.outbox.queue(database.pool, a_letter())
    async with running(here.worker()):
        async with asyncio.timeout(20):
            while here.post.answers:
                await asyncio.sleep(0.02)
                here.seconds += 1
        await here.until_state("sent")
    assert (await here.row())["tries"] == 1


async def test_who_ended_their_mail_after_it_was_queued_does_not_get_it(database: Database) -> None:
    here = sending(database)
    assert here.outbox.hashes is not None
    await here.outbox.queue(database.pool, a_letter(is_asked_for=False))
    await end_mail(database.pool, here.outbox.hashes.of("carol@example.com"), at=START)
    async with running(here.worker()):
        await here.until_state("unwanted")
    assert here.post.taken == []
    assert (await here.row())["plain"] is None


async def test_a_mail_that_is_to_wait_waits(database: Database) -> None:
    here = sending(database)
    later = START + timedelta(minutes=15)
    async with database.pool.acquire() as connection, connection.transaction():
        await here.outbox.port.queue(connection, a_letter(), not_before=later)
    assert await here.queue.take("a", now=later - timedelta(seconds=1)) is None
    assert await here.queue.take("a", now=later) is not None


async def test_what_somebody_waits_for_never_stands_behind_what_nobody_asked_for(
    database: Database,
) -> None:
    here = sending(database)
    for number in range(30):
        await here.outbox.queue(database.pool, a_letter(f"{number}@a.example", is_asked_for=False))
        here.wind(timedelta(seconds=1))
    for number in range(3):
        await here.outbox.queue(database.pool, a_letter(f"{number}@b.example"))
        here.wind(timedelta(seconds=1))
    later = here.outbox.clock.now() + timedelta(minutes=15)
    async with database.pool.acquire() as connection, connection.transaction():
        await here.outbox.port.queue(connection, a_letter("to-wait@b.example"), not_before=later)
    taken = [await here.queue.take(str(at), now=later - timedelta(seconds=1)) for at in range(34)]
    assert taken[-1] is None
    assert [each and each.address for each in taken[:-1]] == [
        *(f"{number}@b.example" for number in range(3)),
        *(f"{number}@a.example" for number in range(30)),
    ]


async def test_taking_a_mail_reads_no_more_rows_when_more_of_them_wait(database: Database) -> None:
    here = sending(database)
    await here.outbox.queue(database.pool, a_letter(is_asked_for=False))
    await database.pool.execute(MANY_MORE, 20_000)
    await database.pool.execute("ANALYZE mahjic.mails")
    now = START + timedelta(minutes=1)
    arguments = (now, "lease", now + timedelta(minutes=1), "@mahjic.example")
    plan = "\n".join(row[0] for row in await database.pool.fetch(f"EXPLAIN {TAKE}", *arguments))
    assert "mails_due" in plan, plan
    assert "Sort" not in plan, plan


async def test_what_is_good_no_more_is_not_sent_and_given_up(database: Database) -> None:
    here = sending(database)
    await here.outbox.queue(database.pool, a_letter(good_for=timedelta(minutes=15)))
    now = START + timedelta(minutes=15)
    assert await here.queue.take("a", now=now) is None
    await tidy(here.queue, here.figures, now=now)
    assert (await here.row())["state"] == "given_up"
    assert b'outcome="given_up"} 1.0' in generate_latest(here.registry)
    await tidy(here.queue, here.figures, now=now + timedelta(days=29))
    assert await database.pool.fetchval("SELECT count(*) FROM mahjic.mails") == 1
    await tidy(here.queue, here.figures, now=now + timedelta(days=30))
    assert await database.pool.fetchval("SELECT count(*) FROM mahjic.mails") == 0


async def test_a_mail_whose_worker_was_killed_is_sent_by_another_and_has_one_message_id(
    database: Database,
) -> None:
    here = sending(database)
    await here.outbox.queue(database.pool, a_letter())
    first = await here.queue.take("of who is killed", now=START)
    assert first is not None
    assert await here.queue.take("another", now=START + timedelta(seconds=59)) is None
    elsewhere = MailQueue(database.pool, here.outbox.hashes, "other.example")
    second = await elsewhere.take("another", now=START + timedelta(seconds=60))
    assert second is not None
    assert second.message_id == first.message_id
    # The first was only slow: what it says late changes nothing, but that it was sent is true.
    assert await here.queue.renew(["of who is killed"], now=START) == set()
    await here.queue.put_back(first)
    assert (await here.row())["lease"] == "another"
    await here.queue.sent(first, now=START)
    await elsewhere.refused(second, 550, now=START)
    assert (await here.row())["state"] == "sent"
    assert await database.pool.fetch("SELECT * FROM mahjic.unreachable_addresses") == []


async def test_a_mail_that_takes_long_stays_in_the_hands_of_its_worker(database: Database) -> None:
    here = sending(database)
    here.queue = MailQueue(
        database.pool, here.outbox.hashes, "mahjic.example", timedelta(0.5 / 86400)
    )
    here.post.opened = asyncio.Event()
    await here.outbox.queue(database.pool, a_letter())

    async def is_renewed() -> bool:
        here.wind(timedelta(seconds=LOOK_S))
        leased_until = (await here.row())["leased_until"]
        return leased_until is not None and leased_until > START + timedelta(seconds=2)

    async with running(here.worker(), here.worker()):
        await until(is_renewed)
        here.post.opened.set()
        await here.until_state("sent")
    assert len(here.post.taken) == 1


async def test_many_workers_send_each_mail_once(database: Database) -> None:
    here = sending(database)
    for number in range(200):
        await here.outbox.queue(database.pool, a_letter(f"p{number}@example.com"))

    async def are_sent() -> bool:
        return not await database.pool.fetchval(
            "SELECT count(*) FROM mahjic.mails WHERE state = 'queued'"
        )

    async with running(here.worker(), here.worker()):
        await until(are_sent)
    addresses = sorted(mail.address for mail in here.post.taken)
    assert addresses == sorted(f"p{number}@example.com" for number in range(200))


async def test_figures_tell_how_many_wait_and_how_late_the_first_is(database: Database) -> None:
    here = sending(database)
    addresses = [f"{name}@example.com" for name in random.Random(1).sample("abcdef", 3)]
    for address in addresses:
        await here.outbox.queue(database.pool, a_letter(address))
    await tidy(here.queue, here.figures, now=START + timedelta(seconds=90))
    shown = generate_latest(here.registry).decode()
    assert "mahjic_mail_queued 3.0" in shown
    assert "mahjic_mail_late_seconds 90.0" in shown
    assert "@" not in shown
