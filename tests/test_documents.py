"""The generated documents say what the program does today."""

import re

import pytest

from tests.documents import DOCS, MISTAKES, all_errors, documents


@pytest.mark.parametrize("name", sorted(documents()))
def test_a_generated_document_is_fresh(name: str) -> None:
    fresh = documents()[name]
    assert (DOCS / name).read_text() == fresh, f"docs/{name} is stale. Run `make docs`."


def test_every_error_has_a_code_of_its_own() -> None:
    codes = sorted(each.code for each in all_errors())
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"[a-z_]+", code) for code in codes)


def test_every_mistake_that_the_code_can_note_is_on_the_page() -> None:
    noted = set()
    for room in ("services/ingest", "shared/http"):
        for file in (DOCS.parent / room).glob("*.py"):
            text = file.read_text()
            noted |= set(re.findall(r'\.note\([^"]*"[^"]*",\s*"([a-z_]+)"', text))
            noted |= set(re.findall(r'UnreadablePerson\(\s*"([a-z_]+)"', text))
    assert noted, "The search finds nothing any more."
    assert noted <= set(MISTAKES)
