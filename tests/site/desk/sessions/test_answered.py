"""What players say about sessions reaches the desk of their club, and is answered there."""

from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.desk.sessions.test_found import LIST, claim_of, send
from tests.site.desk.test_night import DAY
from tests.site.desk.test_night_erasure import forget

EVE = "eve@ex.com"
SAID = "I was <b>away</b> that night"
MAILS = "SELECT count(*) FROM mahjic.mails WHERE address = $1 AND kind = $2"


async def disputed(desks: Desks, sent: str = EVE, seen: str = "visible") -> tuple[str, str]:
    """Let somebody dispute a session; return it, and where she is answered."""
    night = await send(desks, claim_of(DAY, {sent: 2, "frank@ex.com": 1}))
    eve = await desks.town.welcomed(EVE, mail="important", seen=seen)
    said = await eve.send(f"/me/sessions/{night}/dispute", {"said": SAID})
    assert said.status_code == 303
    number = await desks.town.house.pool.fetchval("SELECT number FROM mahjic.disputes")
    return night, f"{LIST}/{night}/disputes/{number}"


async def test_a_dispute_is_found_answered_once_and_read_by_its_player(desks: Desks) -> None:
    night, answer = await disputed(desks)
    browser = await desks.browser_of(SCORER)
    for path in (f"/desk/{CLUB}", LIST):
        assert f"{LIST}/disputes" in (await browser.page(path)).main.links()
    page = await browser.page(f"{LIST}/disputes")
    assert (EVE in page.main.text, SAID in page.main.text) == (True, True)
    (link,) = [each for each in page.main.links() if night in each]
    page = await browser.page(link.partition("#")[0])
    assert "waiting for your answer" in page.main.text
    text = {"answer": "Frank says you sat in for Bea."}
    for _ in range(3):
        sent = await browser.send(answer, text)
        assert sent.headers["location"] == f"{LIST}/{night}?done=answered"
    pool = desks.town.house.pool
    assert await pool.fetchval("SELECT count(*) FROM mahjic.session_acts") == 1
    assert await pool.fetchval(MAILS, EVE, "dispute_answered") == 1
    page = await browser.page(f"{LIST}/{night}?done=answered")
    assert "A player was answered: you" in page.main.text
    assert "You answered: Frank says you sat in for Bea." in page.main.text
    assert "Nobody is waiting" in (await browser.page(f"{LIST}/disputes")).main.text
    assert "answered" in (await browser.page(f"{LIST}/disputes?all=yes")).main.text
    eve = await desks.town.member(EVE)
    assert text["answer"] in (await eve.page(f"/me/sessions/{night}/dispute")).main.text


async def test_what_cannot_be_answered_so_keeps_what_was_typed(desks: Desks) -> None:
    night, answer = await disputed(desks)
    browser = await desks.browser_of(SCORER)
    for text, words in (("", "no text"), ("x" * 501, "500 characters"), ("a\u202eb", "invisible")):
        refused = await browser.send(answer, {"answer": text})
        assert refused.status_code == 422
        assert words in refused.text
    assert (await browser.send(answer + "9", {"answer": "No."})).status_code == 404
    assert (await browser.send(answer[:-1] + "x", {"answer": "No."})).status_code == 404
    other = await send(desks, claim_of(DAY, {"g@ex.com": 2, "h@ex.com": 1}))
    assert (await browser.send(answer.replace(night, other), {"answer": "No."})).status_code == 404
    # Once the session is taken out, the player sees that, and there is nothing to answer.
    await browser.send(f"{LIST}/{night}/void", {"reason": "wrong_players"})
    refused = await browser.send(answer, {"answer": "You are right."})
    assert refused.status_code == 409
    assert await desks.town.house.pool.fetchval("SELECT answer FROM mahjic.disputes") is None
    eve = await desks.town.member(EVE)
    assert "taken out" in (await eve.page(f"/me/sessions/{night}/dispute")).main.text


async def test_only_the_club_that_sent_it_reads_and_answers(desks: Desks) -> None:
    _night, answer = await disputed(desks)
    stranger = await desks.browser_of(STRANGER)
    there = answer.replace(CLUB, OTHER, 1)
    assert (await stranger.send(there, {"answer": "Ours now."})).status_code == 404
    page = await stranger.page(f"/desk/{OTHER}/sessions/disputes?all=yes")
    assert SAID not in page.main.text
    assert await desks.town.house.pool.fetchval("SELECT answer FROM mahjic.disputes") is None


async def test_what_a_private_player_says_is_read_by_the_name_that_the_club_sent(
    desks: Desks,
) -> None:
    night, _answer = await disputed(desks, f"PRIVATE:{EVE}", "private")
    page = await (await desks.browser_of(OWNER)).page(f"{LIST}/{night}")
    (section,) = page.main.all("section", class_="card")
    assert section.one("h2").text == f"{EVE} says: I did not play this"


async def test_it_is_gone_with_its_player(desks: Desks) -> None:
    night, _answer = await disputed(desks)
    await forget(desks, EVE)
    browser = await desks.browser_of(OWNER)
    for path in (f"{LIST}/{night}", f"{LIST}/disputes?all=yes"):
        assert SAID not in (await browser.page(path)).main.text
