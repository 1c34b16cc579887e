"""An agent is asked in the background, once for each state of an application, and can be wrong."""

import asyncio
from datetime import timedelta

import pytest

from services.accounts.logging_in.logins import Login
from services.applications.answering import answer_questions
from services.applications.approving import Approval, approve_application
from services.applications.deciding import (
    ask_applicant,
    decline_application,
    list_applications,
    look_at_application,
)
from services.applications.reviewing.advice import Advice, NoAdvice
from services.applications.reviewing.case import ReviewCase
from services.applications.reviewing.report import ReviewCount, read_reviews
from services.applications.reviewing.wanted import TRIES_MAX, GivenAdvice, take_case
from services.applications.sending import take_back_application
from services.applications.tending import ask_for_advice, tend_applications
from shared.access.sources import SourceDetails
from tests.applications.applicants import Bureau
from tests.applications.reviewing.promises import FINE
from tests.applications.reviewing.scripted import ScriptedReviewer
from tests.log.deadlines import LOOK_S, deadline

WRONG = FINE | {"opinion": "looks_wrong"}
ASK = FINE | {"opinion": "ask_first", "questions": ["Where?"]}


@pytest.fixture
def reviewer() -> ScriptedReviewer:
    """Return an agent that finds everything fine."""
    scripted = ScriptedReviewer()
    scripted.document = FINE
    return scripted


async def given(bureau: Bureau, staff: Login, application_id: str) -> GivenAdvice:
    reviewed = await look_at_application(bureau.house.accounts, staff, application_id)
    return reviewed.advice


async def test_what_is_sent_is_asked_about_once_and_what_is_begun_never(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice, staff = await bureau.people()
    await bureau.begin()
    assert not await ask_for_advice(accounts, reviewer)
    application_id = await bureau.sent(alice)
    assert await ask_for_advice(accounts, reviewer)
    assert not await ask_for_advice(accounts, reviewer)
    assert len(reviewer.shown) == 1
    advice = (await given(bureau, staff, application_id)).advice
    assert advice is not None
    assert (advice.opinion, len(advice.reasons)) == ("looks_fine", 1)
    (listed,) = await list_applications(accounts, staff, "open")
    assert listed.opinion == "looks_fine"


async def test_an_answer_asks_anew_and_what_was_said_before_it_is_gone(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await ask_for_advice(accounts, reviewer)
    await ask_applicant(accounts, staff, application_id, "Where?")
    assert not await ask_for_advice(accounts, reviewer)
    await answer_questions(accounts, alice, application_id, {1: "In the library."})
    assert await given(bureau, staff, application_id) == GivenAdvice()
    reviewer.document = WRONG
    assert await ask_for_advice(accounts, reviewer)
    (question,) = reviewer.shown[1].document["questions"]
    assert question == {"question": "Where?", "answer": "In the library."}
    advice = (await given(bureau, staff, application_id)).advice
    assert advice is not None
    assert advice.opinion == "looks_wrong"


async def test_advice_on_what_was_changed_meanwhile_or_is_gone_is_not_kept(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await ask_applicant(accounts, staff, application_id, "Where?")

    class Slow(ScriptedReviewer):
        async def review(self, case: ReviewCase) -> Advice | NoAdvice:
            bureau.house.clock.wind(timedelta(seconds=1))
            await answer_questions(accounts, alice, application_id, {1: "There."})
            return await super().review(case)

    slow = Slow()
    slow.document = FINE
    assert await ask_for_advice(accounts, slow)
    assert await given(bureau, staff, application_id) == GivenAdvice()
    assert await ask_for_advice(accounts, reviewer)
    assert (await given(bureau, staff, application_id)).advice is not None
    other = await bureau.sent(alice)
    case = await accounts.settled(lambda c: take_case(c, bureau.house.clock.now()))
    assert case is not None
    await take_back_application(accounts, alice, other)
    assert not await ask_for_advice(accounts, reviewer)


async def test_two_processes_never_ask_about_the_same_at_once(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice = bureau.house.accounts, await bureau.house.log_in()
    for _ in range(2):
        await bureau.sent(alice)
    done = await asyncio.gather(*(ask_for_advice(accounts, reviewer) for _ in range(5)))
    assert done.count(True) == 2
    assert len(reviewer.shown) == 2


async def test_what_may_pass_is_asked_again_and_in_the_end_there_is_no_advice_and_why(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    reviewer.why = "unreachable"
    for _ in range(TRIES_MAX):
        assert await ask_for_advice(accounts, reviewer)
        assert not await ask_for_advice(accounts, reviewer)
        bureau.house.clock.wind(timedelta(minutes=5))
    assert not await ask_for_advice(accounts, reviewer)
    staff = await bureau.staff()
    assert await given(bureau, staff, application_id) == GivenAdvice(
        no_advice="unreachable", is_asked=True
    )
    other = await bureau.sent(alice)
    reviewer.why = "refused"
    assert await ask_for_advice(accounts, reviewer)
    assert await given(bureau, staff, other) == GivenAdvice(no_advice="refused", is_asked=True)
    await decline_application(accounts, staff, other, "Works without advice.")


async def test_nobody_is_asked_about_what_is_decided(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice, staff = await bureau.people()
    await decline_application(accounts, staff, await bureau.sent(alice), "No.")
    assert not await ask_for_advice(accounts, reviewer)


async def test_the_report_counts_when_advice_and_decision_agreed(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, staff = bureau.house.accounts, await bureau.staff()
    plan = (
        # What was advised, whether staff asked, what they decided, whether that agrees.
        (FINE, False, "approved", True),
        (FINE, True, "approved", False),
        (FINE, False, "declined", False),
        (WRONG, True, "declined", True),
        (WRONG, False, "approved", False),
        (ASK, True, "approved", True),
        (ASK, False, "declined", False),
        (None, False, "approved", None),
    )
    for number, (document, is_asked, decision, _) in enumerate(plan):
        address = f"a{number}@example.com"
        login = await bureau.house.log_in(address)
        application_id = await bureau.sent(login, address=address)
        reviewer.document, reviewer.why = document, None if document else "refused"
        await ask_for_advice(accounts, reviewer)
        if is_asked:
            await ask_applicant(accounts, staff, application_id, "Where?")
        if decision == "approved":
            approval = Approval(f"club-{number}", SourceDetails(f"Club {number}", "club"))
            await approve_application(accounts, staff, application_id, approval)
        else:
            await decline_application(accounts, staff, application_id, "No.")
    counts = await read_reviews(bureau.house.pool)
    assert sum(each.times for each in counts) == len(plan)
    found = {(each.opinion, each.was_asked, each.decision): each.agreed for each in counts}
    assert found == {
        (document["opinion"] if document else None, is_asked, decision): agreed
        for document, is_asked, decision, agreed in plan
    }
    assert ReviewCount(None, "refused", was_asked=False, decision="approved", times=1) in counts


async def test_the_part_tends_forever_also_without_an_agent(
    bureau: Bureau, reviewer: ScriptedReviewer
) -> None:
    accounts, alice = bureau.house.accounts, await bureau.house.log_in()
    await bureau.sent(alice)
    idle = asyncio.create_task(tend_applications(accounts, None))
    tending = asyncio.create_task(tend_applications(accounts, reviewer))
    try:
        async with deadline():
            while not reviewer.shown:
                await asyncio.sleep(LOOK_S)
        assert not idle.done()
    finally:
        for task in (idle, tending):
            task.cancel()
        await asyncio.gather(idle, tending, return_exceptions=True)
