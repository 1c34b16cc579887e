"""One person is one Verified player: a document that two people show waits for staff."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from services.verification.deciding import decide
from services.verification.staff.holds import NotHeld, list_hints, list_holds, release
from services.verification.starting import get_money_back
from services.verification.work.clock import tick
from tests.db.rows import rows_by_table
from tests.verification.life.story import Story
from tests.verification.stripe.account.odd import ODD, a_document

YEAR = timedelta(days=365)
OUTCOMES = """
SELECT count(*) FILTER (WHERE passed_at IS NOT NULL) AS passed,
    count(*) FILTER (WHERE held_for = 'same_document' AND passed_at IS NULL) AS held
FROM mahjic.identity_checks
"""


async def holds(story: Story) -> list[tuple[str, str | None, str]]:
    """Return who waits for staff, who has shown the same document, and why."""
    async with story.pool.acquire() as connection:
        found = await list_holds(connection)
    return [(each.player_id, each.other_player_id, each.held_for) for each in found]


async def key_of_hold(story: Story) -> str:
    async with story.pool.acquire() as connection:
        (hold,) = await list_holds(connection)
    return hold.key


async def two_with_one(story: Story) -> str:
    """Have Ann and then Ben pay and show the same document; return the session of Ben's check."""
    ann, ben, _ = story.people
    await story.becomes_verified(ann, ODD)
    await story.pays(ben)
    session_id = await story.shows(ben, ODD)
    await story.goes_on()
    return session_id


async def test_the_second_is_held_and_the_first_stays_as_they_are(story: Story) -> None:
    session_id = await two_with_one(story)
    ann, ben, carl = story.people
    assert await story.is_verified(ann)
    assert not await story.is_verified(ben)
    assert await holds(story) == [(ben.player_id, ann.player_id, "same_document")]
    # Staff can look at the picture at Stripe for a month; that of Ann's is gone.
    assert story.world.account.checks[session_id].redaction is None
    await story.passes_time(timedelta(days=31))
    assert story.world.account.checks[session_id].redaction == "processing"
    assert await holds(story) == [(ben.player_id, ann.player_id, "same_document")]
    assert await story.facts_about(ben) == []
    # A third one with the same document is one more.
    await story.shows(carl, ODD)
    await story.goes_on()
    assert len(await holds(story)) == 2


async def test_whoever_turns_out_to_be_one_person_counts_as_one_and_no_longer(
    story: Story,
) -> None:
    await two_with_one(story)
    ann, ben, _ = story.people
    await story.are_merged(ann, into=ben)
    await story.goes_on()
    assert await story.is_verified(ben)
    assert await holds(story) == []
    await story.are_parted(ann)
    await story.goes_on()
    assert await story.is_verified(ann)
    assert not await story.is_verified(ben)
    assert await holds(story) == [(ben.player_id, ann.player_id, "same_document")]


async def test_what_the_second_has_paid_is_enough_once_they_are_one(story: Story) -> None:
    ann, ben, _ = story.people
    await story.shows(ann, ODD)
    await story.pays(ben)
    await story.shows(ben, ODD)
    await story.goes_on()
    assert not await story.is_verified(ann)
    await story.are_merged(ben, into=ann)
    await story.goes_on()
    assert await story.is_verified(ann)


async def test_whom_staff_block_is_never_verified_whatever_they_do(story: Story) -> None:
    await two_with_one(story)
    ann, ben, _ = story.people
    await decide(story.world.room, ben.player_id, "block", "A fraud.")
    assert await holds(story) == []
    await release(
        story.world.room, (await checks_of(story, ben.player_id))[0], "We know them both."
    )
    await story.passes_time(YEAR)
    assert await story.facts_about(ben) == []
    assert await story.facts_about(ann) == ["begun"]


async def checks_of(story: Story, player_id: str) -> list[str]:
    rows = await story.pool.fetch(
        "SELECT key FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id) "
        "WHERE player_id = $1 ORDER BY identity_checks.begun_at, key",
        player_id,
    )
    return [row["key"] for row in rows]


async def test_what_staff_let_count_counts_and_is_erased_at_stripe(story: Story) -> None:
    session_id = await two_with_one(story)
    ann, ben, _ = story.people
    await release(story.world.room, await key_of_hold(story), "We know them both.")
    await story.goes_on()
    assert await story.is_verified(ben)
    assert await story.is_verified(ann)
    assert await holds(story) == []
    assert story.world.account.checks[session_id].redaction is not None


async def test_whoever_was_forgotten_and_comes_back_within_a_year_is_held(story: Story) -> None:
    ann, ben, carl = story.people
    await story.becomes_verified(ann, ODD)
    await story.is_forgotten(ann)
    await story.goes_on()
    # The moment before the year is over: Ben is Ann, who begins anew.
    await story.passes_time(YEAR - timedelta(minutes=1))
    await story.pays(ben)
    await story.shows(ben, ODD)
    await story.goes_on()
    assert not await story.is_verified(ben)
    # Nobody can tell anymore who has shown it before.
    assert await holds(story) == [(ben.player_id, None, "same_document")]
    tables = await rows_by_table(story.pool)
    assert not [row for row in tables["mahjic.document_hashes"] if ann.player_id in row]
    await story.passes_time(timedelta(minutes=2))
    await story.pays(carl)
    await story.shows(carl, ODD)
    await story.goes_on()
    assert await story.is_verified(carl)


