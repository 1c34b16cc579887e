"""Whoever is forgotten is gone at Stripe too; payments and the hash of the document stay."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import pytest

from services.verification.starting import get_money_back
from services.verification.work.clock import tick
from tests.db.rows import rows_by_table
from tests.verification.histories.world import Someone
from tests.verification.life.story import Story
from tests.verification.stripe.account.odd import ODD, a_document

Before = Callable[[Story, Someone], Awaitable[None]]
# What may still name a customer or a session: that some event was seen to, for 90 days.
INBOX: Final = "mahjic.stripe_events"
LEFT: Final = """
SELECT (SELECT count(*) FROM mahjic.enrollments) + (SELECT count(*) FROM mahjic.subscriptions)
    + (SELECT count(*) FROM mahjic.identity_checks) + (SELECT count(*) FROM mahjic.stripe_requests)
    + (SELECT count(*) FROM mahjic.verification_doubts)
"""
HASHES: Final = "SELECT person_hash, enrollment_id, kept_until FROM mahjic.document_hashes"


async def has_only_begun(story: Story, ann: Someone) -> None:
    await story.opens_page(ann)
    await story.begins_check(ann)
    await story.goes_on()


async def has_paid(story: Story, ann: Someone) -> None:
    await story.pays(ann)
    await story.goes_on()


async def has_paid_unseen(story: Story, ann: Someone) -> None:
    await story.pays(ann)


async def has_paid_untold(story: Story, ann: Someone) -> None:
    """Pay just before, and no event ever comes."""
    await story.pays(ann)
    story.world.take_new_events()


async def has_failed(story: Story, ann: Someone) -> None:
    await story.pays(ann)
    story.world.acts.fail_check(await story.begins_check(ann))
    await story.goes_on()


async def is_processed(story: Story, ann: Someone) -> None:
    await story.pays(ann)
    story.world.acts.begin_processing(await story.begins_check(ann))
    await story.goes_on()


async def is_verified(story: Story, ann: Someone) -> None:
    await story.becomes_verified(ann, ODD)


async def has_passed_unseen(story: Story, ann: Someone) -> None:
    await story.pays(ann)
    await story.shows(ann, ODD)


async def is_in_grace(story: Story, ann: Someone) -> None:
    await story.becomes_verified(ann, ODD)
    ann.has_bad_card = True
    await story.passes_time(timedelta(days=370))
    assert await story.is_verified(ann)


async def is_held(story: Story, ann: Someone) -> None:
    await story.becomes_verified(story.people[1], ODD)
    await story.pays(ann)
    await story.shows(ann, ODD)
    await story.goes_on()


async def waits_for_money_back(story: Story, ann: Someone) -> None:
    await has_paid(story, ann)
    await get_money_back(story.world.room, story.world.login(ann))


async def disputes(story: Story, ann: Someone) -> None:
    await story.becomes_verified(ann, ODD)
    assert ann.customer_id is not None
    (invoice,) = story.world.account.invoices_of(ann.customer_id)
    story.world.acts.open_dispute(invoice.id)
    await story.goes_on()


BEFORE: Final[tuple[Before, ...]] = (
    has_only_begun,
    has_paid,
    has_paid_unseen,
    has_paid_untold,
    has_failed,
    is_processed,
    is_verified,
    has_passed_unseen,
    is_in_grace,
    is_held,
    waits_for_money_back,
    disputes,
)


def finish_at_stripe(story: Story) -> None:
    """Have Stripe decide about what it still looks at, and say that what it erased is erased."""
    for check in story.world.account.checks.values():
        if check.state == "processing":
            story.world.acts.pass_check(check.id, a_document(99))


async def check_gone(story: Story, ann: Someone, checks: list[str]) -> None:
    """Check that nothing of somebody is left, here or at Stripe, but what they paid."""
    account = story.world.account
    if ann.customer_id is not None:
        assert account.customers[ann.customer_id].is_deleted
        subscriptions = account.subscriptions_of(ann.customer_id)
        assert {each.status for each in subscriptions} <= {"canceled"}
    for session_id in checks:
        check = account.checks[session_id]
        assert check.redaction is not None or check.state == "canceled", session_id
        assert check.metadata == {}
        if check.report_id is not None:
            assert account.reports[check.report_id].document is None
    tables = await rows_by_table(story.pool)
    traces = (ann.account_id, ann.address, str(ann.customer_id), *checks)
    holders = {
        name
        for name, rows in tables.items()
        for trace in traces
        if name != INBOX and trace in "\n".join(rows)
    }
    assert holders == set()
    paid = [each for each in account.invoices_of(ann.customer_id or "") if each.paid_at]
    for invoice in paid:
        (row,) = [each for each in tables["mahjic.payments"] if invoice.id in each]
        assert str(invoice.paid_at) in row
        assert "\n2000\nusd\n" in row


@pytest.mark.parametrize("before", BEFORE, ids=lambda each: each.__name__)
async def test_all_of_it_ends_while_stripe_is_away_and_later(story: Story, before: Before) -> None:
    ann, *_ = story.people
    await before(story, ann)
    # Whose check is held has begun theirs last; the other one stays.
    checks = list(story.world.account.checks)[1 if before is is_held else 0 :]
    was_verified = await story.is_verified(ann)
    story.world.switches.away = "fails"
    await story.is_forgotten(ann)
    await story.goes_on()
    assert not await story.is_verified(ann)
    assert await story.facts_about(ann) == (["begun", "ended"] if was_verified else [])
    # For a day Stripe gives no answer, and the one to what it did at last is lost.
    await story.passes_time(timedelta(days=1))
    story.world.switches.away = None
    story.world.switches.lose = 2
    for _ in range(6):
        await story.passes_time(timedelta(minutes=31))
    finish_at_stripe(story)
    for _ in range(3):
        await story.passes_time(timedelta(minutes=31))
    await check_gone(story, ann, checks)
    if before is not is_held:
        assert await story.pool.fetchval(LEFT) == 0
    assert await story.facts_about(ann) == (["begun", "ended"] if was_verified else [])


async def test_of_a_document_its_hash_alone_stays_for_a_year(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann, ODD)
    (before,) = await story.pool.fetch(HASHES)
    assert before["person_hash"] is not None
    await story.is_forgotten(ann)
    await story.goes_on()
    (after,) = await story.pool.fetch(HASHES)
    assert (after["person_hash"], after["enrollment_id"]) == (None, None)
    assert after["kept_until"] == story.world.clock() + timedelta(days=365)
    await story.passes_time(timedelta(days=366))
    assert await story.pool.fetch(HASHES) == []


@pytest.mark.parametrize("luck", range(3))
async def test_a_worker_in_the_middle_brings_nothing_back(story: Story, luck: int) -> None:
    """Somebody is forgotten while two workers write down that the check has passed."""
    ann, *_ = story.people
    await story.pays(ann)
    await story.shows(ann, ODD)
    checks = list(story.world.account.checks)
    chance = random.Random(luck)
    await story.world.deliver(story.world.take_new_events())
    at, reads = chance.randrange(1, 12), 0

    async def travel() -> None:
        nonlocal reads
        reads += 1
        if reads == at:
            await story.is_forgotten(ann)
            await tick(story.world.room)

    story.world.switches.travel = travel
    await asyncio.gather(story.world.work(), story.world.work())
    story.world.switches.travel = None
    assert ann.is_forgotten
    for _ in range(4):
        await story.passes_time(timedelta(minutes=31))
    assert not await story.is_verified(ann)
    assert await story.facts_about(ann) in ([], ["begun", "ended"])
    await check_gone(story, ann, checks)
    assert await story.pool.fetchval(LEFT) == 0


async def test_whoever_is_joined_with_somebody_is_forgotten_with_them(story: Story) -> None:
    ann, ben, _ = story.people
    await story.becomes_verified(ann, ODD)
    await story.becomes_verified(ben, a_document(1))
    checks = list(story.world.account.checks)
    await story.are_merged(ann, into=ben)
    await story.is_forgotten(ben)
    for _ in range(4):
        await story.passes_time(timedelta(minutes=31))
    for each in (ann, ben):
        await check_gone(story, each, checks)
    assert await story.pool.fetchval(LEFT) == 0
