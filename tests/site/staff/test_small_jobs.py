"""Disputes that wait for staff, mail that does not get through, and how far every part is."""

from datetime import datetime, timedelta

import asyncpg

from services.ingest.people.disputes import STAFF_AFTER
from tests.ingest.changes.asking import caught_up, void
from tests.ingest.claims import a_round, a_session
from tests.mail.letters import a_letter
from tests.site.me.conftest import Member
from tests.site.staff.conftest import StaffTown

PLAYER = "eve@example.com"
SAID = "I was at <b>home</b> that night."


async def a_dispute(staffed: StaffTown, *, days_ago: timedelta) -> tuple[int, Member]:
    """Let somebody say that they did not play, some time ago."""
    town = staffed.town
    told = await town.play({PLAYER: 2, "fay@example.com": 1})
    browser = await town.welcomed(PLAYER)
    sent = await browser.send(f"/me/sessions/{told['session_id']}/dispute", {"said": SAID})
    assert sent.status_code == 303
    number = await town.house.pool.fetchval(
        "UPDATE mahjic.disputes SET said_at = said_at - $1::interval RETURNING number", days_ago
    )
    return number, browser


async def test_a_dispute_comes_to_staff_after_two_weeks_and_is_answered(
    staffed: StaffTown,
) -> None:
    number, player = await a_dispute(staffed, days_ago=STAFF_AFTER - timedelta(minutes=5))
    browser = await staffed.at_desk()
    assert "Nobody is waiting" in (await browser.page("/staff/disputes")).main.text
    await staffed.town.house.pool.execute(
        "UPDATE mahjic.disputes SET said_at = said_at - interval '10 minutes'"
    )
    page = await browser.page("/staff/disputes")
    assert SAID in page.main.text
    path = f"/staff/disputes/{number}"
    assert path in page.main.links()
    assert SAID in (await browser.page(path)).main.text
    assert (await browser.send(path, {"answer": " "})).status_code == 422
    assert (await browser.send(path, {"answer": "x" * 501})).status_code == 422
    assert await staffed.acts() == []
    answer = await browser.send(path, {"answer": "Bea confirms that you were there."})
    assert answer.headers["location"] == "/staff/disputes?done=answered"
    assert "Nobody is waiting" in (await browser.page("/staff/disputes")).main.text
    session_id = await staffed.town.house.pool.fetchval("SELECT session_id FROM mahjic.disputes")
    assert "Bea confirms" in (await player.page(f"/me/sessions/{session_id}/dispute")).main.text
    about = [f"dispute_{number}", await staffed.town.id_of(PLAYER), session_id]
    assert await staffed.acts() == [("answer_dispute", about)]


async def test_what_is_settled_needs_no_answer(staffed: StaffTown) -> None:
    number, _player = await a_dispute(staffed, days_ago=STAFF_AFTER)
    session_id = await staffed.town.house.pool.fetchval("SELECT session_id FROM mahjic.disputes")
    answer = await void(staffed.town.running, session_id, staffed.town.key)
    assert answer.status_code in {200, 201}, answer.text
    browser = await staffed.at_desk()
    path = f"/staff/disputes/{number}"
    assert "voided since" in (await browser.page(path)).main.text
    assert (await browser.send(path, {"answer": "Too late."})).status_code == 409
    for odd in ("0", "x", "99999999999999999999", "12345"):
        assert (await browser.get(f"/staff/disputes/{odd}")).status_code == 404
        assert (await browser.send(f"/staff/disputes/{odd}", {"answer": "a"})).status_code == 404


async def a_mail(staffed: StaffTown, **columns: object) -> str:
    """Write a mail that waits, and what became of it."""
    house = staffed.town.house
    async with house.pool.acquire() as connection, connection.transaction():
        mail_id = await house.accounts.outbox.queue(connection, a_letter())
    assert mail_id is not None
    for name, value in columns.items():
        await house.pool.execute(
            f"UPDATE mahjic.mails SET {name} = $2 WHERE mail_id = $1", mail_id, value
        )
    return mail_id


async def state_of(pool: asyncpg.Pool, mail_id: str, due_before: datetime) -> tuple[object, ...]:
    """Return the state of a mail, whether it is due before a time, and what it is about."""
    read = "SELECT state, due_at < $2, subject FROM mahjic.mails WHERE mail_id = $1"
    row = await pool.fetchrow(read, mail_id, due_before)
    assert row is not None
    return tuple(row)


async def test_mail_that_fails_is_tried_again_or_given_up(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    pool = staffed.town.house.pool
    far = staffed.town.house.clock.now() + timedelta(days=900)
    waits = await a_mail(staffed)
    tried = await a_mail(staffed, tries=2, smtp_code=451, due_at=far, good_until=far)
    page = await browser.page("/staff/mail")
    assert (tried in page.main.text, waits in page.main.text) == (True, False)
    assert "carol@example.com" not in page.main.text
    assert (await browser.send(f"/staff/mail/{tried}/retry")).status_code == 303
    assert await state_of(pool, tried, far) == ("queued", True, "Your code")
    assert (await browser.send(f"/staff/mail/{tried}/drop")).status_code == 303
    assert await state_of(pool, tried, far) == ("given_up", True, None)
    assert "given up" in (await browser.page("/staff/mail")).main.text
    for act in ("retry", "drop"):
        for mail_id in (tried, "mail_0000000000000000", "%00"):
            assert (await browser.send(f"/staff/mail/{mail_id}/{act}")).status_code == 404
    assert await staffed.acts() == [("retry_mail", [tried]), ("drop_mail", [tried])]


async def test_how_far_each_part_is(staffed: StaffTown) -> None:
    running = staffed.town.running
    told = await staffed.town.play({"ann@example.com": 2, "ben@example.com": 1})
    await caught_up(running)
    browser = await staffed.at_desk()
    page = await browser.page("/staff/lag")
    rows = {row[0]: row for row in page.main.one("table").rows()}
    assert rows["Ratings"][1:3] == [str(told["seq"]), "nothing"]
    assert rows["profiles"][1:3] == [str(told["seq"]), "nothing"]
    assert "Every part is up to date." in page.main.text
    await running.stop_rating()
    body = a_session(a_round({"ann@example.com": 1, "ben@example.com": 1}), on="2026-02-01")
    assert (await running.submit(body, staffed.town.key, prefer="wait=0")).status_code == 202
    page = await browser.page("/staff/lag")
    rows = {row[0]: row for row in page.main.one("table").rows()}
    assert rows["Ratings"][1:3] == [str(told["seq"]), "1 fact"]
    assert rows["profiles"][1:3] == [str(told["seq"]), "1 fact"]
    assert "Some parts are behind." in page.main.text
