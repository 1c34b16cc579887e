"""A club corrects, voids and brings back its sessions: each of it once, and as its own claim."""

import asyncio
from decimal import Decimal

from tests.site.desk.conftest import CLUB, OWNER, SCORER, Desks
from tests.site.desk.sessions.test_found import LIST, claim_of, linked, read, rows, send
from tests.site.desk.test_night import DAY, NAMES, as_sent, league_night, meet
from tests.site.desk.test_night_erasure import forget
from tests.site.desk.typing import Typist, fields_of
from tests.site.me.conftest import Member

FACTS = "SELECT count(*) FROM mahjic.facts"
LOGGED = "SELECT string_agg(convert_from(body, 'UTF8'), '') FROM mahjic.facts"
VOID = {"reason": "entered_twice", "note": ""}


async def at_session(browser: Member, session_id: str) -> Typist:
    """Open a session of the club."""
    typist = Typist(browser, await browser.page(LIST))
    await typist.go(f"{LIST}/{session_id}")
    return typist


async def ratings(desks: Desks) -> dict[str, Decimal]:
    """Return where everybody stands, once the views show every fact."""
    pool = desks.town.house.pool
    await desks.town.shown(await pool.fetchval("SELECT max(seq) FROM mahjic.facts"))
    found = {}
    for address in NAMES:
        if not address.startswith("PRIVATE:"):
            player = await desks.town.id_of(address)
            profile = await read(desks, f"/v1/players/{player}")
            found[address] = Decimal(str(profile["rating"]))
    return found


async def test_a_session_is_voided_and_brought_back_each_time_once(desks: Desks) -> None:
    await meet(desks)
    before = await ratings(desks)
    night = await send(desks, as_sent())
    after = await ratings(desks)
    assert before != after
    browser = await desks.browser_of(SCORER)
    typist = await at_session(browser, night)
    (void,) = [each for each in typist.page.main.links() if each.endswith("/void")]
    await typist.go(void)
    # It is asked first, and says what the session did.
    assert [row[0] for row in rows(typist.page, "What this session did")] == list(NAMES.values())
    assert await ratings(desks) == after
    facts = await desks.town.house.pool.fetchval(FACTS)
    answers = await asyncio.gather(*(browser.send(void, VOID) for _ in range(3)))
    again = await browser.send(void, {**VOID, "reason": "other"})
    done = {each.headers["location"] for each in (*answers, again)}
    assert done == {f"{LIST}/{night}?done=voided"}
    assert await desks.town.house.pool.fetchval(FACTS) == facts + 1
    assert await ratings(desks) == before
    assert await browser.leads_to(void) == f"{LIST}/{night}"
    await typist.go(f"{LIST}/{night}?done=voided")
    assert "Taken out. It counts for nobody now." in typist.page.main.text
    assert "It was entered twice." in typist.page.main.text
    assert "Taken out: you" in typist.page.main.text
    told = await read(desks, f"/v1/sessions/{night}")
    assert (told["status"], told["ended"]["reason"]) == ("voided", "entered_twice")
    back = typist.form_with("Bring it back").attributes["action"]
    answers = await asyncio.gather(*(browser.send(back, {}) for _ in range(3)))
    (newest,) = {each.headers["location"] for each in answers}
    assert await desks.town.house.pool.fetchval(FACTS) == facts + 2
    assert await ratings(desks) == after
    await typist.go(newest)
    assert "It is back, and counts again." in typist.page.main.text
    assert "Brought back: you" in typist.page.main.text
    # What is pressed on an old page says where the session is now.
    stale = await browser.send(void, VOID)
    assert stale.status_code == 409
    assert newest.partition("?")[0] in stale.text


async def test_a_void_needs_a_reason_and_keeps_what_was_typed(desks: Desks) -> None:
    night = await send(desks, as_sent())
    browser = await desks.browser_of(SCORER)
    for sent, field in (
        ({"note": "By mistake <b>"}, "reason"),
        ({"reason": "because", "note": "By mistake <b>"}, "reason"),
        ({"reason": "other", "note": "x" * 501}, "note"),
        ({"reason": "other", "note": "a\u202eb"}, "note"),
    ):
        answer = await browser.send(f"{LIST}/{night}/void", sent)
        assert answer.status_code == 422
        assert f'id="{field}-wrong"' in answer.text
    assert "<b>" not in answer.text
    told = await read(desks, f"/v1/sessions/{night}")
    assert told["status"] == "rated"
    noted = {"reason": "other", "note": "Two of us\r\nsent it"}
    assert (await browser.send(f"{LIST}/{night}/void", noted)).status_code == 303
    told = await read(desks, f"/v1/sessions/{night}")
    assert told["ended"]["note"] == "Two of us\nsent it"


