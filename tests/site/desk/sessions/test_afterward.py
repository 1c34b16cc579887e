"""A club sees what others' corrections did to people of its sessions, but for private ones."""

from tests.service import bearer
from tests.site.desk.conftest import OWNER, SCORER, Desks
from tests.site.desk.sessions.test_found import LIST, claim_of, send
from tests.site.desk.test_night import DAY
from tests.site.players.reading import PageRead

ALICE, BOB, PRIVATE = "alice@ex.com", "bob@ex.com", "dave@ex.com"


async def corrected_elsewhere(desks: Desks, *sent: str) -> str:
    """Play elsewhere, then at the club, and let the other club void its session; return ours."""
    running = desks.town.running
    other = await running.source_key("third-club")
    earlier = claim_of("2026-01-02", dict(zip(sent, (3, 1), strict=True)))
    answer = await running.submit(earlier, other)
    assert answer.status_code == 201, answer.text
    ours = await send(desks, claim_of(DAY, dict(zip(sent, (1, 3), strict=True))))
    voided = await running.client.post(
        f"/v1/sessions/{answer.json()['session_id']}/void",
        json={"reason": "not_played"},
        headers=bearer(other),
    )
    assert voided.status_code == 201, voided.text
    await history_shown(desks)
    return ours


async def history_shown(desks: Desks) -> None:
    """Wait until the histories show every fact."""
    last = await desks.town.house.pool.fetchval("SELECT max(seq) FROM mahjic.facts")
    answer = await desks.town.running.client.get("/v1/formula", params={"min_seq": last})
    assert answer.status_code == 200, answer.text


def since(page: PageRead) -> list[str]:
    """Return what the page of a session says has happened since."""
    sections = [
        each
        for each in page.main.all("section")
        if each.attributes.get("aria-labelledby") == "later"
    ]
    return [each.text for section in sections for each in section.all("li")]


async def test_what_others_corrected_is_told_with_its_reason(desks: Desks) -> None:
    ours = await corrected_elsewhere(desks, ALICE, BOB)
    browser = await desks.browser_of(SCORER)
    page = await browser.page(f"{LIST}/{ours}")
    (told,) = since(page)
    assert told.startswith("An earlier session was taken out, one of Third Club")
    player = await desks.town.id_of(ALICE)
    change = next(each for each in page.main.links() if f"/players/{player}/changes/" in each)
    why = await desks.town.running.client.get(f"/v1{change}")
    assert why.status_code == 200, why.text
    moved = why.json()["mahjic"]["rating_change"]
    assert f"{ALICE} {moved:+.2f}".replace("-", "\u2212") in told
    # What ended the session itself is told above, once.
    await browser.send(f"{LIST}/{ours}/void", {"reason": "test_entry"})
    await history_shown(desks)
    page = await browser.page(f"{LIST}/{ours}")
    assert len(since(page)) == 1


async def test_of_a_private_player_not_even_that_anything_moved(desks: Desks) -> None:
    ours = await corrected_elsewhere(desks, ALICE, f"PRIVATE:{PRIVATE}")
    page = await (await desks.browser_of(OWNER)).page(f"{LIST}/{ours}")
    (told,) = since(page)
    assert ALICE in told
    assert PRIVATE not in told
    assert PRIVATE in page.main.text
    alone = await corrected_elsewhere(desks, f"PRIVATE:{PRIVATE}", "PRIVATE:eve@ex.com")
    page = await (await desks.browser_of(OWNER)).page(f"{LIST}/{alone}")
    assert since(page) == []


async def test_a_session_that_nothing_touched_says_nothing(desks: Desks) -> None:
    first = await send(desks, claim_of("2026-01-02", {ALICE: 3, BOB: 1}))
    later = await send(desks, claim_of(DAY, {ALICE: 1, BOB: 3}))
    browser = await desks.browser_of(SCORER)
    await browser.send(f"{LIST}/{later}/void", {"reason": "other"})
    await history_shown(desks)
    assert since(await browser.page(f"{LIST}/{first}")) == []
