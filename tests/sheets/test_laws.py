"""What holds for every sheet: it reads back equal, and no slip becomes another number unseen."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.sheets.cells import (
    BLANK,
    Cell,
    Fault,
    Place,
    Sheet,
    SheetRefused,
    broken_cell,
    date_cell,
    letters,
    number_cell,
    text_cell,
)
from shared.sheets.reading import ScoreSheet, read_score_sheet
from shared.sheets.rows.numbers import read_number
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes
from tests.sheets.sheets import FILES, read

# What a name may have: no control characters and halves of characters, nothing unassigned.
visible = st.characters(exclude_categories=["C", "Z"])
words = st.text(visible, min_size=1, max_size=12)
awkward = st.sampled_from(
    [
        "=1+1",
        "+1",
        "-2",
        "@x",
        "'",
        "'=x",
        "''-",
        '"',
        'a"b',
        "a,b",
        "a;b",
        "a|b",
        "Total",
        "ROUND",
        "Date:",
        "Player",
        "Points",
        "Notes",
        "_x0041_",
        "é",
        "\u2212" + "1",
        "1,250",
        "ROUND\xa02",
        "Date:\xa02026-01-01",
        "League",
    ]
)
names = words | awkward | st.tuples(awkward, words).map("".join)
addresses = st.builds(
    "{}{}@{}.example".format,
    st.sampled_from(["", "PRIVATE:", "private: "]),
    st.from_regex(r"[a-z0-9=+\-'][a-z0-9.+]{0,8}", fullmatch=True),
    st.from_regex(r"[a-z]{1,6}", fullmatch=True),
)
people = addresses | names.map("ANON:{}".format) | st.just("bob@mahjic.org")
points = st.integers(-1_000_000, 1_000_000) | st.integers(-10_000, 10_000).map(lambda n: n / 100)


@st.composite
def claims(draw: st.DrawFn) -> dict[str, Any]:
    has_points = draw(st.booleans())
    has_names = draw(st.booleans())
    count = draw(st.integers(1, 4))
    refs = draw(st.lists(names, min_size=count, max_size=count, unique=True))
    has_refs = draw(st.booleans())
    rounds = []
    for ref in refs:
        emails = draw(st.lists(people, min_size=2, max_size=4, unique_by=str.casefold))
        games = draw(st.integers(1, 200))
        seats = []
        for email in emails:
            seat = {"email": email, "games_played": games, "mahjongs": draw(st.integers(0, 200))}
            if has_points:
                seat["points"] = draw(points)
            if has_names and draw(st.booleans()):
                seat["name"] = draw(names)
            seats.append(seat)
        rounds.append({"players": seats, "wall_games": draw(st.integers(0, 200))})
        if has_refs:
            rounds[-1]["ref"] = ref
    day = draw(st.dates()).isoformat()
    kinds = ["social"] if not has_points else ["league", "tournament"]
    return {"session_date": day, "game_type": draw(st.sampled_from(kinds)), "rounds": rounds}


encodings = st.sampled_from(["utf-8-sig", "utf-8", "utf-16"])


@settings(max_examples=60)
@given(claims(), st.sampled_from(",;\t|"), encodings)
def test_a_claim_written_as_csv_in_any_dialect_reads_back_equal(
    claim: dict[str, Any], separator: str, encoding: str
) -> None:
    content = csv_bytes(sheet_rows(claim), separator=separator, encoding=encoding)
    sheet = read(content)
    assert sheet.located() == []
    assert sheet.claim == claim


@settings(max_examples=30)
@given(claims())
def test_a_claim_written_as_a_workbook_reads_back_equal(claim: dict[str, Any]) -> None:
    sheet = read(xlsx_bytes(sheet_rows(claim)))
    assert sheet.located() == []
    assert sheet.claim == claim


slips = (
    st.text(max_size=12) | st.from_regex(r"[-(]?[0-9][0-9., ]{0,8}\)?", fullmatch=True) | awkward
)
numbers = st.decimals(
    allow_nan=False, allow_infinity=False, places=3, min_value=-2000, max_value=2000
)
others = [BLANK, date_cell(date(2026, 1, 2)), broken_cell("#REF!", "error_in_cell", "Mend it.")]
cells = slips.map(text_cell) | numbers.map(number_cell) | st.sampled_from(others)


@settings(max_examples=120)
@given(st.data(), claims(), cells)
def test_a_changed_cell_reads_the_same_or_is_a_mistake_or_changes_only_what_stands_there(
    data: st.DataObject, claim: dict[str, Any], cell: Cell
) -> None:
    rows = [list(row) for row in sheet_rows(claim)]
    row = data.draw(st.integers(0, len(rows) - 1), "row")
    column = data.draw(st.integers(0, 4), "column")
    before = read_rows(rows)
    assert before.located() == []
    rows[row] += [BLANK] * (column + 1 - len(rows[row]))
    rows[row][column] = cell
    after = read_rows(rows)
    if after.located():
        return
    place = Place(None, row + 1, letters(column))
    was, now = parts(before.claim), parts(after.claim)
    for pointer in {each for each in was.keys() | now.keys() if was.get(each) != now.get(each)}:
        stands = after.places if pointer in now else before.places
        assert stands[pointer] == place, (pointer, was.get(pointer), now.get(pointer))


files = sorted(path for path in FILES.iterdir() if path.suffix != ".md")
patches = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 20), st.binary(max_size=8)), max_size=6
)


@settings(max_examples=100)
@given(st.sampled_from(files), patches)
def test_a_file_harmed_anywhere_is_read_or_refused_and_never_a_fault_of_ours(
    file: Path, harm: list[tuple[float, int, bytes]]
) -> None:
    content = bytearray(file.read_bytes())
    for place, length, patch in harm:
        at = int(place * len(content))
        content[at : at + length] = patch
    try:
        sheet = read(bytes(content))
    except SheetRefused:
        return
    assert "rounds" in sheet.claim


@given(slips)
def test_a_text_that_counts_as_a_number_has_its_digits_and_its_sign(text: str) -> None:
    number = read_number(text_cell(text))
    if isinstance(number, Fault):
        return
    assert abs(number) == Decimal(re.sub(r"[^0-9.]", "", text))
    is_negative = re.search("[-(\u2010-\u2015\u2212\ufe63\uff0d]", text) is not None
    assert (number < 0) == (is_negative and number != 0)


def read_rows(rows: Sequence[Sequence[Cell]]) -> ScoreSheet:
    return read_score_sheet([Sheet(None, rows)])


def parts(claim: object, pointer: str = "") -> Mapping[str, object]:
    """Return the values of a claim by their pointers."""
    if isinstance(claim, Mapping):
        members = [(str(name), value) for name, value in claim.items()]
    elif isinstance(claim, list):
        members = [(str(number), value) for number, value in enumerate(claim)]
    else:
        return {pointer: claim}
    return {
        key: value
        for name, member in members
        for key, value in parts(member, f"{pointer}/{name}").items()
    }
