"""Writes tests/vectors/tables.json anew."""

from tests.tables.vectors.made import FILE, all_cases, text_of

if __name__ == "__main__":
    FILE.write_text(text_of(all_cases()))