async def test_the_form_is_filled_and_says_what_is_different(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    typist = await at_session(await desks.browser_of(SCORER), night)
    await typist.send("Correct it")
    # Everything stands there as it is on record, by the names of the club.
    assert typist.page.main.one("h1").text == "Correct a session"
    assert (typist.typed["date"], typist.typed["kind"]) == (DAY, "league")
    assert [typist.typed[f"who-0-{seat}"] for seat in range(4)] == ["Alice", "Bob", "Carol", "Dave"]
    assert [typist.typed[f"points-1-{seat}"] for seat in range(4)] == ["60", "110", "40", "−10"]
    assert typist.typed["wall-1"] == "1"
    await typist.press("look")
    assert "Nothing is different" in typist.page.main.text
    await typist.go(typist.form_with("Leave the session as it is").attributes["action"][:-5])
    await mended(typist)
    changed = [each.text for each in typist.page.main.one("section").all("li")]
    assert changed == [
        "Round 1: Alice won 1 instead of 2.",
        "Round 1: Bob won 2 instead of 1.",
        "Round 1: Bob has 80.5 points instead of 80.",
    ]
    action = typist.form_with("Send the correction").attributes["action"]
    assert (await typist.browser.send(action, {"note": "Bob won it"})).status_code == 422


async def mended(typist: Typist) -> Typist:
    """Give one of the games of the first round to Bob."""
    return await typist.row(0, 0, "Alice", "1", "125").row(0, 1, "Bob", "2", "80.5").press("look")


async def test_a_correction_takes_the_place_of_its_session_once(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    typist = await at_session(await desks.browser_of(SCORER), night)
    await mended(await typist.send("Correct it"))
    browser, facts = typist.browser, await desks.town.house.pool.fetchval(FACTS)
    action = typist.form_with("Send the correction").attributes["action"]
    said = {"reason": "wrong_result", "note": "Bob won it"}
    answers = await asyncio.gather(*(browser.send(action, said) for _ in range(3)))
    again = await browser.send(action, said)
    (newest,) = {each.headers["location"] for each in (*answers, again)}
    assert await desks.town.house.pool.fetchval(FACTS) == facts + 1
    await typist.go(newest)
    assert "Corrected: you" in typist.page.main.text
    assert "Bob won it" in typist.page.main.text
    moved = {row[0]: row[1:] for row in rows(typist.page, "How the correction moved ratings")}
    # Of a private player the rating now is not told.
    assert moved["Dave"][:2] == ["private", "private"]
    assert moved["Alice"][0] != "private"
    told = await read(desks, f"/v1/sessions/{night}")
    new = newest.partition("?")[0].rsplit("/", 1)[1]
    became = (told["status"], told["corrected_by"], told["ended"]["reason"])
    assert became == ("corrected", new, "wrong_result")
    # The old one leads to it, and offers nothing more.
    await typist.go(f"{LIST}/{night}")
    assert f"{LIST}/{new}" in typist.page.main.links()
    assert not list(typist.page.main.all("button"))
    assert (await browser.send(f"{LIST}/{night}/correct", {})).status_code == 409
    assert linked(await browser.page(LIST))[:1] == [new]


async def test_a_correction_is_found_again_and_is_never_sent_as_a_new_night(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    typist = await at_session(await desks.browser_of(SCORER), night)
    await typist.send("Correct it")
    await typist.row(0, 0, "Alice", "1").row(0, 1, "Bob", "2").press("save")
    draft = typist.action
    other = await at_session(await desks.browser_of(OWNER), night)
    await other.send("Correct it")
    assert (other.action, other.typed["won-0-1"]) == (draft, "2")
    # By the button of another page it would be a new night; it is asked as a correction.
    answer = await other.browser.send(f"{draft}/send", {"as": "new"})
    assert answer.headers["location"].startswith(f"{LIST}/{night}/correction/")
    wrong = answer.headers["location"].replace(night, "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG")
    assert (await other.browser.get(wrong)).status_code == 404
    assert "a correction" in (await other.browser.page(f"/desk/{CLUB}")).main.text


async def test_a_correction_that_is_begun_by_many_at_once_is_begun_once(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    helpers = [await desks.browser_of(each) for each in (OWNER, SCORER) for _ in range(3)]
    answers = await asyncio.gather(
        *(each.send(f"{LIST}/{night}/correct", {}) for each in helpers for _ in range(3))
    )
    assert {each.status_code for each in answers} == {303}
    assert len({each.headers["location"] for each in answers}) == 1
    drafts = "SELECT count(*) FROM mahjic.night_drafts WHERE corrects = $1"
    assert await desks.town.house.pool.fetchval(drafts, night) == 1


async def test_while_a_correction_is_typed_nothing_is_tried_as_a_new_night(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    typist = await at_session(await desks.browser_of(SCORER), night)
    await typist.send("Correct it")
    for won in ("1", "2"):
        typist.row(0, 1, "Bob", won, "80").row(0, 0, "Alice", str(3 - int(won)), "125")
        answer = await typist.browser.send(f"{typist.action}/live", typist.typed)
        assert (answer.json()["is_complete"], answer.json()["tried"]) == (True, "")


async def test_a_night_that_was_typed_says_who_sent_it(desks: Desks) -> None:
    await meet(desks)
    typist = await league_night(await desks.browser_of(SCORER))
    await typist.send()
    night, first = linked(await typist.browser.page(LIST))
    assert "Sent: you" in (await typist.browser.page(f"{LIST}/{night}")).main.text
    # What a program has sent says nothing of the kind.
    assert "Sent: " not in (await typist.browser.page(f"{LIST}/{first}")).main.text


async def test_who_did_it_is_on_no_log_and_gone_with_the_account(desks: Desks) -> None:
    night = await send(desks, claim_of(DAY, {"alice@ex.com": 2, "bob@ex.com": 2}))
    browser = await desks.browser_of(SCORER)
    await browser.send(f"{LIST}/{night}/void", VOID)
    pool = desks.town.house.pool
    account = await pool.fetchval("SELECT account_id FROM mahjic.session_acts")
    assert account not in await pool.fetchval(LOGGED)
    assert SCORER not in await pool.fetchval(LOGGED)
    owner = await desks.browser_of(OWNER)
    assert f"Taken out: {SCORER}" in (await owner.page(f"{LIST}/{night}")).main.text
    await desks.remove(SCORER)
    assert "no longer at this desk" in (await owner.page(f"{LIST}/{night}")).main.text
    await pool.execute("DELETE FROM mahjic.accounts WHERE account_id = $1", account)
    assert "no longer at this desk" in (await owner.page(f"{LIST}/{night}")).main.text


async def test_a_session_with_somebody_forgotten_comes_back_by_correction(desks: Desks) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    browser = await desks.browser_of(SCORER)
    await browser.send(f"{LIST}/{night}/void", VOID)
    await forget(desks, "carol@ex.com")
    typist = await at_session(browser, night)
    assert "no longer on record" in typist.page.main.text
    answer = await browser.send(f"{LIST}/{night}/bring-back", {})
    assert answer.status_code == 409
    assert "say who sat there" in answer.text
    await typist.send("Bring it back corrected")
    assert (typist.typed["who-0-2"], typist.typed["won-0-2"]) == ("", "1")
    await typist.press("look")
    assert set(typist.wrong()) == {"who-0-2"}


async def test_while_a_source_may_not_send_nothing_is_changed(desks: Desks) -> None:
    night = await send(desks, as_sent())
    browser = await desks.browser_of(SCORER)
    await desks.town.house.pool.execute("UPDATE mahjic.sources SET is_suspended = true")
    assert (await browser.send(f"{LIST}/{night}/void", VOID)).status_code == 403
    assert (await browser.get(f"{LIST}/{night}")).status_code == 200


async def test_what_is_too_old_is_for_our_staff(desks: Desks) -> None:
    night = await send(desks, as_sent())
    await desks.town.house.pool.execute(
        "UPDATE mahjic.submissions SET submitted_at = submitted_at - interval '91 days'"
    )
    browser = await desks.browser_of(SCORER)
    for act in ("void", "correct"):
        answer = await browser.send(f"{LIST}/{night}/{act}", VOID)
        assert answer.status_code == 409
        assert "more than 90 days ago" in answer.text
    page = await browser.page(f"{LIST}/{night}")
    assert "more than 90 days ago" in page.main.text
    assert not list(page.main.all("button"))


async def test_what_somebody_changes_while_a_correction_is_looked_at_is_not_sent_unseen(
    desks: Desks,
) -> None:
    await meet(desks)
    night = await send(desks, as_sent())
    typist = await at_session(await desks.browser_of(SCORER), night)
    await mended(await typist.send("Correct it"))
    form = typist.form_with("Send the correction")
    said = {**fields_of(form), "reason": "wrong_result"}
    other = await at_session(await desks.browser_of(OWNER), night)
    await other.send("Correct it")
    await other.row(0, 1, "Bob", "2", "8").press("save")
    facts = await desks.town.house.pool.fetchval(FACTS)
    answer = await typist.browser.send(form.attributes["action"], said)
    await typist.go(answer.headers["location"])
    assert "after you looked at it, so nothing was sent" in typist.page.main.text
    assert "Round 1: Bob has 8 points instead of 80." in typist.page.main.text
    assert await desks.town.house.pool.fetchval(FACTS) == facts
    seen = {**fields_of(typist.form_with("Send the correction")), "reason": "wrong_result"}
    done = await typist.browser.send(form.attributes["action"], seen)
    assert done.headers["location"].endswith("?done=corrected")
