"""One's own rating, every change and its reason: also of somebody who is private."""

import asyncio

from tests.site.me.conftest import ADA, BEA, CARA, DORA, Town
from tests.site.players.reading import PageRead, numbers_in

FOUR = {ADA: 2, BEA: 1, CARA: 0, DORA: 1}


async def test_a_private_player_sees_rating_chart_sessions_and_every_reason(town: Town) -> None:
    told = await town.play(FOUR)
    member = await town.welcomed(name="Ada", seen="private")
    await town.welcomed(CARA, name="Cara", seen="private")
    await town.welcomed(BEA, name="Bea")
    (result,) = (each for each in told["results"] if each["player"] == ADA)
    for path in ("/me", "/me/history"):
        facts = (await member.page(path)).main.one("div", class_="hero")
        assert facts.one("dd").text == str(round(result["rating_after"]))
    page = await member.page("/me/history")
    nights = page.main.one("ol", class_="nights")
    assert next(each.text for each in nights.all("summary")).startswith("Jan 31, 2026")
    assert page.main.one("table", id="ratings-table") is not None
    (why,) = {each for each in page.main.links() if each.startswith("/me/why/")}
    reason = await member.page(why)
    assert f"{result['rating_change']:+.2f}" in numbers_in(reason.main.text)
    assert "Against Bea" in reason.main.text
    assert "a private player" in reason.main.text
    assert "Cara" not in reason.html
    chart = await member.page("/me/chart")
    assert len(chart.main.one("table").rows()) == 2
    # All others read what they read of somebody who was never there.
    who = await town.id_of(ADA)
    change = why.removeprefix("/me/why/")
    for path in (f"/players/{who}", f"/players/{who}/chart", f"/players/{who}/changes/{change}"):
        answer = await town.ask(path)
        assert answer.status_code == 404
        assert "Ada" not in answer.text


async def test_no_link_of_a_private_player_leads_to_a_page_that_is_not_there(town: Town) -> None:
    session = (await town.play(FOUR))["session_id"]
    corrected = await town.running.client.post(
        f"/v1/sessions/{session}/void",
        json={"reason": "entered_twice"},
        headers={"Authorization": f"Bearer {await town.running.operator_key()}"},
    )
    assert corrected.status_code == 201, corrected.text
    await town.play(FOUR, on="2026-02-01")
    member = await town.welcomed(name="Ada", seen="private")
    seen: set[str] = set()
    left = ["/me/history"]
    while left:
        path = left.pop()
        if path in seen:
            continue
        answer = await member.get(path)
        if "being worked" in answer.text or "working that out" in answer.text:
            await asyncio.sleep(0.05)
            left.append(path)
            continue
        seen.add(path)
        assert answer.status_code == 200, path
        if path.startswith(("/me/history", "/me/why")):
            page = PageRead(answer.text)
            left += [each.split("#")[0] for each in page.main.links() if each.startswith("/")]
    assert len([each for each in seen if each.startswith("/me/why/")]) == 3


async def test_nobody_reads_the_reasons_of_others(town: Town) -> None:
    await town.play(FOUR)
    ada, bea = await town.welcomed(ADA, seen="private"), await town.welcomed(BEA)
    (why,) = {each for each in (await ada.page("/me/history")).main.links() if "/me/why/" in each}
    assert (await bea.get(why)).status_code == 404
    assert (await bea.get("/me/why/nonsense")).status_code == 404
    mistyped = why.replace("/me/why/MJ", "/me/why/MX")
    assert (await ada.get(mistyped)).status_code in {404, 422}
