"""The scanner finds every table that a piece of SQL names, and whether it is written."""

import pytest

from tests.house.statements import Use, statements_in, uses_in


@pytest.mark.parametrize(
    ("sql", "written", "read"),
    [
        ("SELECT 1 FROM mahjic.facts", [], ["facts"]),
        (
            "SELECT 1 FROM mahjic.facts AS f LEFT JOIN mahjic.people ON true",
            [],
            ["facts", "people"],
        ),
        ("SELECT 1 FROM a, mahjic.facts", [], ["facts"]),
        ("SELECT mahjic.survivor($1)", [], ["survivor"]),
        ("INSERT INTO mahjic.facts (seq) VALUES ($1)", ["facts"], []),
        ("INSERT\n  INTO mahjic.facts\nSELECT 1 FROM mahjic.head", ["facts"], ["head"]),
        ("WITH moved AS (\n UPDATE mahjic.head SET a = 1\n) SELECT 1", ["head"], []),
        ("DELETE FROM mahjic.people WHERE true", ["people"], []),
        ("TRUNCATE mahjic.people", ["people"], []),
        ("TRUNCATE TABLE mahjic.people", ["people"], []),
        ("DELETE FROM mahjic.a USING mahjic.b WHERE true", ["a"], ["b"]),
        ("SELECT 1 FROM mahjic.head FOR UPDATE", [], ["head"]),
        ("SELECT 1 FROM a FOR UPDATE) SELECT 1 FROM mahjic.head", [], ["head"]),
        ("ON CONFLICT DO UPDATE SET a = (SELECT 1 FROM mahjic.head)", [], ["head"]),
        ("SELECT 1 -- FROM mahjic.facts\nFROM mahjic.head", [], ["head"]),
    ],
)
def test_tables_are_found_in_sql(sql: str, written: list[str], read: list[str]) -> None:
    uses = [*uses_in(sql)]
    assert [use.table for use in uses if use.is_written] == written
    assert [use.table for use in uses if not use.is_written] == read
    assert {use.schema for use in uses} == {"mahjic"}


def test_a_view_is_found_by_its_placeholder() -> None:
    sql = "DELETE FROM {schema}.pending USING {{profiles}}.profiles"
    assert [*uses_in(sql)] == [
        Use("{schema}", "pending", True),
        Use("{profiles}", "profiles", False),
    ]


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ('"""Reads FROM mahjic.facts."""', []),
        ('log("the table mahjic.facts")', []),
        ('# FROM mahjic.facts\nA = "SELECT 1"', []),
        ('A = "SELECT 1 FROM mahjic.facts"', [Use("mahjic", "facts", False)]),
        ('A = "mahjic.facts"', []),
        ('A, B = "mahjic.facts", "DELETE FROM {}"', [Use("mahjic", "facts", False)]),
        (
            'A = f"SELECT {COLUMNS} FROM {{live}} JOIN {{profiles}}.profiles"',
            [Use("{profiles}", "profiles", False)],
        ),
        ('A = f"DELETE FROM {schema}.pending"', [Use("{schema}", "pending", True)]),
        (
            'c.copy_records_to_table("rounds", records=rows, schema_name=schema)',
            [Use("{schema}", "rounds", True)],
        ),
        (
            'c.copy_records_to_table("facts", records=rows, schema_name="mahjic")',
            [Use("mahjic", "facts", True)],
        ),
        (
            'c.copy_records_to_table(table, records=rows, schema_name="mahjic")',
            [Use("mahjic", "any", True)],
        ),
        ("c.copy_records_to_table(table, records=rows)", []),
    ],
)
def test_statements_are_found_in_code(source: str, uses: list[Use]) -> None:
    assert [use for sql in statements_in(source) for use in uses_in(sql)] == uses
