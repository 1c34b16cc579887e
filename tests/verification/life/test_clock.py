"""What time brings comes once, at its moment, also to a clock that stood still or was put back."""

from datetime import UTC, datetime, timedelta

import pytest

from services.verification.own.recalling import ask_for_look
from services.verification.settling import doubt
from services.verification.telling import VERIFIED_PATH
from services.verification.work.clock import tick
from tests.verification.deciding import SITE
from tests.verification.histories.world import Someone
from tests.verification.life.story import Story

# Who pays on March 1, 2027, at noon has paid for a leap year.
YEAR_END = datetime(2028, 3, 1, 12, tzinfo=UTC)
GRACE_END = datetime(2028, 3, 15, 12, tzinfo=UTC)
INSTANT, WEEK, DAY = timedelta(microseconds=1), timedelta(days=7), timedelta(days=1)
LOOKED_AT = "SELECT looked_at FROM mahjic.enrollments"
RECONCILED = "SELECT count(*) FROM mahjic.enrollments WHERE look_due_at IS NOT NULL"


async def verified_ann(story: Story, *, has_bad_card: bool = True) -> Someone:
    """Return somebody who became Verified, and whose next payment fails."""
    ann, *_ = story.people
    await story.becomes_verified(ann)
    ann.has_bad_card = has_bad_card
    return ann


async def comes(story: Story, moment: datetime) -> None:
    """Let a moment come without anybody having looked since the last one."""
    await story.passes_time(moment - story.world.clock())


async def looks_again(story: Story, ann: Someone) -> None:
    """Have it settled once more who is Verified, as after any change."""
    async with story.pool.acquire() as connection:
        await doubt(connection, ann.player_id)
    for _ in range(2):
        await tick(story.world.room)


def subjects(mails: list[str]) -> list[str]:
    """Return which letters those are."""
    told = {
        "From your next session on": "begun",
        "The payment for the next year has not come": "grace",
        "Your verified rating stays as it is": "ended",
    }
    return [
        next(news for words, news in told.items() if words in " ".join(mail.split()))
        for mail in mails
    ]


async def told(story: Story, ann: Someone) -> list[str]:
    return subjects(list(await story.mails_to(ann)))


async def test_the_days_of_grace_begin_and_end_at_their_moments_and_are_told_once(
    story: Story,
) -> None:
    ann = await verified_ann(story)
    assert await told(story, ann) == ["begun"]
    await comes(story, YEAR_END - INSTANT)
    assert await told(story, ann) == ["begun"]
    # Stripe takes hours to ask for the money; nobody is late on the first day.
    await comes(story, YEAR_END)
    await comes(story, YEAR_END + DAY - INSTANT)
    assert await told(story, ann) == ["begun"]
    for _ in range(3):
        await looks_again(story, ann)
        await story.passes_time(DAY)
    assert await story.is_verified(ann)
    assert await told(story, ann) == ["begun", "grace"]
    await comes(story, GRACE_END)
    assert await story.is_verified(ann)
    await comes(story, GRACE_END + INSTANT)
    assert not await story.is_verified(ann)
    for _ in range(3):
        await looks_again(story, ann)
        await story.passes_time(WEEK)
    assert await told(story, ann) == ["begun", "grace", "ended"]
    assert await story.facts_about(ann) == ["begun", "ended"]
    begun, grace, ended = (" ".join(each.split()) for each in await story.mails_to(ann))
    assert "This lasts until March 1, 2028, unless it is renewed." in begun
    assert "You stay Verified until March 15, 2028, and it will be tried again meanwhile." in grace
    assert "2028" not in ended
    for each in (begun, grace, ended):
        assert f"{SITE}{VERIFIED_PATH}" in each


async def test_what_was_canceled_ends_with_what_is_paid_without_days_of_grace(story: Story) -> None:
    ann, *_ = story.people
    subscription_id = await story.becomes_verified(ann)
    story.world.acts.cancel_at_period_end(subscription_id)
    await story.goes_on()
    await comes(story, YEAR_END - INSTANT)
    assert await story.is_verified(ann)
    await comes(story, YEAR_END)
    assert not await story.is_verified(ann)
    assert await told(story, ann) == ["begun", "ended"]


async def test_whoever_pays_on_is_told_nothing(story: Story) -> None:
    ann = await verified_ann(story, has_bad_card=False)
    await comes(story, YEAR_END - INSTANT)
    (subscription,) = story.world.account.subscriptions.values()
    story.world.clock.now = YEAR_END
    story.world.acts.draft_renewal(subscription.id)
    await story.goes_on()
    story.world.clock.now = YEAR_END + timedelta(hours=1)
    await looks_again(story, ann)
    story.world.acts.renew(subscription.id)
    await story.goes_on()
    for _ in range(3):
        await looks_again(story, ann)
        await story.passes_time(WEEK)
    assert await story.facts_about(ann) == ["begun"]
    assert await told(story, ann) == ["begun"]


