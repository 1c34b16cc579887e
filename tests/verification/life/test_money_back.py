"""Money that somebody wants back comes back, also if it could not at first."""

from dataclasses import replace
from datetime import timedelta

from services.verification.own.recalling import read_told
from services.verification.own.told import ToldVerified
from services.verification.starting import get_money_back
from tests.verification.histories.world import Someone
from tests.verification.life.story import Story


async def presses(story: Story, who: Someone) -> None:
    """Press the button that gives the money back."""
    await get_money_back(story.world.room, story.world.login(who))


async def told(story: Story, who: Someone) -> ToldVerified:
    return await read_told(story.world.room, story.world.login(who), who.player_id)


async def test_what_a_dispute_kept_from_going_back_goes_back_once_that_is_won(
    story: Story,
) -> None:
    ann, *_ = story.people
    await story.pays(ann)
    await story.goes_on()
    await presses(story, ann)
    (invoice_id,) = story.world.account.invoices
    # Her bank is faster than our worker.
    story.world.acts.open_dispute(invoice_id)
    await story.goes_on()
    assert (await told(story, ann)).money_back_until is None
    story.world.acts.close_dispute(invoice_id, "won")
    await story.passes_time(timedelta(days=20))
    assert (await told(story, ann)).money_back_until is not None
    await presses(story, ann)
    await story.goes_on()
    assert (await told(story, ann)).payment == "returned"
    (subscription,) = story.world.account.subscriptions.values()
    assert subscription.status == "canceled"


async def test_a_refund_that_her_bank_did_not_take_can_be_asked_for_again(story: Story) -> None:
    ann, *_ = story.people
    await story.pays(ann)
    await story.goes_on()
    await presses(story, ann)
    assert (await told(story, ann)).payment == "returning"
    await story.goes_on()
    assert (await told(story, ann)).payment == "returned"
    # Days later the refund fails, and the money is with us again.
    story.world.clock.forward(days=5)
    account = story.world.account
    (charge_id,), (refund_id,) = account.charges, account.refunds
    account.charges[charge_id] = replace(account.charges[charge_id], refunded_cents=0)
    account.tell("refund.failed", refund_id)
    await story.goes_on()
    assert (await told(story, ann)).payment == "paid"
    assert (await told(story, ann)).money_back_until is not None
    await presses(story, ann)
    await story.goes_on()
    assert (await told(story, ann)).payment == "returned"
    assert sum(each.amount_cents for each in account.refunds.values()) == 2 * 2000


async def test_money_that_was_paid_in_two_parts_comes_back_whole(story: Story) -> None:
    ann, *_ = story.people
    subscription_id = await story.pays(ann)
    await story.goes_on()
    # The first year goes by, and the second is paid by two cards.
    account = story.world.account
    story.world.clock.now = account.subscriptions[subscription_id].period_end
    story.world.acts.renew(subscription_id, parts=2)
    await story.goes_on()
    await presses(story, ann)
    # The answer is lost after the first part has gone back.
    story.world.switches.lose = 1
    await story.goes_on()
    first, *parts = account.charges.values()
    assert [each.refunded_cents for each in parts] == [1000, 0]
    await story.passes_time(timedelta(minutes=31))
    assert first.refunded_cents == 0
    assert [each.refunded_cents for each in parts] == [1000, 1000]
    assert account.subscriptions[subscription_id].status == "canceled"
