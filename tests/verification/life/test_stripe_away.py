"""While Stripe gives no answer, its buttons say so; all else goes on, and is caught up later."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import pytest

from services.verification.starting import be_checked, get_money_back, pay, see_receipts
from services.verification.stripe.inbox import add_event
from services.verification.stripe.port import StripeAway
from tests.verification.life.story import Story
from tests.verification.stripe.account.odd import ODD, a_document

AWAY_SINCE: Final = "SELECT away_since FROM mahjic.verification_place"
UNDONE: Final = """
SELECT (SELECT count(*) FROM mahjic.stripe_events WHERE done_at IS NULL)
    + (SELECT count(*) FROM mahjic.stripe_requests WHERE due_at IS NOT NULL AND done_at IS NULL)
"""
HOUR: Final = timedelta(hours=1)
Press = Callable[[Story], Awaitable[object]]

PRESSES: Final[dict[str, Press]] = {
    "pay": lambda s: pay(s.world.room, s.world.login(s.people[2]), (s.people[2].player_id,)),
    "be checked": lambda s: be_checked(
        s.world.room, s.world.login(s.people[2]), (s.people[2].player_id,)
    ),
    "see receipts": lambda s: see_receipts(s.world.room, s.world.login(s.people[1])),
}
# Pages, checks and customers in all: Ben has paid before, and Carl presses.
MADE: Final = {"pay": (2, 0, 2), "be checked": (1, 1, 1), "see receipts": (1, 0, 1)}


async def test_a_day_without_stripe_is_noted_and_caught_up(story: Story) -> None:
    ann, ben, _ = story.people
    subscription_id = await story.becomes_verified(ann, ODD)
    await story.pays(ben)
    await story.goes_on()
    assert await story.pool.fetchval(AWAY_SINCE) is None
    story.world.switches.away = "fails"
    went_at = story.world.clock()
    # Meanwhile people act at Stripe's own pages, and a button here takes what can wait.
    await get_money_back(story.world.room, story.world.login(ben))
    story.world.acts.cancel_at_period_end(subscription_id)
    await story.goes_on()
    for _ in range(24):
        await story.passes_time(HOUR)
        assert await story.pool.fetchval(AWAY_SINCE) == went_at
    assert await story.pool.fetchval(UNDONE) > 0
    assert await story.is_verified(ann)
    story.world.switches.away = None
    await story.passes_time(HOUR)
    assert await story.pool.fetchval(AWAY_SINCE) is None
    await story.passes_time(HOUR)
    assert await story.pool.fetchval(UNDONE) == 0
    (row,) = await story.pool.fetch(
        "SELECT renews FROM mahjic.subscriptions WHERE subscription_id = $1", subscription_id
    )
    assert row["renews"] is False
    assert ben.customer_id is not None
    (charge,) = story.world.account.charges_of(ben.customer_id)
    assert charge.refunded_cents == charge.amount_cents
    assert await story.facts_about(ann) == ["begun"]


async def test_nothing_that_needs_no_answer_says_that_stripe_is_back(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann, ODD)
    story.world.switches.away = "fails"
    await story.passes_time(timedelta(days=1))
    went_at = await story.pool.fetchval(AWAY_SINCE)
    assert went_at is not None
    await story.passes_time(HOUR)
    # Events about things that are nobody's, and somebody who has only pressed a button.
    for number, object_id in enumerate((None, "prod_1", "price_1")):
        await add_event(story.pool, f"evt_{number}", "a.b", object_id, story.world.clock())
    with pytest.raises(StripeAway):
        await PRESSES["pay"](story)
    await story.pool.execute("UPDATE mahjic.enrollments SET look_due_at = $1", story.world.clock())
    await story.goes_on()
    assert await story.pool.fetchval(AWAY_SINCE) == went_at


@pytest.mark.parametrize("name", PRESSES)
async def test_a_button_says_that_stripe_is_away_and_makes_nothing_twice(
    story: Story, name: str
) -> None:
    _, ben, _ = story.people
    await story.pays(ben)
    await story.goes_on()
    for fault in ("away", "lost", "lost"):
        story.world.switches.away = "hangs_up" if fault == "away" else None
        story.world.switches.lose = int(fault == "lost")
        with pytest.raises(StripeAway):
            await PRESSES[name](story)
    story.world.switches.lose = 0
    for _ in range(2):
        await PRESSES[name](story)
    account = story.world.account
    assert (len(account.checkouts), len(account.checks), len(account.customers)) == MADE[name]


async def test_what_a_forgotten_person_left_is_cleared_once_stripe_is_back(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann, a_document(1))
    story.world.switches.away = "fails"
    await story.is_forgotten(ann)
    await story.passes_time(timedelta(days=3))
    assert await story.is_away()
    story.world.switches.away = None
    for _ in range(3):
        await story.passes_time(HOUR)
    assert not await story.is_away()
    assert await story.pool.fetchval("SELECT count(*) FROM mahjic.enrollments") == 0