@pytest.mark.parametrize(
    ("from_", "facts", "letters"),
    [
        (YEAR_END - timedelta(days=3), ["begun"], ["begun", "grace"]),
        (YEAR_END + timedelta(days=3), ["begun"], ["begun", "grace"]),
        (GRACE_END - timedelta(days=3), ["begun", "ended"], ["begun", "grace", "ended"]),
    ],
    ids=["over the end of the year", "within the grace", "over its end"],
)
async def test_a_week_of_standing_still_is_caught_up_once(
    story: Story, from_: datetime, facts: list[str], letters: list[str]
) -> None:
    ann = await verified_ann(story)
    if from_ > YEAR_END:
        await comes(story, YEAR_END + DAY)
    await comes(story, from_)
    await comes(story, from_ + WEEK)
    for _ in range(3):
        await looks_again(story, ann)
    assert await story.facts_about(ann) == facts
    assert await told(story, ann) == letters


async def test_a_clock_that_is_put_back_undoes_nothing_and_tells_nothing_twice(
    story: Story,
) -> None:
    ann = await verified_ann(story)
    await comes(story, YEAR_END + DAY)
    assert await told(story, ann) == ["begun", "grace"]
    for moment in (YEAR_END - WEEK, YEAR_END + 2 * DAY, YEAR_END - INSTANT, YEAR_END + 3 * DAY):
        story.world.clock.now = moment
        await looks_again(story, ann)
    assert await told(story, ann) == ["begun", "grace"]
    assert await story.facts_about(ann) == ["begun"]
    await comes(story, GRACE_END + DAY)
    for moment in (GRACE_END - WEEK, YEAR_END - WEEK, GRACE_END, GRACE_END + 2 * DAY):
        story.world.clock.now = moment
        await looks_again(story, ann)
        assert not await story.is_verified(ann)
    assert await told(story, ann) == ["begun", "grace", "ended"]
    assert await story.facts_about(ann) == ["begun", "ended"]


async def test_after_a_clock_that_was_put_back_money_counts_as_ever(story: Story) -> None:
    ann = await verified_ann(story)
    await comes(story, YEAR_END + DAY)
    await comes(story, GRACE_END + DAY)
    story.world.clock.now = GRACE_END - DAY
    ann.has_bad_card = False
    (subscription,) = story.world.account.subscriptions.values()
    story.world.acts.renew(subscription.id)
    await story.goes_on()
    assert await story.is_verified(ann)
    assert await told(story, ann) == ["begun", "grace", "ended", "begun"]
    # And the next year has days of grace of its own.
    ann.has_bad_card = True
    await comes(story, datetime(2029, 3, 2, 12, tzinfo=UTC))
    assert (await told(story, ann))[-2:] == ["begun", "grace"]


async def test_each_night_asks_once_also_after_a_clock_that_was_far_ahead(story: Story) -> None:
    ann, *_ = story.people
    await story.becomes_verified(ann)
    night = datetime(2027, 3, 2, 8, tzinfo=UTC)

    async def is_asked_at(moment: datetime) -> bool:
        story.world.clock.now = moment
        await tick(story.world.room)
        asked = bool(await story.pool.fetchval(RECONCILED))
        await story.world.work()
        return asked

    assert not await is_asked_at(night - INSTANT)
    assert await is_asked_at(night)
    assert not await is_asked_at(night + timedelta(hours=15))
    assert not await is_asked_at(night)
    assert await is_asked_at(night + DAY)
    # An hour back over midnight repeats no day.
    assert not await is_asked_at(night + timedelta(hours=15))
    # Someone set the year by mistake, for a minute.
    assert await is_asked_at(night + timedelta(days=300))
    assert await is_asked_at(night + 2 * DAY)
    assert not await is_asked_at(night + 2 * DAY)
    assert await is_asked_at(night + 3 * DAY)


@pytest.mark.parametrize("is_asked_ahead", [False, True])
async def test_whoever_comes_back_from_stripe_is_looked_at_also_after_a_clock_that_was_far_ahead(
    story: Story, is_asked_ahead: bool
) -> None:
    ann, *_ = story.people
    await story.pays(ann)
    await story.goes_on()
    now = story.world.clock.now
    story.world.clock.now = now + timedelta(days=300)
    await ask_for_look(story.world.room, story.world.login(ann))
    if not is_asked_ahead:
        await story.world.work()
    story.world.clock.now = now + timedelta(minutes=1)
    await ask_for_look(story.world.room, story.world.login(ann))
    story.world.clock.now = now + timedelta(minutes=2)
    await story.world.work()
    assert now < await story.pool.fetchval(LOOKED_AT) <= story.world.clock.now
