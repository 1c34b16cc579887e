"""I did not play this: said, changed, answered, taken back, and only about one's own sessions."""

from datetime import timedelta

import httpx
import pytest

from services.ingest.people.disputes import STAFF_AFTER
from tests.ingest.changes.asking import caught_up, void
from tests.service import bearer
from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.test_forget_at_once import ada_of_two_players
from tests.site.me.whole_life import ADA, WORK
from tests.site.players.reading import PageRead

READ = "SELECT said FROM mahjic.disputes ORDER BY number"
OTHERS = "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"


def path_of(session_id: str) -> str:
    return f"/me/sessions/{session_id}/dispute"


async def said(life: Living) -> list[str]:
    return [row[0] for row in await life.pool.fetch(READ)]


async def say(visitor: Visitor, session_id: str, text: str) -> httpx.Response:
    return await visitor.send(path_of(session_id), {"said": text})


async def words(visitor: Visitor, path: str) -> str:
    answer = await visitor.get(path)
    assert answer.status_code == 200, path
    return PageRead(answer.text).text


async def answer(life: Living, text: str) -> None:
    number = await life.pool.fetchval("SELECT max(number) FROM mahjic.disputes")
    key = await life.service.operator_key()
    sent = await life.service.client.post(
        "/v1/admin/disputes", json={"number": number, "answer": text}, headers=bearer(key)
    )
    assert sent.status_code == 200, sent.text


async def test_it_is_said_changed_answered_and_taken_back(life: Living) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    visitor = await life.logged_in(ADA)
    page = await words(visitor, path_of(night))
    assert "The session of Jan 31, 2026, sent by A Club." in page
    assert "What happened?" in page
    sent = await say(visitor, night, " It was\r\nBob <b>Q.</b> ")
    assert (sent.status_code, sent.headers["location"]) == (303, path_of(night))
    assert await said(life) == ["It was\nBob <b>Q.</b>"]
    page = await words(visitor, path_of(night))
    assert "It was Bob <b>Q.</b>" in page
    assert "The club has not answered yet." in page
    await say(visitor, night, "It was Bo.")
    assert await said(life) == ["It was Bo."]
    await answer(life, "Bo says you.")
    for path in (path_of(night), "/me/disputes"):
        page = await words(visitor, path)
        assert "It was Bo." in page
        assert "Bo says you." in page
    assert "Send it to the club" not in await words(visitor, path_of(night))
    late = await say(visitor, night, "But no.")
    assert late.status_code == 409
    assert "was answered" in late.text
    gone = await visitor.send(f"{path_of(night)}/take-back")
    assert (gone.status_code, gone.headers["location"]) == (303, "/me/disputes")
    assert await said(life) == []
    assert "You have said nothing so far." in await words(visitor, "/me/disputes")
    assert (await visitor.send(f"{path_of(night)}/take-back")).status_code == 404


@pytest.mark.parametrize("text", ["", "  ", "a" * 501, "a" * 3000, "a\u202eb"])
async def test_a_text_that_nobody_can_read_is_told_at_the_field(life: Living, text: str) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    visitor = await life.logged_in(ADA)
    refused = await say(visitor, night, text)
    assert refused.status_code == 422
    (field,) = PageRead(refused.text).all("textarea")
    assert "said-wrong" in field.attributes["aria-describedby"]
    assert await said(life) == []


async def test_after_14_days_staff_look_at_it(life: Living) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    visitor = await life.logged_in(ADA)
    await say(visitor, night, "Not me.")
    await life.pool.execute(
        "UPDATE mahjic.disputes SET said_at = said_at - $1::interval",
        STAFF_AFTER + timedelta(seconds=1),
    )
    assert "our staff look at it" in await words(visitor, path_of(night))


async def test_what_became_of_the_session_is_shown(life: Living) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    other = await life.play({"ada": 1, "ben": 1}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    await say(visitor, night, "Not me.")
    for each in (night, other):
        assert (await void(life.service, each, await life.source_key("a-club"))).status_code == 201
    assert "The session was taken out." in await words(visitor, path_of(night))
    assert "no longer counts" in await words(visitor, path_of(other))
    for each in (night, other):
        assert (await say(visitor, each, "Still not me.")).status_code == 409


@pytest.mark.parametrize("session_id", [OTHERS, "x", "%00", "ses_%F0%9F%80%80", "a" * 64])
async def test_a_session_of_others_looks_like_none(life: Living, session_id: str) -> None:
    await life.play({"ada": 2, "ben": 1})
    theirs = await life.play({"cy": 2, "ben": 1})
    visitor = await life.logged_in(ADA)
    unknown = await visitor.get(path_of(session_id))
    known = await visitor.get(path_of(theirs))
    assert unknown.status_code == known.status_code == 404
    for each in (session_id, theirs):
        assert (await say(visitor, each, "Not me.")).status_code == 404
        assert (await visitor.send(f"{path_of(each)}/take-back")).status_code == 404
    assert await said(life) == []


async def test_somebody_of_two_players_says_it_of_both(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    rows = await life.pool.fetch("SELECT session_id FROM mahjic.submissions ORDER BY fact_seq")
    for (each,) in rows:
        assert (await say(visitor, each, f"Not me: {each}")).status_code == 303
    page = await words(visitor, "/me/disputes")
    assert all(f"Not me: {each}" in page for (each,) in rows)
    sat = await life.pool.fetch("SELECT player_id FROM mahjic.disputes ORDER BY number")
    assert [row[0] for row in sat] == [await life.player_of(ADA), await life.player_of(WORK)]


async def test_every_session_of_the_own_results_leads_there_and_no_public_page_does(
    life: Living,
) -> None:
    night = await life.play({"ada": 2, "ben": 1})
    gone = await life.play({"ada": 1, "ben": 1}, on="2026-01-02")
    await void(life.service, gone, await life.source_key("a-club"))
    visitor = await life.logged_in(ADA)
    chosen = {"name": "", "region": "", "seen": "visible", "mail": "nothing"}
    await visitor.send("/me/welcome", chosen)
    await caught_up(life.service)
    page = (await visitor.get("/me/history")).text
    assert path_of(night) in page
    assert path_of(gone) not in page
    public = await visitor.get(f"/players/{await life.player_of(ADA)}")
    assert public.status_code == 200
    assert "/dispute" not in public.text
