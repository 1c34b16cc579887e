"""What Stripe has refused is asked for anew by the next press, not for a day with the same key."""

from dataclasses import replace

import pytest

from services.verification.stripe.port import CheckoutNow, StripeAway, StripeFailed, StripeRefused
from tests.verification.life.story import Story


def moves(story: Story) -> None:
    """Give the site another address; Stripe refuses that with a key that it knows."""
    room = story.world.room
    accounts = replace(room.accounts, site_url=lambda: "https://elsewhere.example")
    story.world.room = replace(room, accounts=accounts)


async def test_whoever_was_refused_a_page_gets_one_by_the_next_press(story: Story) -> None:
    ann, *_ = story.people
    # She has a customer, and then the answer about her page gets lost.
    story.world.acts.expire(await story.opens_page(ann))
    story.world.switches.lose = 1
    with pytest.raises(StripeAway):
        await story.opens_page(ann)
    moves(story)
    with pytest.raises(StripeRefused):
        await story.opens_page(ann)
    await story.pays(ann)


async def test_whoever_was_refused_a_check_can_begin_one_by_the_next_press(story: Story) -> None:
    ann, *_ = story.people
    story.world.switches.lose = 1
    with pytest.raises(StripeAway):
        await story.begins_check(ann)
    moves(story)
    with pytest.raises(StripeRefused):
        await story.begins_check(ann)
    await story.becomes_verified(ann)


async def test_whoever_met_a_fault_of_stripes_gets_a_page_by_the_next_press(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stripe remembers an answer of 500 with the key, as any other answer."""
    ann, *_ = story.people
    stripe = story.world.room.opened.stripe
    opens, failed = stripe.open_checkout, set[str]()

    async def open_checkout(key: str, customer_id: str, **where: str) -> CheckoutNow:
        if not failed or key in failed:
            failed.add(key)
            raise StripeFailed
        return await opens(key, customer_id, **where)

    monkeypatch.setattr(stripe, "open_checkout", open_checkout)
    with pytest.raises(StripeFailed):
        await story.opens_page(ann)
    await story.pays(ann)
