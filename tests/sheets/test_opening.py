"""What a file is, is told by its bytes: sheets are read whatever their name, others refused."""

import gzip
import struct

import pytest

from shared.sheets.template import template_xlsx
from tests.sheets.sheets import (
    FIELD,
    FIELD_CSV,
    FILES,
    at,
    found,
    lines,
    night,
    packed,
    points_of,
    read,
    refusal,
)


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le")


OTHERS = {
    "old Excel": ((FILES / "libreoffice-excel-97.xls").read_bytes(), "old_workbook", "before 2007"),
    "older Excel": (b"\x09\x04\x06\x00\x00\x00\x10\x00" + b"\0" * 50, "not_a_sheet", "before 2007"),
    "a password": ((FILES / "password.xlsx").read_bytes(), "password_protected", "without one"),
    "old Word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + utf16("WordDocument"), "not_a_sheet", "old"),
    "OpenDocument": ((FILES / "libreoffice.ods").read_bytes(), "not_a_sheet", ".ods"),
    "a web page": ((FILES / "libreoffice-web-page.xls").read_bytes(), "not_a_sheet", "web page"),
    "a page in UTF-16": (b"\xff\xfe" + utf16("<HTML><table>"), "not_a_sheet", "web page"),
    "a table": (b"\r\n <table border=1><tr>", "not_a_sheet", "web page"),
    "XML": (b'\xef\xbb\xbf<?xml version="1.0"?><Workbook/>', "not_a_sheet", "XML"),
    "JSON": (b'{"session_date": "2026-01-31"}', "not_a_sheet", "/v1/sessions"),
    "RTF": (b"{\\rtf1 x}", "not_a_sheet", "text document"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", "not_a_sheet", "PDF"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "not_a_sheet", "picture"),
    "JPEG": (b"\xff\xd8\xff\xe0\0\x10JFIF", "not_a_sheet", "picture"),
    "HEIC": (b"\0\0\0\x18ftypheic", "not_a_sheet", "picture"),
    "gzip": (gzip.compress(b"x"), "not_a_sheet", "packed"),
    "SQLite": (b"SQLite format 3\0", "not_a_sheet", "database"),
    "SYLK": (b"ID;PWXL;N;E\r\n", "not_a_sheet", "SYLK"),
    "Numbers": (packed({"Index/Document.iwa": b"x"}), "not_a_sheet", "Numbers"),
    "Word": (packed({"[Content_Types].xml": b"", "word/document.xml": b""}), "not_a_sheet", "Word"),
    "binary Excel": (packed({"xl/workbook.bin": b""}), "not_a_sheet", ".xlsb"),
    "ZIP": (packed({"night.csv": b""}), "not_a_sheet", "Unpack it"),
    "an empty ZIP": (packed({}), "not_a_sheet", "ZIP"),
    "a program": (b"\x7fELF\x02\x01\x01\0" + bytes(range(64)), "not_a_sheet", "CSV UTF-8"),
    "noise": (struct.pack("<40I", *range(40)), "not_a_sheet", "CSV UTF-8"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_sheet_is_refused_with_its_kind_and_what_to_do(kind: str) -> None:
    content, code, words = OTHERS[kind]
    mistake = refusal(content)
    assert mistake.code == code
    assert words in mistake.message
    assert mistake.place == at(None)
    assert any(word in mistake.message for word in ("Save", "save", "Unpack"))


def test_an_encrypted_archive_is_refused_for_its_password() -> None:
    content = bytearray(template_xlsx())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        where = content.find(mark)
        while where >= 0:
            content[where + place] |= 1
            where = content.find(mark, where + 4)
    assert refusal(bytes(content)).code == "password_protected"


TEXT = FIELD_CSV.decode("utf-8-sig")


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        TEXT.replace(",", ";").encode(),
        TEXT.replace(",", "\t").encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.replace("\r\n", "\n").encode(),
        TEXT.replace("\r\n", "\r").encode(),
        TEXT.replace("\r\n", "\r\n\r\n").encode(),
        ("sep=;\r\n" + TEXT.replace(",", ";")).encode(),
        ('"sep=\t"\n' + TEXT.replace(",", "\t")).encode("utf-16"),
        TEXT.rstrip().encode(),
        TEXT.replace("alice@example.com", '"alice@example.com"').encode(),
        TEXT.replace("\r\n", ",,,\r\n").encode(),
    ],
)
def test_a_text_is_read_in_every_dialect_that_programs_write(content: bytes) -> None:
    sheet = read(content)
    assert sheet.located() == []
    assert sheet.claim == FIELD


def test_the_line_that_names_the_separator_is_no_row_as_in_excel() -> None:
    sheet = read(b"sep=;\r\n" + night("a@x.example,two,5").replace(b",", b";"))
    assert (5, "B", "invalid_number") in found(sheet)


@pytest.mark.parametrize("row", ['"a@x.example,2,5', '"a@x.example"x,2,5', 'a@x.example,"2,5'])
def test_quotes_that_do_not_match_never_swallow_the_rest_of_the_sheet(row: str) -> None:
    mistake = refusal(night(row, "b@x.example,2,-5", "c@x.example,2,-5"))
    assert (mistake.code, mistake.place.row) == ("damaged_file", 5)
    assert "quotation marks" in mistake.message


def test_quoted_line_breaks_and_separators_stay_within_their_cell() -> None:
    head = ["Date: 2026-01-31", "Game Type: League"]
    head += ["ROUND 1,Games: 4,Walls: 0", "Email,Name,Wins,Score"]
    rows = ['a@x.example,"Al\r\nA. ""The"" One",2,"1,250.00"', "b@x.example,,2,-1250", "c@x,,O,5"]
    sheet = read(lines(*head, *rows))
    assert found(sheet) == [(7, "C", "invalid_number")]
    assert sheet.claim["rounds"][0]["players"][0]["name"] == 'Al A. "The" One'
    assert points_of(sheet)[:2] == [1250, -1250]


def test_a_broken_encoding_is_refused_and_no_letter_is_replaced() -> None:
    for content in (b"\xef\xbb\xbfa\xff", b"\xff\xfea", b"\xfe\xff\xd8\x00\x00a", b"a,\x81,b"):
        assert refusal(content).code == "unknown_encoding"
    assert refusal(b"a,b\x00\x01c").code == "not_a_sheet"


def test_a_cell_longer_than_any_name_and_too_many_columns_are_refused() -> None:
    assert refusal(night(f"{'a' * 3000}@x.example,2,5")).code == "too_large"
    assert refusal(night('"' + "a\n" * 100_000 + '",2,5')).code in {"too_large", "damaged_file"}
    wide = refusal(night("a@x.example" + ",1" * 300))
    assert (wide.code, wide.place.row) == ("too_large", 5)
