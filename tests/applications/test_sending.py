"""An application counts once somebody who has proved its address sends it; nobody else sees it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from services.accounts.logging_in.logins import OnlyFirstPasskey
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.accounts.staff import add_staff
from services.applications.answering import answer_questions
from services.applications.deciding import (
    ask_applicant,
    decline_application,
    list_applications,
    look_at_application,
)
from services.applications.rows import UnknownApplication
from services.applications.sending import (
    BEGUN_MAX,
    FROM_NETWORK,
    OPEN_MAX,
    SENT_MAX,
    SENT_WITHIN,
    ApplicationSettled,
    TooManyApplications,
    begin_application,
    change_application,
    own_application,
    own_applications,
    send_application,
    sweep_begun,
    take_back_application,
)
from shared.own_words.short_texts import UnfitText
from tests.accounts.people import ALICE, BEN, SITE
from tests.applications.applicants import FORM, Bureau, a_text

COUNT = "SELECT count(*) FROM mahjic.applications"


async def test_what_is_begun_counts_once_its_address_is_proved_and_it_is_sent(
    bureau: Bureau,
) -> None:
    accounts = bureau.house.accounts
    staff = await bureau.staff()
    application_id = await bureau.begin()
    assert await list_applications(accounts, staff, "open") == []
    with pytest.raises(UnknownApplication):
        await look_at_application(accounts, staff, application_id)
    assert await bureau.mailed() == []
    alice = await bureau.house.log_in(ALICE)
    (begun,) = await own_applications(accounts, alice)
    assert (begun.application_id, begun.state, begun.text) == (application_id, "begun", a_text())
    await send_application(accounts, alice, application_id)
    await send_application(accounts, alice, application_id)
    assert (await own_application(accounts, alice, application_id)).state == "sent"
    (listed,) = await list_applications(accounts, staff, "open")
    assert (listed.application_id, listed.organization) == (application_id, FORM["organization"])
    ((subject, text),) = await bureau.mailed()
    assert subject == "We have the application of Lakeside Mahjong Club"
    assert f"{SITE}/become-a-source/{application_id}" in text


async def test_nobody_else_sees_sends_answers_or_takes_back(bureau: Bureau) -> None:
    accounts = bureau.house.accounts
    application_id = await bureau.begin()
    ben = await bureau.house.log_in(BEN)
    # Named by the operator, proved by nobody.
    await bureau.house.pool.execute(
        "INSERT INTO mahjic.addresses VALUES ($1, $2, NULL)", ALICE, ben.account_id
    )
    assert await own_applications(accounts, ben) == []
    for wrong in (application_id, "app_ZZZZZZZZZZZZZZZZ", "", "\x00", "x" * 10_000):
        for refused in (
            own_application(accounts, ben, wrong),
            send_application(accounts, ben, wrong),
            answer_questions(accounts, ben, wrong, {1: "Yes."}),
            take_back_application(accounts, ben, wrong),
        ):
            with pytest.raises(UnknownApplication):
                await refused
    assert await bureau.house.pool.fetchval(COUNT) == 1


async def test_whoever_adds_the_address_to_another_account_has_it_there_and_loses_it_with_it(
    bureau: Bureau,
) -> None:
    accounts = bureau.house.accounts
    application_id = await bureau.begin()
    ben = await bureau.house.log_in(BEN)
    mail = await bureau.house.ask(ALICE, for_account=ben.account_id)
    await add_by_link(accounts, ben, mail.link_token)
    await send_application(accounts, ben, application_id)
    await remove_address(accounts, ben, ALICE)
    assert await own_applications(accounts, ben) == []


async def test_the_first_login_of_staff_applies_for_nothing(bureau: Bureau) -> None:
    accounts = bureau.house.accounts
    application_id = await bureau.begin()
    await add_staff(bureau.house.pool, ALICE, "reviewer", accounts.chance)
    login = await bureau.house.log_in(ALICE)
    for refused in (
        own_applications(accounts, login),
        send_application(accounts, login, application_id),
        answer_questions(accounts, login, application_id, {1: "Yes."}),
    ):
        with pytest.raises(OnlyFirstPasskey):
            await refused


async def test_questions_are_answered_once_and_it_is_to_be_decided_when_all_are(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await ask_applicant(accounts, staff, application_id, "Where do you play?\nAnd when?")
    await ask_applicant(accounts, staff, application_id, "Who keeps score?")
    asked = await own_application(accounts, alice, application_id)
    assert asked.state == "question"
    assert [each.question for each in asked.questions] == [
        "Where do you play?\nAnd when?",
        "Who keeps score?",
    ]
    subject, text = (await bureau.mailed())[1]
    assert subject == "A question about the application of Lakeside Mahjong Club"
    assert "Where do you play? And when?" in text
    await answer_questions(accounts, alice, application_id, {1: " In the library. "})
    assert (await own_application(accounts, alice, application_id)).state == "question"
    await answer_questions(accounts, alice, application_id, {2: "I do."})
    answered = await own_application(accounts, alice, application_id)
    assert answered.state == "sent"
    assert [each.answer for each in answered.questions] == ["In the library.", "I do."]
    with pytest.raises(ApplicationSettled):
        await answer_questions(accounts, alice, application_id, {1: "Elsewhere."})
    with pytest.raises(UnknownApplication):
        await answer_questions(accounts, alice, application_id, {3: "What?"})
    for unfit in ("", "x" * 2_001, "x" * 100_000, "a\u202eb", "\x00"):
        with pytest.raises(UnfitText):
            await answer_questions(accounts, alice, application_id, {1: unfit})


async def test_the_same_answer_sent_twice_is_one_and_of_several_all_are_kept_or_none(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    for question in ("Where?", "When?"):
        await ask_applicant(accounts, staff, application_id, question)
    with pytest.raises(UnfitText):
        await answer_questions(accounts, alice, application_id, {1: "Here.", 2: "x" * 2_001})
    with pytest.raises(UnknownApplication):
        await answer_questions(accounts, alice, application_id, {1: "Here.", 3: "What?"})
    told = await own_application(accounts, alice, application_id)
    assert [each.answer for each in told.questions] == [None, None]
    for _ in range(2):
        await answer_questions(accounts, alice, application_id, {1: "Here.", 2: "Now."})
        told = await own_application(accounts, alice, application_id)
        assert [each.answer for each in told.questions] == ["Here.", "Now."]
    with pytest.raises(ApplicationSettled):
        await answer_questions(accounts, alice, application_id, {2: "Later."})


async def test_a_form_that_is_sent_twice_is_one_application(bureau: Bureau) -> None:
    accounts = bureau.house.accounts
    first = await bureau.begin()
    assert await bureau.begin() == first
    assert await bureau.begin(site="") not in {first, await bureau.begin(nights="51")}
    alice = await bureau.house.log_in()
    assert len(await own_applications(accounts, alice)) == 3
    await send_application(accounts, alice, first)
    assert await bureau.begin() != first


async def test_what_is_not_sent_can_be_changed_but_for_its_address(bureau: Bureau) -> None:
    accounts, alice = bureau.house.accounts, await bureau.house.log_in()
    application_id = await bureau.begin()
    other = a_text(organization="Lakeview Club", address=BEN, site="", players="7")
    ben = await bureau.house.log_in(BEN)
    with pytest.raises(UnknownApplication):
        await change_application(accounts, ben, application_id, other)
    await change_application(accounts, alice, application_id, other)
    told = await own_application(accounts, alice, application_id)
    assert told.text == replace(other, address=ALICE)
    await send_application(accounts, alice, application_id)
    with pytest.raises(ApplicationSettled):
        await change_application(accounts, alice, application_id, a_text())


async def test_it_can_be_taken_back_until_it_is_decided(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await ask_applicant(accounts, staff, application_id, "Where?")
    await take_back_application(accounts, alice, application_id)
    for table in ("applications", "application_questions", "application_advice"):
        assert not await bureau.house.pool.fetchval(f"SELECT count(*) FROM mahjic.{table}")
    noted = await bureau.house.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert {"applications", "application_questions", "application_advice"} <= {
        row[0] for row in noted
    }
    other = await bureau.sent(alice)
    await decline_application(accounts, staff, other, "No.")
    with pytest.raises(ApplicationSettled):
        await take_back_application(accounts, alice, other)
    with pytest.raises(ApplicationSettled):
        await answer_questions(accounts, alice, other, {1: "But."})


async def test_an_address_has_few_open_at_once_and_few_a_month(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    ids = [await bureau.sent(alice) for _ in range(OPEN_MAX)]
    one_more = await bureau.begin()
    with pytest.raises(TooManyApplications, match="not decided yet"):
        await send_application(accounts, alice, one_more)
    for application_id in ids:
        await decline_application(accounts, staff, application_id, "No.")
    others = range(1, SENT_MAX - OPEN_MAX)
    more = [one_more] + [await bureau.begin(nights=str(each)) for each in others]
    for application_id in more:
        await send_application(accounts, alice, application_id)
        await decline_application(accounts, staff, application_id, "No.")
    last = await bureau.begin()
    with pytest.raises(TooManyApplications, match="in the last 30 days"):
        await send_application(accounts, alice, last)
    bureau.house.clock.wind(SENT_WITHIN)
    await send_application(accounts, await bureau.house.log_in(), last)


async def test_a_network_begins_few_and_the_newest_of_an_address_stay(bureau: Bureau) -> None:
    accounts = bureau.house.accounts
    ids = []
    for number in range(FROM_NETWORK[0].mails):
        address = ALICE if number < BEGUN_MAX + 2 else f"a{number}@example.com"
        text = a_text(address=address, nights=f"{number + 1}")
        ids.append(await begin_application(accounts, text, network="192.0.2.1"))
    with pytest.raises(TooManyApplications, match="from your network"):
        await begin_application(accounts, a_text(), network="192.0.2.1")
    own = await own_applications(accounts, await bureau.house.log_in())
    assert [each.application_id for each in own] == ids[BEGUN_MAX + 1 : 1 : -1]


async def test_what_is_never_sent_is_gone_after_a_day(bureau: Bureau) -> None:
    accounts, alice = bureau.house.accounts, await bureau.house.log_in()
    await bureau.begin(nights="51")
    sent = await bureau.sent(alice)
    bureau.house.clock.wind(timedelta(hours=23))
    await sweep_begun(accounts)
    assert await bureau.house.pool.fetchval(COUNT) == 2
    bureau.house.clock.wind(timedelta(hours=1))
    await sweep_begun(accounts)
    left = await bureau.house.pool.fetch("SELECT application_id FROM mahjic.applications")
    assert [row[0] for row in left] == [sent]
