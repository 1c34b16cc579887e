"""What Stripe has refused is asked for anew by the next press, not for a day with the same key."""

from dataclasses import replace

import pytest

from services.verification.stripe.port import StripeAway, StripeRefused
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
