"""A sheet is uploaded, drawn with its mistakes, mended, and sent as its file would be."""

import io

import httpx
import openpyxl

from shared.sheets.template import template_csv, template_xlsx
from tests.service import bearer
from tests.sheets.sheets import FIELD_CSV
from tests.site.desk.conftest import CLUB, SCORER, Desks
from tests.site.desk.sheet.uploading import (
    FOUND,
    FOUND_THEN,
    HIDDEN_ROW,
    MENDED,
    TYPED,
    TYPED_THEN,
    WRONG,
    Uploader,
    book_of,
)
from tests.site.desk.test_night import count

# How a change that rounds to nothing is written.
LEVEL = {"+0": "\u00b10", "\u22120": "\u00b10"}
SHEETS = "SELECT count(*) FROM mahjic.night_drafts WHERE sheet IS NOT NULL"


async def by_program(desks: Desks, content: bytes, **asked: str) -> httpx.Response:
    """Send a file as a program does."""
    headers = {**bearer(desks.town.key), "Content-Type": "application/octet-stream"}
    return await desks.town.running.client.post(
        "/v1/sheets", content=content, params=asked, headers=headers
    )


async def test_the_sheet_of_the_seeds_is_looked_at_and_sent(desks: Desks) -> None:
    tried = (await by_program(desks, FIELD_CSV, dry_run="true")).json()
    uploader = await Uploader.of(await desks.browser_of(SCORER), FIELD_CSV)
    assert "Nothing is wrong in the sheet" in uploader.page.main.text
    assert uploader.page.main.one("h1").text == "Saturday, Jan 31, 2026"
    (moves,) = uploader.page.main.all("table", class_="moves")
    shown = [(row[0], row[3]) for row in list(moves.rows())[1:]]
    expected = [
        (f"{each['player']} new here", f"{each['rating_change']:+.0f}".replace("-", "\u2212"))
        for each in tried["results"]
    ]
    assert shown == [(who, LEVEL.get(by, by)) for who, by in expected]
    rounds = [list(each.rows()) for each in uploader.page.main.all("table", class_="played")]
    assert rounds[1][1:] == [
        ["alice@example.com", "1", "60"],
        ["eve@example.com", "2", "110"],
        ["frank@example.com", "0", "40"],
        ["george@example.com", "0", "\u221210"],
    ]
    assert await count(desks) == 0
    await uploader.send()
    assert uploader.page.main.one("h1").text == "The night is sent"
    again = await by_program(desks, FIELD_CSV)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (200, "true")
    assert await count(desks) == 1


async def test_a_sheet_full_of_mistakes_is_mended_in_the_page_until_it_counts(
    desks: Desks,
) -> None:
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*WRONG, hidden=HIDDEN_ROW))
    listed = uploader.mistakes()
    assert [where for where, _ in listed] == [where for where, _ in FOUND]
    for (_, words), (_, told) in zip(listed, FOUND, strict=True):
        assert told in words
    # Each is marked at its place, and its place is where the list leads.
    marked = uploader.marked()
    assert marked["c-7-A"] == ["Mistake 5"]
    assert marked["row-14"] == ["Mistake 8"]
    assert marked["row-19"] == ["Mistake 12", "Mistake 13"]
    assert sum(map(len, marked.values())) == len(FOUND)
    links = [each for each in uploader.page.main.links() if each.startswith(("#c-", "#row-"))]
    assert [each.removeprefix("#") for each in dict.fromkeys(links)] == list(
        dict.fromkeys(sorted(marked, key=lambda at: int(marked[at][0].split()[1])))
    )
    (cell,) = uploader.page.main.all("input", id="c-7-A")
    assert cell.attributes["aria-invalid"] == "true"
    assert cell.attributes["aria-describedby"] == "mistake-5"
    assert "hidden" in uploader.page.main.one("th", id="row-19").text

    await uploader.type(TYPED).press("example")
    await uploader.press("strike")
    assert [where for where, _ in uploader.mistakes()] == [where for where, _ in FOUND_THEN]
    assert uploader.typed["c-14-A"] == ""
    assert uploader.typed["c-19-A"] == ""
    assert await count(desks) == 0
    await uploader.type(TYPED_THEN).press("look")
    assert "Nothing is wrong in the sheet" in uploader.page.main.text
    await uploader.send()
    # To the log it is the file, mended by hand.
    again = await by_program(desks, book_of(*MENDED))
    assert (again.status_code, again.headers["idempotency-replayed"]) == (200, "true")
    session_id = await desks.town.house.pool.fetchval("SELECT session_id FROM mahjic.night_drafts")
    assert again.json()["session_id"] == session_id
    assert await count(desks) == 1


async def test_what_is_hidden_may_be_counted_instead(desks: Desks) -> None:
    # Without its fourth player the round still adds up, so nobody would notice.
    rows = [list(each) for each in MENDED]
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*rows, hidden=16))
    assert [where for where, _ in uploader.mistakes()] == ["Row 16"]
    await uploader.press("show")
    await uploader.send()
    assert (await by_program(desks, book_of(*rows))).status_code == 200


async def test_of_the_untouched_template_nothing_counts(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    for content in (template_csv(), template_xlsx()):
        uploader = await Uploader.of(browser, content)
        assert len(uploader.mistakes()) == 8
        assert all("still the example" in words for _, words in uploader.mistakes())
        await uploader.press("example")
        assert all("2 to 4 players" in words for _, words in uploader.mistakes())
    page = await browser.page(f"/desk/{CLUB}/sheet")
    for link in ("/v1/sheets/template.xlsx", "/v1/sheets/template.csv"):
        assert link in page.main.links()
        assert (await browser.get(link)).status_code == 200


async def test_date_and_kind_that_are_nowhere_are_asked_for(desks: Desks) -> None:
    content = book_of(
        ["ROUND 1, games: 1, wall: 0"], ["Email", "Wins"], ["a@ex.com", 1], ["b@ex.com", 0]
    )
    uploader = await Uploader.of(await desks.browser_of(SCORER), content)
    assert [where for where, _ in uploader.mistakes()] == ["The whole sheet"] * 2
    await uploader.type({"date": "2026-01-31", "kind": "social"}).press("look")
    assert "Nothing is wrong in the sheet" in uploader.page.main.text
    await uploader.go(f"{uploader.at}?part=1")
    assert uploader.typed["c-1-A"] == "Date: 2026-01-31"
    # Rows are added and left out by their number.
    await uploader.type({"row": "4"}).press("insert")
    await uploader.go(f"{uploader.at}?part=1")
    await uploader.type({"c-5-A": "c@ex.com", "c-5-B": "x"}).press("look")
    assert [where for where, _ in uploader.mistakes()] == ["Row 5, column B"]
    await uploader.type({"row": "5"}).press("clear")
    await uploader.send()
    assert await count(desks) == 1


async def test_one_of_several_sheets_is_chosen(desks: Desks) -> None:
    book = openpyxl.load_workbook(io.BytesIO(book_of(*MENDED)))
    book["Sheet"].title = "January"
    book.create_sheet("February")["A1"] = "Plans"
    content = io.BytesIO()
    book.save(content)
    uploader = await Uploader.of(await desks.browser_of(SCORER), content.getvalue())
    assert uploader.page.main.one("h1").text == "Which sheet is the night?"
    values = [each.attributes["value"] for each in uploader.page.main.all("input", type="radio")]
    assert values == ["January", "February"]
    answer = await uploader.browser.send(uploader.at, {"sheet": "January", "version": "1"})
    await uploader.go(answer.headers["location"])
    await uploader.send()
    assert await count(desks) == 1
