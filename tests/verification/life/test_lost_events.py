"""If no event ever comes, asking Stripe for all that is open finds the same, every night."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from services.verification.work.clock import tick
from services.verification.work.reconciling import look_at_all
from tests.verification.histories.world import Someone
from tests.verification.life.story import Story
from tests.verification.stripe.account.holdings import Invoice
from tests.verification.stripe.account.odd import ODD

Change = Callable[[Story, Someone], Awaitable[None]]
DAY: Final = timedelta(days=1)
DOUBTED: Final = "SELECT dispute, refunded_cents FROM mahjic.payments ORDER BY paid_at DESC"
STANDS: Final = "SELECT renews, status FROM mahjic.subscriptions"
CHECKS: Final = "SELECT state, error_code, passed_at FROM mahjic.identity_checks"


async def asks_at_night(story: Story) -> None:
    """Let the next night come; whatever Stripe tells gets lost."""
    story.world.take_new_events()
    now = story.world.clock.now
    story.world.clock.now = datetime(now.year, now.month, now.day, 8, tzinfo=UTC) + DAY
    await tick(story.world.room)
    await story.world.work()


async def asks_when_staff_want(story: Story) -> None:
    """Have an operator ask for everything."""
    story.world.take_new_events()
    await look_at_all(story.pool, story.world.clock())
    await story.world.work()


ASKS: Final = (asks_at_night, asks_when_staff_want)


def invoice_of(story: Story) -> Invoice:
    return list(story.world.account.invoices.values())[-1]


@pytest.mark.parametrize("asks", ASKS)
async def test_a_whole_life_is_found_without_a_single_event(
    story: Story, asks: Callable[[Story], Awaitable[None]]
) -> None:
    ann, *_ = story.people
    acts = story.world.acts
    subscription_id = await story.pays(ann)
    await asks(story)
    assert tuple((await story.pool.fetch(STANDS))[0]) == (True, "active")
    session_id = await story.begins_check(ann)
    acts.begin_processing(session_id)
    await asks(story)
    assert tuple((await story.pool.fetch(CHECKS))[0])[:2] == ("processing", None)
    acts.fail_check(session_id, "document_expired")
    await asks(story)
    assert tuple((await story.pool.fetch(CHECKS))[0])[:2] == ("requires_input", "document_expired")
    acts.pass_check(session_id, ODD)
    await asks(story)
    assert await story.is_verified(ann)
    acts.cancel_at_period_end(subscription_id)
    await asks(story)
    assert tuple((await story.pool.fetch(STANDS))[0]) == (False, "active")
    acts.renew_after_all(subscription_id)
    await asks(story)
    assert tuple((await story.pool.fetch(STANDS))[0]) == (True, "active")
    story.world.clock.now = story.world.account.subscriptions[subscription_id].period_end
    acts.renew(subscription_id, parts=2)
    await asks(story)
    assert len(await story.pool.fetch(DOUBTED)) == 2
    acts.open_dispute(invoice_of(story).id)
    await asks(story)
    assert tuple((await story.pool.fetch(DOUBTED))[0]) == ("open", 0)
    assert await story.is_verified(ann)
    acts.close_dispute(invoice_of(story).id, "lost")
    await asks(story)
    assert tuple((await story.pool.fetch(DOUBTED))[0]) == ("lost", 0)
    assert not await story.is_verified(ann)
    assert await story.facts_about(ann) == ["begun", "ended"]
    # Whoever has had their bank take the money back is not asked for more.
    assert story.world.account.subscriptions[subscription_id].status == "canceled"
    await story.pays(ann)
    await asks(story)
    assert await story.facts_about(ann) == ["begun", "ended", "begun"]
    acts.refund(invoice_of(story).id)
    await asks(story)
    assert await story.facts_about(ann) == ["begun", "ended", "begun", "ended"]


async def test_a_page_or_a_check_whose_answer_was_lost_is_found_too(story: Story) -> None:
    """The process was killed after Stripe had made it, and before it was noted here."""
    ann, *_ = story.people
    await story.pays(ann)
    session_id = await story.begins_check(ann)
    story.world.take_new_events()
    await story.pool.execute("UPDATE mahjic.stripe_requests SET object_id = NULL")
    await story.pool.execute("UPDATE mahjic.identity_checks SET session_id = NULL, state = 'asked'")
    await asks_at_night(story)
    (payment,) = await story.pool.fetch(DOUBTED)
    assert payment["refunded_cents"] == 0
    # Of a check nobody can list, the press that is repeated finds it.
    assert await story.begins_check(ann) == session_id
    story.world.acts.pass_check(session_id, ODD)
    await asks_at_night(story)
    assert await story.is_verified(ann)
