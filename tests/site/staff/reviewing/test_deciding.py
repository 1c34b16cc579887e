"""Staff ask, approve and decline on one page; two at once and a double press do it once."""

import asyncio

from services.site.desk.at_desk import DESK_PATH
from shared.access.sources import SourceDetails, add_source
from tests.applications.applicants import FORM
from tests.mail.letters import START
from tests.site.applying.conftest import mails_to, wrong_in
from tests.site.desk.typing import fields_of
from tests.site.staff.conftest import OPERATOR, REVIEWER
from tests.site.staff.reviewing.conftest import DECISION, Review, part

SOURCES = "SELECT slug, name, type, region FROM mahjic.sources WHERE slug <> 'a-club'"


async def told(review: Review) -> list[str]:
    """Return what the applicant was mailed about applications."""
    mails = await mails_to(review.staffed.town, FORM["address"])
    return [" ".join(each.text.split()) for each in mails if each.kind == "application"]


async def sources(review: Review) -> list[tuple[str, ...]]:
    rows = await review.staffed.town.house.pool.fetch(SOURCES)
    return [tuple(row) for row in rows]


async def test_asked_answered_and_approved_the_applicant_has_a_desk(review: Review) -> None:
    listed = await review.reviewer.page("/staff/applications")
    assert review.path in listed.main.links()
    assert FORM["address"] not in listed.html
    page = await review.look()
    for name, value in FORM.items():
        shown = {"type": "A club", "region": "Midwest"}.get(name, value)
        assert shown in part(page, "said")
    status, page = await review.press("ask", {"question": "Where do you play?", "seen": "0"})
    assert "Asked. The applicant gets a mail." in page.main.text
    # Pressed twice, it is asked once.
    await review.press("ask", {"question": "Where do you play?", "seen": "0"})
    assert part(await review.look(), "asked").count("Where do you play?") == 1
    assert [("Where do you play?" in each) for each in await told(review)] == [False, True]
    own = await review.applicant.page(review.seen_at)
    assert own.main.one("h1").text == "We have a question"
    answered = {"answer-1": "In the library of Lakeside."}
    for _ in range(2):
        answer = await review.applicant.send(f"{review.seen_at}/answers", answered)
        assert (answer.status_code, answer.headers["location"]) == (303, review.seen_at)
    assert "In the library of Lakeside." in part(await review.look(), "asked")
    status, page = await review.press("approve", DECISION)
    assert status == 303
    assert "the applicant owns it" in page.main.text
    assert "Approved on" in part(page, "decision")
    assert await sources(review) == [("lakeside-mj", "Lakeside", "club", "midwest")]
    mail = (await told(review))[-1]
    assert f"https://mahjic.example.org{DESK_PATH}/lakeside-mj" in mail
    own = await review.applicant.page(review.seen_at)
    assert f"{DESK_PATH}/lakeside-mj" in own.main.links()
    assert await review.applicant.leads_to("/submit") == DESK_PATH
    assert await review.applicant.leads_to(DESK_PATH) == f"{DESK_PATH}/lakeside-mj"
    desk = await review.applicant.page(f"{DESK_PATH}/lakeside-mj")
    assert desk.main.one("h1").text == "Lakeside"
    first = desk.main.one("section", **{"aria-labelledby": "first"})
    for link in first.links():
        assert (await review.applicant.get(link)).status_code == 200
    assert f"{DESK_PATH}/lakeside-mj/keys" in first.links()
    assert f"{DESK_PATH}/lakeside-mj/night" in desk.main.links()
    decided = await review.reviewer.page("/staff/applications?which=decided")
    assert review.path in decided.main.links()
    acts = [act for act, _ in await review.staffed.acts()]
    assert {"look_at_application", "ask_applicant", "approve_application"} <= set(acts)


async def test_two_staff_at_once_and_a_double_press_make_one_source(review: Review) -> None:
    other = await review.staffed.at_desk(OPERATOR)
    path = f"{review.path}/approve"
    ended = await asyncio.gather(
        review.reviewer.send(path, DECISION),
        review.reviewer.send(path, DECISION),
        other.send(path, DECISION | {"slug": "lakeside-two", "name": "Another Name"}),
        other.send(path, DECISION | {"slug": "lakeside-two", "name": "Another Name"}),
    )
    # Whoever meant what is so already is led there.
    assert [each.status_code for each in ended] == [303] * 4
    assert len(await sources(review)) == 1
    assert len(await told(review)) == 2
    status, page = await review.press("decline", {"reason": "No."})
    assert status == 409
    assert "It was approved in the meantime." in page.main.one("p", class_="summary").text
    assert len(await told(review)) == 2