@pytest.mark.parametrize("after", [timedelta(days=30), YEAR + timedelta(days=1)])
async def test_a_document_that_staff_let_count_is_that_persons_from_then_on(
    story: Story, after: timedelta
) -> None:
    ann, ben, carl = story.people
    await story.becomes_verified(ann, ODD)
    await story.is_forgotten(ann)
    await story.goes_on()
    await story.pays(ben)
    await story.shows(ben, ODD)
    await story.goes_on()
    # Staff take their time, perhaps for longer than the hash of a forgotten person is kept.
    await story.passes_time(after)
    await release(story.world.room, await key_of_hold(story), "We know them both.")
    for days in (300, 45):
        await story.passes_time(timedelta(days=days))
    assert await story.facts_about(ben) == ["begun"]
    await story.pays(carl)
    await story.shows(carl, ODD)
    await story.goes_on()
    assert not await story.is_verified(carl)
    assert await holds(story) == [(carl.player_id, ben.player_id, "same_document")]


@pytest.mark.parametrize("waits", [0, 3])
async def test_of_two_at_the_same_moment_exactly_one_passes(story: Story, waits: int) -> None:
    ann, ben, _ = story.people
    for each in (ann, ben):
        await story.pays(each)
        await story.shows(each, ODD)
    world = story.world
    both_have_read = asyncio.Barrier(2)
    reads = 0

    async def travel() -> None:
        """Let both read everything before either writes, each at a pace of its own."""
        nonlocal reads
        reads += 1
        for _ in range(reads % (waits + 1)):
            await asyncio.sleep(0)

    await world.deliver(world.take_new_events())
    world.switches.travel = travel

    async def works() -> None:
        await both_have_read.wait()
        await world.work()

    await asyncio.gather(works(), works())
    world.switches.travel = None
    await story.passes_time(timedelta(seconds=5))
    outcome = await story.pool.fetchrow(OUTCOMES)
    assert outcome is not None
    assert (outcome["passed"], outcome["held"]) == (1, 1)
    assert [await story.is_verified(each) for each in (ann, ben)].count(True) == 1
    assert len(await story.facts_about(ann) + await story.facts_about(ben)) == 1


async def test_nothing_is_noted_of_a_hold_whose_person_was_forgotten(story: Story) -> None:
    await two_with_one(story)
    ann, ben, _ = story.people
    key = await key_of_hold(story)
    story.world.switches.away = "fails"
    await story.is_forgotten(ben)
    with pytest.raises(NotHeld):
        await release(story.world.room, key, "We know them both.")
    await story.goes_on()
    assert await holds(story) == []
    assert await story.is_verified(ann)


async def test_a_fraud_is_settled_also_if_it_was_shown_for_an_id_that_is_merged(
    story: Story,
) -> None:
    await two_with_one(story)
    _, ben, carl = story.people
    await story.are_merged(ben, carl)
    await story.goes_on()
    assert len(await holds(story)) == 1
    await decide(story.world.room, carl.player_id, "block", "Shows what is another's.")
    assert await holds(story) == []


async def test_the_same_person_may_show_the_same_document_as_often_as_asked(story: Story) -> None:
    ann, *_ = story.people
    await story.pays(ann)
    first = await story.begins_check(ann)
    story.world.acts.begin_processing(first)
    story.world.acts.fail_check(first)
    await story.goes_on()
    assert await story.shows(ann, ODD) == first
    await story.goes_on()
    assert await story.is_verified(ann)
    assert await holds(story) == []


async def test_one_name_and_birth_date_on_two_documents_is_a_hint_and_holds_nobody(
    story: Story,
) -> None:
    ann, ben, carl = story.people
    for number, each in enumerate((ann, ben, carl)):
        document = (
            a_document(number)
            if each is carl
            else type(ODD)(
                "US",
                "passport",
                f"Q7-ODD-DOC-{number}",
                ODD.first_name,
                ODD.last_name,
                ODD.born_on,
                "",
            )
        )
        await story.becomes_verified(each, document)
    async with story.pool.acquire() as connection:
        hints = await list_hints(connection)
    assert [set(each) for each in hints] == [{ann.player_id, ben.player_id}]
    assert await holds(story) == []
    await story.is_forgotten(ann)
    await tick(story.world.room)
    async with story.pool.acquire() as connection:
        assert await list_hints(connection) == []


async def test_whoever_is_held_gets_the_money_back_by_one_press(story: Story) -> None:
    ann, ben, *_ = story.people
    await story.becomes_verified(ann, a_document(0))
    subscription_id = await story.pays(ben)
    await story.shows(ben, a_document(0))
    await story.goes_on()
    await get_money_back(story.world.room, story.world.login(ben))
    await story.goes_on()
    assert story.world.account.subscriptions[subscription_id].status == "canceled"
    refunded = [charge.refunded_cents for charge in story.world.account.charges.values()]
    assert refunded == [0, 2000]


@pytest.mark.parametrize(("first_name", "is_same"), [("Ann", True), ("Other", False), ("", None)])
async def test_staff_are_told_whether_name_and_birth_date_are_the_same(
    story: Story, first_name: str, is_same: bool | None
) -> None:
    ann, ben, *_ = story.people
    await story.becomes_verified(ann, replace(ODD, first_name="Ann"))
    await story.pays(ben)
    await story.shows(ben, replace(ODD, first_name=first_name))
    await story.goes_on()
    async with story.pool.acquire() as connection:
        (hold,) = await list_holds(connection)
    assert (hold.player_id, hold.other_player_id) == (ben.player_id, ann.player_id)
    assert hold.is_same_name is is_same
