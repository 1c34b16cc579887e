"""Sheets that wait are bounded, go with the people in them, and leave nobody when they are sent."""

from datetime import timedelta

from services.desks.downloaded import DraftSection
from services.desks.drafts import SHEETS_MAX, sweep_drafts
from services.ingest.players.grouped import WholePerson
from tests.site.desk.conftest import CLUB, SCORER, Desks
from tests.site.desk.sheet.uploading import MENDED, WRONG, Uploader, book_of
from tests.site.desk.test_night import meet
from tests.site.desk.test_night_erasure import forget

HELD = """
SELECT coalesce(sheet, '') || night::text || coalesce(sending::text, '') || named::text
FROM mahjic.night_drafts ORDER BY draft_id
"""
COUNT = "SELECT count(*) FROM mahjic.night_drafts"
HEAD: tuple[list[object], ...] = (["ROUND 1"], ["Player Email", "Mahjongs", "Notes"])


async def test_a_sheet_goes_with_whoever_is_named_anywhere_in_it(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    # As an address of every spelling, among other words, and by the name on the list alone.
    for text in (
        "alice@ex.com",
        "private : Alice@EX.com",
        "Alice Baker <alice@ex.com>, by phone",
        "\uff41lice\uff20ex.com",
        "ALICE",
    ):
        await Uploader.of(browser, book_of(*HEAD, ["carol@ex.com", 1, text]))
    await Uploader.of(browser, book_of(*HEAD, ["carol@ex.com", 1, "malice@ex.com"]))
    # Somebody whose address is typed into a cell is in it from then on.
    typed = await Uploader.of(browser, book_of(*HEAD, ["carol@ex.com", 1, "nobody"]))
    await typed.type({"c-4-A": "alice@ex.com"}).press("look")
    assert await desks.town.house.pool.fetchval(COUNT) == 7
    await forget(desks, "alice@ex.com")
    (held,) = [row[0] for row in await desks.town.house.pool.fetch(HELD)]
    assert "malice@ex.com" in held
    # What is mended in a page that is still open does not bring it back.
    answer = await browser.send(typed.at, {**typed.typed, "do": "look"})
    assert answer.status_code == 404
    assert await desks.town.house.pool.fetchval(COUNT) == 1


async def test_of_a_sheet_that_is_sent_nobody_is_left(desks: Desks) -> None:
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*MENDED))
    (before,) = [row[0] for row in await desks.town.house.pool.fetch(HELD)]
    assert "fay@ex.com" in before
    await uploader.send()
    (held,) = [row[0] for row in await desks.town.house.pool.fetch(HELD)]
    for name in ("@", "fay", "ann", "MJ-"):
        assert name not in held


async def test_sheets_are_swept_and_only_so_many_wait(desks: Desks) -> None:
    browser, pool = await desks.browser_of(SCORER), desks.town.house.pool
    for number in range(SHEETS_MAX):
        await Uploader.of(browser, book_of(*WRONG, [f"Sheet {number}"]))
    asked = await Uploader.begin(browser)
    answer = await asked.upload(book_of(*WRONG, ["One more"]))
    assert answer.status_code == 409
    assert "20 sheets of your club are not sent yet" in answer.text
    # One of them still takes a mended file.
    listed = [each for each in asked.page.main.links() if "/sheet/" in each and "/v1/" not in each]
    await asked.go(listed[0])
    assert (await asked.upload(book_of(*MENDED))).status_code == 303
    changed = await pool.fetchval("SELECT max(changed_at) FROM mahjic.night_drafts")
    assert await sweep_drafts(pool, now=changed + timedelta(days=30)) == SHEETS_MAX


async def test_what_is_no_sheet_is_said_where_it_is_chosen_and_not_kept(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    refused = {
        None: "Choose a file first.",
        b"%PDF-1.7": "a PDF document",
        b"Shopping,Milk\r\nEggs,12\r\n": "This is not a score sheet",
        b'a,"b\r\nc': "Row 1:",
        b"x" * (11 << 20): "The file is too large.",
    }
    for content, words in refused.items():
        uploader = await Uploader.begin(browser)
        answer = await uploader.upload(content)
        assert answer.status_code in {413, 422}, content and content[:20]
        assert words in answer.text
        assert 'id="file-wrong"' in answer.text
        assert "mahjic template" not in answer.text
    # A file that is none leaves the sheet as it is for which it was meant.
    uploader = await Uploader.of(browser, book_of(*MENDED))
    await uploader.go(f"{uploader.at}?part=1")
    assert (await uploader.upload(b"%PDF-1.7")).status_code == 422
    assert await desks.town.house.pool.fetchval(COUNT) == 1
    assert "Nothing is wrong" in (await browser.page(uploader.at.partition("?")[0])).main.text


async def test_a_night_is_no_sheet_and_a_sheet_no_night(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    uploader = await Uploader.of(browser, book_of(*WRONG))
    night = f"/desk/{CLUB}/night/{uploader.draft_id}"
    assert (await browser.get(night)).status_code == 404
    assert (await browser.send(night, {"do": "save", "games-0": "1"})).status_code == 404
    await browser.send(f"/desk/{CLUB}/night/nid_typed", {"do": "save", "games-0": "1"})
    typed = f"/desk/{CLUB}/sheet/nid_typed"
    assert (await browser.get(typed)).status_code == 404
    assert (await browser.send(typed, {"do": "look", "c-1-A": "x"})).status_code == 404
    await uploader.go(uploader.at)
    assert (await uploader.upload(book_of(*MENDED))).status_code == 303


async def test_who_downloads_everything_gets_the_own_rows_of_a_sheet(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    rows: tuple[list[object], ...] = (
        ["carol@ex.com", 1, "alice@ex.com"],
        ["alice@ex.com", 2, "not with carol@ex.com"],
        ["dave@ex.com", 0, None],
    )
    await Uploader.of(browser, book_of(*HEAD, *rows))
    alice = WholePerson((await desks.town.id_of("alice@ex.com"),), ("alice@ex.com",))
    (told,) = [each async for each in DraftSection(desks.town.house.pool).about(alice)]
    assert told["lines"] == [
        {"row": 3, "cells": ["1", "alice@ex.com"]},
        {"row": 4, "cells": ["alice@ex.com", "2"]},
    ]
    assert "carol" not in str(told)
    assert "dave" not in str(told)
