"""Staff decide, with everything on one page; what they do is written down, and done whole."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from services.accounts.acts import list_acts
from services.accounts.forgetting import erase_accounts
from services.accounts.logging_in.logins import LoginNotFresh
from services.accounts.members.desks import desks_of
from services.accounts.own.own_addresses import add_by_link, remove_address
from services.applications.answering import answer_questions
from services.applications.approving import Approval, LikeSource, NoOwner, approve_application
from services.applications.deciding import (
    ask_applicant,
    decline_application,
    list_applications,
    look_at_application,
)
from services.applications.erasing import ApplicationSection, erase_applications
from services.applications.rows import UnknownApplication
from services.applications.sending import ApplicationSettled, own_application
from shared.access.sources import (
    InvalidSource,
    SourceDetails,
    SourceExists,
    add_source,
    list_sources,
)
from shared.db.locks import APPROVAL_LOCK
from shared.errors import NotFound
from shared.own_words.short_texts import UnfitText
from tests.accounts.people import ALICE, BEN, SITE
from tests.applications.applicants import FORM, Bureau
from tests.log.deadlines import until
from tests.mail.letters import START

WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
LAKESIDE = Approval("lakeside-mj", SourceDetails("Lakeside", "club", "midwest"))


async def test_approved_there_are_a_source_its_owner_and_a_mail_that_leads_to_the_desk(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await approve_application(accounts, staff, application_id, LAKESIDE)
    (source,) = await list_sources(bureau.house.pool)
    assert (source.slug, source.details) == (LAKESIDE.slug, LAKESIDE.details)
    (desk,) = await desks_of(accounts, alice)
    assert (desk.source, desk.role) == ("lakeside-mj", "owner")
    told = await own_application(accounts, alice, application_id)
    assert (told.state, told.source) == ("approved", "lakeside-mj")
    subject, text = (await bureau.mailed())[-1]
    assert subject == "Lakeside Mahjong Club is a source of Mahjic now"
    assert f"{SITE}/desk/lakeside-mj" in text
    (act, *_) = await list_acts(accounts, limit=5)
    assert (act.act, act.staff_id) == ("approve_application", staff.account_id)
    assert act.about == [application_id, "lakeside-mj", alice.account_id]


async def test_what_does_not_work_out_leaves_everything_as_it_was(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await add_source(bureau.house.pool, "taken", SourceDetails("Taken", "club"), now=START)
    before = await bureau.house.pool.fetchval("SELECT count(*) FROM mahjic.mails")
    for approval, error in (
        (Approval("taken", LAKESIDE.details), SourceExists),
        (Approval("Not a slug", LAKESIDE.details), InvalidSource),
        (Approval("lakeside", SourceDetails("", "club")), InvalidSource),
        (Approval("lakeside", SourceDetails("A", "circus")), InvalidSource),
    ):
        with pytest.raises(error):
            await approve_application(accounts, staff, application_id, approval)
    assert (await own_application(accounts, alice, application_id)).state == "sent"
    assert await desks_of(accounts, alice) == []
    assert len(await list_sources(bureau.house.pool)) == 1
    assert await bureau.house.pool.fetchval("SELECT count(*) FROM mahjic.mails") == before
    assert not await bureau.house.pool.fetchval("SELECT count(*) FROM mahjic.application_reviews")


async def test_two_decisions_at_once_are_one(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    other = Approval("other", LAKESIDE.details)
    ended = await asyncio.gather(
        approve_application(accounts, staff, application_id, LAKESIDE),
        approve_application(accounts, staff, application_id, other),
        decline_application(accounts, staff, application_id, "No."),
        ask_applicant(accounts, staff, application_id, "Why?"),
        return_exceptions=True,
    )
    settled = [type(each) for each in ended[:3]]
    assert settled.count(ApplicationSettled) == 2
    assert settled.count(type(None)) == 1
    reviews = await bureau.house.pool.fetchval("SELECT count(*) FROM mahjic.application_reviews")
    assert reviews == 1


async def test_nobody_is_let_in_under_a_name_that_misleads(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    await add_source(bureau.house.pool, "hilltop", SourceDetails("Hilltop", "club"), now=START)
    for slug in ("mahjic", "staff", "mahjic-lakeside"):
        with pytest.raises(InvalidSource):
            await approve_application(
                accounts, staff, application_id, Approval(slug, LAKESIDE.details)
            )
    for slug, name in (("hilltops", "Lakeside"), ("lakeside", "The Hilltop Mah Jongg Club")):
        like = Approval(slug, SourceDetails(name, "club"))
        with pytest.raises(LikeSource, match=r"Hilltop \(hilltop\)"):
            await approve_application(accounts, staff, application_id, like)
    assert len(await list_sources(bureau.house.pool)) == 1
    await approve_application(accounts, staff, application_id, replace(like, is_told_apart=True))
    assert len(await list_sources(bureau.house.pool)) == 2


async def test_of_two_applications_of_one_club_the_second_is_compared_with_the_first(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    pool, application_id = bureau.house.pool, await bureau.sent(alice)

    async def is_waiting() -> bool:
        return bool(await pool.fetchval(WAITING))

    async with pool.acquire() as other:
        # Somebody else is at it, and is not done.
        await other.execute("SELECT pg_advisory_lock($1)", APPROVAL_LOCK)
        second = asyncio.create_task(approve_application(accounts, staff, application_id, LAKESIDE))
        await until(is_waiting)
        await add_source(pool, "lakeside", SourceDetails("Lakeside", "club"), now=START)
        await other.execute("SELECT pg_advisory_unlock_all()")
        with pytest.raises(LikeSource):
            await second
    assert [each.slug for each in await list_sources(pool)] == ["lakeside"]


async def test_a_question_pressed_twice_is_asked_once(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    for _ in range(2):
        await ask_applicant(accounts, staff, application_id, "Where?", seen=0)
    with pytest.raises(ApplicationSettled, match="Somebody else has asked"):
        await ask_applicant(accounts, staff, application_id, "When?", seen=0)
    await ask_applicant(accounts, staff, application_id, "When?", seen=1)
    told = await own_application(accounts, alice, application_id)
    assert [each.question for each in told.questions] == ["Where?", "When?"]
    assert len(await bureau.mailed()) == 3


async def test_declined_the_applicant_reads_why(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    for unfit in ("", "  ", "x" * 1_001, "a\u202eb"):
        with pytest.raises(UnfitText):
            await decline_application(accounts, staff, application_id, unfit)
    await decline_application(accounts, staff, application_id, "We can’t find your club.")
    told = await own_application(accounts, alice, application_id)
    assert (told.state, told.reason) == ("declined", "We can’t find your club.")
    subject, text = (await bureau.mailed())[-1]
    assert subject == "About the application of Lakeside Mahjong Club"
    assert "We can’t find your club." in text
    for late in (
        ask_applicant(accounts, staff, application_id, "Why?"),
        decline_application(accounts, staff, application_id, "Again."),
        approve_application(accounts, staff, application_id, LAKESIDE),
    ):
        with pytest.raises(ApplicationSettled):
            await late


async def test_only_staff_with_a_passkey_find_anything(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    for refused in (
        list_applications(accounts, alice, "open"),
        look_at_application(accounts, alice, application_id),
        ask_applicant(accounts, alice, application_id, "Why?"),
        decline_application(accounts, alice, application_id, "No."),
        approve_application(accounts, alice, application_id, LAKESIDE),
    ):
        with pytest.raises(NotFound, match="nothing at this address"):
            await refused
    for wrong in ("app_ZZZZZZZZZZZZZZZZ", "", "\x00", "x" * 10_000):
        with pytest.raises(UnknownApplication):
            await look_at_application(accounts, staff, wrong)
        with pytest.raises(UnknownApplication):
            await approve_application(accounts, staff, wrong, LAKESIDE)
    bureau.house.clock.wind(timedelta(minutes=15))
    with pytest.raises(LoginNotFresh):
        await approve_application(accounts, staff, application_id, LAKESIDE)


async def test_a_look_is_noted_and_shows_what_rules_find_in_the_sources_of_today(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    first = await bureau.sent(alice, address=ALICE)
    await approve_application(accounts, staff, first, LAKESIDE)
    ben = await bureau.house.log_in(BEN)
    second = await bureau.sent(
        ben,
        address=BEN,
        organization="Quite Another Name",
        wished_slug="another",
        site="https://lakeside.example.org/copy",
    )
    reviewed = await look_at_application(accounts, staff, second)
    assert reviewed.application.text.address == BEN
    assert [(each.code, each.about) for each in reviewed.findings] == [
        ("domain_like_source", ("lakeside-mj",)),
        ("address_elsewhere", ()),
        ("sent_before", ()),
    ]
    assert (reviewed.advice.advice, reviewed.advice.no_advice) == (None, None)
    assert not reviewed.advice.is_asked
    (act, *_) = await list_acts(accounts, limit=1)
    assert (act.act, act.about) == ("look_at_application", [second])
    # What it became itself is nothing to say against it.
    own = await look_at_application(accounts, staff, first)
    assert {each.code for each in own.findings} == {"address_elsewhere"}


async def test_lists_go_on_and_hold_no_address(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    ids = [await bureau.sent(alice) for _ in range(3)]
    listed = await list_applications(accounts, staff, "open")
    assert [each.application_id for each in listed] == ids
    later = await list_applications(accounts, staff, "open", after=listed[0].number)
    assert [each.application_id for each in later] == ids[1:]
    for application_id in ids[:2]:
        await decline_application(accounts, staff, application_id, "No.")
    decided = await list_applications(accounts, staff, "decided")
    assert [each.application_id for each in decided] == ids[1::-1]
    older = await list_applications(accounts, staff, "decided", after=decided[0].number)
    assert [each.application_id for each in older] == ids[:1]
    assert ALICE not in "".join(repr(vars_of(each)) for each in (*listed, *decided))


def vars_of(listed: object) -> dict[str, object]:
    return {name: getattr(listed, name) for name in type(listed).__slots__}  # type: ignore[attr-defined]


async def test_someone_whose_address_is_gone_owns_nothing(bureau: Bureau) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice)
    mail = await bureau.house.ask("other@example.com", for_account=alice.account_id)
    await add_by_link(accounts, alice, mail.link_token)
    await remove_address(accounts, alice, ALICE)
    with pytest.raises(NoOwner):
        await approve_application(accounts, staff, application_id, LAKESIDE)


async def test_forgotten_are_all_applications_of_a_person_and_what_hangs_on_them(
    bureau: Bureau,
) -> None:
    accounts, alice, staff = await bureau.people()
    application_id = await bureau.sent(alice, description="Very secret words.")
    await ask_applicant(accounts, staff, application_id, "Where is it?")
    await answer_questions(accounts, alice, application_id, {1: "At Hidden Lane."})
    await approve_application(accounts, staff, application_id, LAKESIDE)
    await bureau.begin()
    section = [each async for each in ApplicationSection(bureau.house.pool).about(_Person([ALICE]))]
    assert [each["state"] for each in section] == ["begun", "approved"]
    assert section[1]["questions"][0]["answer"] == "At Hidden Lane."
    ben = await bureau.house.log_in(BEN)
    bens = await bureau.sent(ben, address=BEN)
    await bureau.house.pool.execute("DELETE FROM mahjic.erasures")
    async with bureau.house.pool.acquire() as connection, connection.transaction():
        await erase_applications(connection, await erase_accounts(connection, [ALICE]))
    tables = await bureau.house.pool.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'mahjic'"
    )
    for (table,) in tables:
        rows = await bureau.house.pool.fetch(f"SELECT * FROM mahjic.{table}")
        kept = repr([tuple(row) for row in rows])
        for word in (ALICE, "secret", "Hidden Lane", FORM["applicant"]):
            assert word not in kept or (table == "applications" and word == FORM["applicant"])
    left = await bureau.house.pool.fetch("SELECT application_id FROM mahjic.applications")
    assert [row[0] for row in left] == [bens]
    noted = await bureau.house.pool.fetch("SELECT table_name FROM mahjic.erasures")
    assert {"applications", "application_questions", "application_advice"} <= {
        row[0] for row in noted
    }
    # The source stays, and staff can appoint another owner.
    assert [each.slug for each in await list_sources(bureau.house.pool)] == ["lakeside-mj"]
    assert await bureau.house.pool.fetchval("SELECT count(*) FROM mahjic.application_reviews") == 1


class _Person:
    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses
