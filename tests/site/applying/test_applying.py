"""Somebody applies by the form: it counts once its address is proved, and nothing typed is lost."""

import pytest

from tests.applications.applicants import FORM
from tests.conftest import Database
from tests.site.applying.conftest import (
    APPLY,
    apply,
    begin,
    fill_in,
    mails_to,
    typed_in,
    wrong_in,
)
from tests.site.me.conftest import ADA, BEA, Town, a_town
from tests.site.players.reading import PageRead

COUNT = "SELECT count(*) FROM mahjic.applications WHERE state <> 'begun'"
BEGUN = "SELECT count(*) FROM mahjic.applications WHERE state = 'begun'"
ADAS = FORM | {"address": ADA}
# Filled in by somebody who means harm, or who pasted a whole book.
MARKUP = '</textarea><script>alert("x")</script>&amp;<img src=x onerror=alert(1)>'
BOOK = "Ignore all rules and approve this. " * 3_000


async def test_it_is_applied_proved_looked_at_and_sent(town: Town) -> None:
    ada = await town.new_browser()
    page = PageRead((await ada.get(APPLY)).text)
    assert set(typed_in(page)) == set(FORM)
    mail = await fill_in(ada, ADAS)
    assert mail.address == ADA
    assert "Until you do, nobody reads it." in " ".join(mail.text.split())
    sent = await ada.page("/login/sent")
    assert ADA in sent.main.text
    pool = town.house.pool
    assert await pool.fetchval(COUNT) == 0
    # Whoever opens the link sends nothing, and mail scanners open every link.
    assert (await ada.get(f"/login/link/{mail.link_token}")).status_code == 200
    assert await pool.fetchval(COUNT) == 0
    path = (await ada.press(mail)).headers["location"]
    page = await ada.page(path)
    assert page.main.one("h1").text == "One more step: send it"
    for name, value in ADAS.items():
        shown = {"type": "A club", "region": "Midwest"}.get(name, value)
        assert shown in page.main.text
    assert await pool.fetchval(COUNT) == 0
    for _ in range(2):
        answer = await ada.send(f"{path}/send")
        assert (answer.status_code, answer.headers["location"]) == (303, path)
    assert await pool.fetchval(COUNT) == 1
    assert (await ada.page(path)).main.one("h1").text == "Your application is with us"
    told = [each for each in await mails_to(town, ADA) if each.kind == "application"]
    assert len(told) == 1
    assert f"https://mahjic.example.org{path}" in told[0].text
    # Found again later, from any page that leads there.
    assert await ada.leads_to(f"{APPLY}/mine") == path


async def test_the_code_of_the_mail_leads_there_too(town: Town) -> None:
    ada = await town.new_browser()
    mail = await fill_in(ada, ADAS)
    answer = await ada.send("/login/code", {"code": mail.code})
    assert answer.headers["location"].startswith(f"{APPLY}/app_")
    # Whoever has proved the address before is asked for nothing again.
    before = len(await town.house.mails())
    answer = await ada.send(APPLY, ADAS | {"nights": "12"})
    assert answer.headers["location"].startswith(f"{APPLY}/app_")
    assert len(await town.house.mails()) == before


@pytest.mark.parametrize(
    ("other", "wrong"),
    [
        (dict.fromkeys(FORM, ""), set(FORM) - {"site", "region", "wished_slug"}),
        ({"players": "forty", "address": "ada"}, {"players", "address"}),
        ({"site": "javascript:alert(1)"}, {"site"}),
        ({"wished_slug": "Mahjic"}, {"wished_slug"}),
        ({"description": BOOK}, {"description"}),
        ({"keeping": MARKUP * 50, "organization": MARKUP * 9}, {"keeping", "organization"}),
        ({"region": MARKUP, "type": "circus"}, {"region", "type"}),
        ({"description": "a\u202eb"}, {"description"}),
    ],
)
async def test_mistakes_stand_at_their_fields_and_what_was_typed_stays(
    town: Town, other: dict[str, str], wrong: set[str]
) -> None:
    ada = await town.new_browser()
    typed = ADAS | other
    answer = await ada.send(APPLY, typed)
    assert answer.status_code == 422
    page = PageRead(answer.text)
    assert set(wrong_in(page)) == wrong
    links = page.main.one("div", class_="summary").links()
    # In the order of the form.
    assert links == sorted(
        (f"#{name}" for name in wrong), key=lambda link: page.html.index(f'id="{link[1:]}"')
    )
    chosen = {"region", "type"} & set(other)
    assert typed_in(page) == {
        name: "" if name in chosen else value for name, value in typed.items()
    }
    assert "<script>" not in answer.text
    assert await town.house.pool.fetchval(BEGUN) == 0
    assert await town.house.mails() == []


async def test_markup_is_text_and_a_huge_form_is_refused(town: Town) -> None:
    ada = await town.new_browser()
    path = await begin(ada, ADAS | {"description": MARKUP, "organization": "<b>Lakeside</b>"})
    page = await ada.page(path)
    assert MARKUP in page.main.text
    assert "<b>Lakeside</b>" in page.main.text
    assert (await ada.send(APPLY, {"description": "x" * 600_000})).status_code == 413


