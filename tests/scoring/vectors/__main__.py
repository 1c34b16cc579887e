"""Writes tests/vectors/scoring.json anew."""

from tests.scoring.vectors.made import FILE, all_cases, text_of

if __name__ == "__main__":
    FILE.write_text(text_of(all_cases()))
