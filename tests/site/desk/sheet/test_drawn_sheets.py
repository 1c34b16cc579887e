"""Sheets of every kind as tables of fields: what is drawn, and what the fields bring back."""

from services.site.desk.sheet.drawn_sheet import COLUMNS_DRAWN, ROWS_DRAWN, Drawing, draw
from services.site.desk.sheet.mending import with_typed
from shared.sheets.cells import Place, Sheet, SheetMistake, SheetRefused, letters, text_cell
from shared.sheets.opening import open_workbook
from tests.sheets.sheets import FILES
from tests.site.desk.conftest import SCORER, Desks
from tests.site.desk.sheet.uploading import Uploader


def sent_by(drawing: Drawing) -> dict[str, str]:
    """Return what a browser sends of a part that nobody changed."""
    cells = [cell for row in drawing.rows for cell in row.cells if not cell.is_long]
    return {cell.name: cell.value.replace("\n", "") for cell in cells}


def test_a_part_that_nobody_changed_comes_back_as_it_was() -> None:
    seen = set()
    for file in sorted(FILES.iterdir()):
        try:
            sheets = open_workbook(file.read_bytes())
        except SheetRefused:
            continue
        for sheet in sheets:
            first = draw(sheet, (), 1)
            for part in range(1, first.parts + 1):
                assert with_typed(sheet, sent_by(draw(sheet, (), part)), part) == sheet
            seen |= {cell.kind for row in sheet.rows for cell in row}
    assert seen == {"blank", "text", "number", "date", "broken"}


def test_a_long_and_wide_sheet_is_drawn_in_parts_that_say_what_they_leave_out() -> None:
    rows = [[text_cell(f"{row} {column}") for column in range(20)] for row in range(1, 151)]
    sheet = Sheet("Night", rows)
    mistakes = [
        SheetMistake(Place("Night", row, column), "code", "words")
        for row, column in ((100, "B"), (100, None), (None, None), (None, "C"), (3, "T"))
    ]
    drawing = draw(sheet, mistakes, None)
    # It begins where the first mistake is.
    assert (drawing.part, drawing.parts) == (2, 3)
    assert [row.title for row in drawing.rows] == [str(each) for each in range(61, 121)]
    assert drawing.left_out == [letters(at) for at in range(COLUMNS_DRAWN, 20)]
    assert [(each.target, each.part) for each in drawing.mistakes] == [
        ("c-100-B", 2),
        ("row-100", 2),
        ("", 0),
        ("column-C", 0),
        ("", 1),
    ]
    assert len(draw(sheet, (), 3).rows) == 150 + 2 - 2 * ROWS_DRAWN
    # A field of another part, or beyond the columns, is not there.
    typed = {"c-61-A": "new", "c-1-A": "no", "c-61-T": "no", "c-999-A": "no"}
    mended = with_typed(sheet, typed, 2)
    changed = [
        (row, column)
        for row in range(1, 151)
        for column in range(20)
        if mended.rows[row - 1][column] != sheet.rows[row - 1][column]
    ]
    assert changed == [(61, 0)]
    assert len(mended.rows) == 150


async def test_a_mistake_in_another_part_is_reached_and_keeps_what_is_typed(desks: Desks) -> None:
    lines = ["Date: 2026-01-31", "Game Type: Social"]
    for number in range(1, 31):
        lines += [f"ROUND {number} | Games Played: 1 | Wall Games: 0", "Player Email,Mahjongs"]
        lines += ["a@ex.com,1", f"b{number}@ex.com,0"]
    lines[100] = lines[100].replace(",1", ",x")
    lines[4] = lines[4].replace(",1", ",x")
    content = "\n".join(lines).encode()
    uploader = await Uploader.of(await desks.browser_of(SCORER), content)
    assert [where for where, _ in uploader.mistakes()] == ["Row 5, column B", "Row 101, column B"]
    assert "You see rows 1 to 60." in uploader.page.main.text
    await uploader.type({"c-5-B": "1"}).press("go-c-101-B")
    assert "You see rows 61 to 120." in uploader.page.main.text
    assert [where for where, _ in uploader.mistakes()] == ["Row 101, column B"]
    await uploader.type({"c-101-B": "1"}).press("look")
    assert "Nothing is wrong in the sheet" in uploader.page.main.text
