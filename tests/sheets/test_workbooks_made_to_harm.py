"""Workbooks that were made to harm, or damaged: refused at a limit, with what to do."""

import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest

from shared.sheets.cells import SheetRefused
from shared.sheets.limits import Limits
from shared.sheets.opening import open_workbook
from tests.sheets.books import BOOK, NIGHT, SHEET, only
from tests.sheets.sheets import (
    at,
    changed,
    packed,
    parts_of,
    read,
    refusal,
    workbook,
)

# Files made to harm.


def bomb(megabytes: int) -> bytes:
    parts = parts_of(workbook(*NIGHT))
    parts[SHEET] = parts[SHEET].replace(b"</sheetData>", b"</sheetData>" + b" " * (megabytes << 20))
    return packed(parts)


def test_a_bomb_is_refused_at_the_limit_and_not_after_it() -> None:
    content = bomb(40)
    assert len(content) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(SheetRefused) as raised:
            open_workbook(content, limits=Limits(unpacked_bytes_max=2 << 20))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert [each.code for each in raised.value.mistakes] == ["too_large"]


def test_a_bomb_that_tells_a_small_size_is_damaged_and_never_unpacked_beyond_it() -> None:
    content = bytearray(bomb(20))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo(SHEET).file_size.to_bytes(4, "little")
    assert content.count(size) == 2
    assert (
        refusal(bytes(content.replace(size, (5000).to_bytes(4, "little")))).code == "damaged_file"
    )


def test_too_many_cells_in_one_row_are_refused_before_any_is_built() -> None:
    wide = b"<row>" + b"<c/>" * 600_000 + b"</row></sheetData>"
    parts = parts_of(workbook(*NIGHT))
    parts[SHEET] = parts[SHEET].replace(b"</sheetData>", wide)
    assert refusal(packed(parts)).code == "too_large"


def test_words_of_an_own_making_are_refused_wherever_they_stand() -> None:
    for part in (SHEET, BOOK, "xl/styles.xml", "_rels/.rels", "xl/_rels/workbook.xml.rels"):
        parts = parts_of(workbook(*NIGHT))
        declared = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        begin, _, rest = parts[part].rpartition(b"?>")
        parts[part] = begin + (b"?>" if begin else b"") + declared + rest
        assert refusal(packed(parts)).code == "damaged_file", part
    outside = b'<!DOCTYPE x SYSTEM "file:///etc/passwd">'
    parts = parts_of(workbook(*NIGHT))
    assert refusal(packed({**parts, SHEET: outside + parts[SHEET]})).code == "damaged_file"


def test_limits_of_rows_columns_cells_texts_and_sheets_say_where_they_are_passed() -> None:
    content = workbook(["a", "b"], ["c", "long text"])
    for limits, place in (
        (Limits(rows_max=1), at(2, "A", "Night")),
        (Limits(columns_max=1), at(1, "B", "Night")),
        (Limits(cells_max=3), at(2, "B", "Night")),
        (Limits(cell_characters_max=8), at(2, "B", "Night")),
        (Limits(sheets_max=0), at(None)),
        (Limits(entries_max=3), at(None)),
        (Limits(bytes_max=100), at(None)),
        (Limits(styles_bytes_max=100), at(None)),
    ):
        with pytest.raises(SheetRefused) as raised:
            open_workbook(content, limits=limits)
        (mistake,) = raised.value.mistakes
        assert (mistake.code, mistake.place) == ("too_large", place)


def in_sheet(old: str, new: str) -> Callable[[], bytes]:
    return lambda: changed(workbook(*NIGHT), SHEET, old, new)


DAMAGED: dict[str, Callable[[], bytes]] = {
    "cut": lambda: workbook(*NIGHT)[:-400],
    "a part that is no XML": in_sheet("<sheetData>", "<sheetData"),
    "a cell twice": in_sheet('r="C5"', 'r="B5"'),
    "a cell of another row": in_sheet('r="C5"', 'r="C6"'),
    "a cell nowhere": in_sheet('r="C5"', 'r="5C"'),
    "a row nowhere": in_sheet('<row r="5"', '<row r="-5"'),
    "a text that is not there": in_sheet('<c r="B5" t="n">', '<c r="B5" t="s">'),
    "a number that is not one": in_sheet("<v>12.5</v>", "<v>1_2.5</v>"),
    "a number without end": in_sheet("<v>12.5</v>", "<v>1E999999999</v>"),
    "a number as Python writes it": in_sheet("<v>12.5</v>", "<v>1_2</v>"),
    "a text before the first": in_sheet('<c r="B5" t="n"><v>2', '<c r="B5" t="s"><v>-2'),
    "a row beyond the last": in_sheet('<row r="6"', '<row r="1048577"'),
    "a style that is not there": in_sheet('<c r="B5" t="n">', '<c r="B5" s="99" t="n">'),
    "a sheet in UTF-16": lambda: packed(
        {
            **(parts := parts_of(workbook(*NIGHT))),
            SHEET: parts[SHEET].decode().encode("utf-16"),
        }
    ),
    "an infinite number": in_sheet("<v>12.5</v>", "<v>INF</v>"),
    "a cell of an unknown kind": in_sheet('<c r="C5" t="n">', '<c r="C5" t="zz">'),
    "one part as two sheets": lambda: changed(
        workbook(*NIGHT), BOOK, "</sheets>", '<sheet name="B" r:id="rId1"/></sheets>'
    ),
    "no sheets": lambda: changed(workbook(*NIGHT), BOOK, "rId1", "rId77"),
    "a sheet in an unknown encoding": lambda: changed(
        workbook(*NIGHT), SHEET, "<worksheet", '<?xml version="1.0" encoding="x"?><worksheet'
    ),
    "another way of packing": lambda: packed(parts_of(workbook(*NIGHT)), zipfile.ZIP_LZMA),
    "no relations": lambda: packed(
        {name: part for name, part in parts_of(workbook(*NIGHT)).items() if "rels" not in name}
    ),
}


@pytest.mark.parametrize("harm", DAMAGED)
def test_a_damaged_workbook_is_refused_with_what_to_do(harm: str) -> None:
    mistake = refusal(DAMAGED[harm]())
    assert mistake.code == "damaged_file"
    assert "save it again" in mistake.message


def test_a_format_of_many_brackets_takes_no_time() -> None:
    content = workbook([1], formats={"A1": "0" + "[" * 200_000})
    began = time.process_time()
    assert only(content).kind == "number"
    assert time.process_time() - began < 30


def test_names_of_parts_may_differ_in_case_and_have_backslashes() -> None:
    parts = {
        name.replace("worksheets/s", "Worksheets\\S"): part
        for name, part in parts_of(workbook(*NIGHT)).items()
    }
    assert read(packed(parts)).located() == []