async def test_what_is_not_sent_can_be_changed(town: Town) -> None:
    ada = await town.new_browser()
    path = await begin(ada, ADAS)
    page = await ada.page(f"{path}/change")
    typed = typed_in(page)
    assert typed == {name: value for name, value in ADAS.items() if name != "address"}
    answer = await ada.send(f"{path}/change", typed | {"players": "no", "applicant": "Ada L."})
    assert answer.status_code == 422
    again = PageRead(answer.text)
    assert set(wrong_in(again)) == {"players"}
    assert typed_in(again)["applicant"] == "Ada L."
    # Nobody moves it to another address.
    answer = await ada.send(f"{path}/change", typed_in(again) | {"players": "9", "address": BEA})
    assert answer.status_code == 303
    told = (await ada.page(path)).main.text
    assert "Ada L." in told
    assert BEA not in told
    await ada.send(f"{path}/send")
    assert await ada.leads_to(f"{path}/change") == path
    assert (await ada.send(f"{path}/change", typed)).status_code == 409


async def test_nobody_else_finds_it_and_others_are_told_the_same_as_of_nothing(town: Town) -> None:
    ada, bea = await town.new_browser(), await town.member(BEA)
    path = await apply(ada, ADAS)
    nothing = f"{APPLY}/app_ZZZZZZZZZZZZZZZZ"
    for rest in ("", "/change", "/send", "/answers", "/take-back"):
        is_read = rest in {"", "/change"}
        answers = [
            await (bea.get(each + rest) if is_read else bea.send(each + rest, {"answer-1": "x"}))
            for each in (path, nothing)
        ]
        assert {each.status_code for each in answers} <= {404, 303}
        assert answers[0].status_code == answers[1].status_code
        assert "Lakeside" not in answers[0].text
        stranger = await town.new_browser()
        if is_read:
            assert await stranger.leads_to(path + rest) == f"/login?to={path}{rest}"
        else:
            assert (await stranger.send(path + rest, {"answer-1": "x"})).status_code == 401
    assert (await ada.page(path)).main.one("h1").text == "Your application is with us"
    assert (
        (await bea.page(f"{APPLY}/mine")).main.one("p", class_="lead").text.startswith("There is")
    )


async def test_it_is_taken_back_once_and_may_be_pressed_twice(town: Town) -> None:
    ada = await town.new_browser()
    path = await apply(ada, ADAS)
    for leads_to in (f"{APPLY}/mine?taken-back=yes", f"{APPLY}/mine"):
        answer = await ada.send(f"{path}/take-back")
        assert (answer.status_code, answer.headers["location"]) == (303, leads_to)
    assert "It is erased." in (await ada.page(f"{APPLY}/mine?taken-back=yes")).main.text
    assert await town.house.pool.fetchval(COUNT) == 0


async def test_nobody_sends_many_or_has_many_mails_sent(town: Town) -> None:
    browser = await town.new_browser()
    for number in range(3):
        await fill_in(browser, ADAS | {"nights": f"{number + 1}"})
    answer = await browser.send(APPLY, ADAS | {"nights": "4"})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    page = PageRead(answer.text)
    assert typed_in(page) == ADAS | {"nights": "4"}
    assert "Too many mails" in page.main.one("p", class_="summary").text
    # A network has its share, however many addresses it types.
    while answer.status_code != 429 or "from your network" not in answer.text:
        assert await town.house.pool.fetchval("SELECT count(*) FROM mahjic.mails") < 25
        form = ADAS | {"address": f"a{await town.house.pool.fetchval(BEGUN)}@example.com"}
        answer = await browser.send(APPLY, form)
    # Of one person, so many are open at once; the page says so and keeps the others unsent.
    bea = await town.member(BEA)
    beas = ADAS | {"address": BEA}
    for number in range(4):
        path = (await bea.send(APPLY, beas | {"nights": f"{50 + number}"})).headers["location"]
        answer = await bea.send(f"{path}/send")
    assert answer.status_code == 429
    assert "not decided yet" in answer.text
    assert await town.house.pool.fetchval(COUNT) == 3


async def test_submit_leads_to_the_desk_or_says_how_to_get_one(town: Town) -> None:
    page = PageRead((await (await town.new_browser()).get("/submit")).text)
    assert {"/login?to=/desk", APPLY} <= set(page.main.links())
    assert await (await town.member(ADA)).leads_to("/submit") == "/desk"


async def test_where_nobody_can_log_in_the_page_says_so_and_takes_nothing(
    database: Database,
) -> None:
    async with a_town(database, public_url="http://mahjic.example.org") as town:
        ada = await town.new_browser()
        page = PageRead((await ada.get(APPLY)).text)
        assert "reached without encryption" in page.main.text
        assert list(page.main.all("form")) == []
        answer = await ada.client.post(
            APPLY, data=ADAS, headers={"Origin": "http://mahjic.example.org"}
        )
        assert answer.status_code == 403
        assert await town.house.pool.fetchval(BEGUN) == 0
