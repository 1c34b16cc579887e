"""Before time ends anything, Stripe is asked; and what it does not show keeps nothing else back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from services.verification.stripe.port import DocumentRead, StripeRefused
from services.verification.work.clock import tick
from tests.verification.life.story import Story
from tests.verification.stripe.account.odd import a_document

YEAR_END = datetime(2028, 3, 1, 12, tzinfo=UTC)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
PAID = "SELECT count(*) FROM mahjic.payments"


async def test_whoever_renewed_while_all_stood_still_for_weeks_stays_verified(
    story: Story,
) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann)
    story.world.clock.now = YEAR_END
    story.world.take_turns()
    story.world.take_new_events()  # Nobody is there to take them.
    story.world.clock.now += 3 * WEEK
    for _ in range(2):
        await tick(story.world.room)
        assert await story.is_verified(ann)
        await story.world.work()
    assert await story.facts_about(ann) == ["begun"]
    assert len(await story.mails_to(ann)) == 1


async def test_whoever_did_not_renew_is_no_longer_verified_after_that(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann)
    ann.has_bad_card = True
    await story.passes_time(YEAR_END + 3 * WEEK - story.world.clock())
    assert await story.facts_about(ann) == ["begun", "ended"]


async def test_time_ends_it_all_the_same_if_stripe_says_nothing_for_days(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann)
    story.world.clock.now = YEAR_END + 3 * WEEK
    story.world.switches.away = "hangs_up"
    for _ in range(3):
        await tick(story.world.room)
        await story.world.work()
        assert await story.is_verified(ann)
        story.world.clock.now += DAY
    await tick(story.world.room)
    assert await story.facts_about(ann) == ["begun", "ended"]


async def test_without_an_account_at_stripe_time_alone_ends_it(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann)
    story.world.clock.now = YEAR_END + 3 * WEEK
    await tick(replace(story.world.room, stripe_account=None))
    assert await story.facts_about(ann) == ["begun", "ended"]


async def test_a_merged_player_who_pays_is_asked_about_as_well(story: Story) -> None:
    ann, ben, *_ = story.people
    await story.becomes_verified(ann)
    await story.are_merged(ann, into=ben)
    await story.goes_on()
    story.world.clock.now = YEAR_END
    story.world.take_turns()
    story.world.take_new_events()
    story.world.clock.now += 3 * WEEK
    await tick(story.world.room)
    await story.world.work()
    await tick(story.world.room)
    assert await story.is_verified(ben)
    assert await story.facts_about(ann) == ["begun"]
    assert await story.facts_about(ben) == []


async def test_a_document_that_may_not_be_seen_keeps_no_payment_from_being_seen(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, *_ = story.people

    async def refused(_: str) -> DocumentRead:
        raise StripeRefused("forbidden", "req_1")

    await story.pays(ann)
    await story.shows(ann, a_document(0))
    with monkeypatch.context() as patched:
        patched.setattr(story.world.room.opened.stripe, "document", refused)
        await story.goes_on()
    assert await story.pool.fetchval(PAID) == 1
    assert not await story.is_verified(ann)
    # Once the key may see it, what was put off finds that the check has passed.
    await story.passes_time(timedelta(minutes=31))
    assert await story.is_verified(ann)