async def test_declined_the_applicant_reads_why_and_may_apply_again(review: Review) -> None:
    for reason in ("", "x" * 1_001, "a\u202eb"):
        status, page = await review.press("decline", {"reason": reason})
        assert (status, set(wrong_in(page))) == (422, {"reason"})
        (kept,) = page.main.one("textarea", id="reason").children or [""]
        assert str(kept).removeprefix("\n") == reason or not reason
    status, page = await review.press("decline", {"reason": "We can’t find your club."})
    assert "We can’t find your club." in part(page, "decision")
    own = await review.applicant.page(review.seen_at)
    assert "We can’t find your club." in own.main.text
    assert "We can’t find your club." in (await told(review))[-1]
    assert await sources(review) == []
    again = await review.another()
    assert "applied once before: 1 declined" in part(await review.look(again), "rules")


async def test_what_is_wrong_with_a_name_is_told_at_its_field(review: Review) -> None:
    pool = review.staffed.town.house.pool
    await add_source(pool, "hilltop", SourceDetails("Hilltop", "club"), now=START)
    before = await sources(review)
    for other, field in (
        ({"slug": "hilltop"}, "slug"),
        ({"slug": "mahjic"}, "slug"),
        ({"slug": "Not a slug"}, "slug"),
        ({"name": ""}, "name"),
        ({"type": "circus"}, "type"),
        ({"region": "moon"}, "region"),
        ({"name": "Hill Top Mahjong Club"}, "told-apart"),
    ):
        typed = DECISION | other
        status, page = await review.press("approve", typed)
        assert status in {409, 422}
        assert set(wrong_in(page)) == {field}
        links = page.main.one("div", class_="summary").links()
        assert links == [f"#{field}"]
        assert f'id="{field}"' in page.html
        for name in ("slug", "name"):
            assert page.main.one("input", id=name).attributes["value"] == typed[name]
    assert await sources(review) == before
    assert "Hilltop (hilltop)" in wrong_in(page)["told-apart"]
    status, _ = await review.press("approve", typed | {"told-apart": "yes"})
    assert status == 303
    assert len(await sources(review)) == len(before) + 1


async def test_approving_needs_a_login_of_the_last_minutes_and_says_so_first(
    review: Review,
) -> None:
    await review.reviewer.make_stale()
    page = await review.look()
    assert f"/login?to={review.path}" in page.main.links()
    assert not [
        each for each in page.main.all("form") if each.attributes["action"][-7:] == "approve"
    ]
    status, page = await review.press("approve", DECISION)
    assert status == 403
    assert await sources(review) == []
    # What was typed is given back, and sent once they have logged in again.
    (form,) = page.main.all("form")
    assert fields_of(form) == DECISION
    logged_in = await review.staffed.at_desk(REVIEWER)
    assert (await logged_in.send(form.attributes["action"], fields_of(form))).status_code == 303
    assert len(await sources(review)) == 1


async def test_an_answer_whose_login_has_ended_is_given_back(review: Review) -> None:
    await review.press("ask", {"question": "Where?", "seen": "0"})
    await review.staffed.town.house.pool.execute("DELETE FROM mahjic.logins")
    typed = "In the library.\n\n<b>Upstairs</b>"
    path = f"{review.seen_at}/answers"
    answer = await review.applicant.send(path, {"answer-1": typed})
    assert answer.status_code == 401
    assert "&lt;b&gt;Upstairs&lt;/b&gt;" in answer.text
    assert f'action="{path}"' in answer.text
    assert f'href="/login?to={review.seen_at}"' in answer.text
    await review.applicant.log_in(FORM["address"])
    assert (await review.applicant.send(path, {"answer-1": typed})).status_code == 303


async def test_several_questions_are_answered_on_one_page_and_mistakes_lose_nothing(
    review: Review,
) -> None:
    for number, question in enumerate(("Where?", "When?")):
        await review.press("ask", {"question": question, "seen": str(number)})
    path = f"{review.seen_at}/answers"
    answer = await review.applicant.send(path, {"answer-1": "Here.", "answer-2": "x" * 2_001})
    assert answer.status_code == 422
    assert "2000 characters" in answer.text
    assert "Here." in answer.text
    assert "x" * 2_001 in answer.text
    assert "Answered" not in (await review.look()).main.text
    # One of two leaves the other open.
    await review.applicant.send(path, {"answer-1": "Here.", "answer-2": " "})
    own = await review.applicant.page(review.seen_at)
    assert own.main.one("h1").text == "We have a question"
    assert [each.attributes["id"] for each in own.main.all("textarea")] == ["answer-2"]
    await review.applicant.send(path, {"answer-2": "Now."})
    assert (await review.applicant.page(review.seen_at)).main.one("h1").text.startswith("Your")
