"""The generated documents say what the program does today."""

import ast
import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

from shared.code_words import MISTAKES, SCORE_MISTAKES, SHEET_MISTAKES, WARNINGS
from shared.mistakes import RULES
from tests.documents import DOCS, all_errors, documents

SHEETS = DOCS.parent / "shared" / "sheets"
# Generated clients name their methods by these, so none is ever changed or taken away.
OPERATIONS = frozenset(
    {
        "adopt_formula",
        "answer_dispute",
        "correct_session",
        "correct_session_with_sheet",
        "erase_note",
        "forget_player",
        "get_change",
        "get_change_proof",
        "get_formula",
        "get_health",
        "get_history",
        "get_leaderboard",
        "get_metrics",
        "get_player",
        "get_readiness",
        "get_region_leaderboard",
        "get_session",
        "get_session_proof",
        "get_session_sheet_csv",
        "get_session_sheet_xlsx",
        "get_sheet_template_csv",
        "get_sheet_template_xlsx",
        "get_source",
        "get_source_leaderboard",
        "list_change_proofs",
        "list_disputes",
        "list_events",
        "list_fact_salts",
        "list_facts",
        "list_sessions",
        "list_sources",
        "list_verdict_salts",
        "list_verdicts",
        "list_wrong_addresses",
        "look_up_people",
        "merge_player",
        "register_player",
        "reseat_player",
        "score_games",
        "search_players",
        "set_privacy",
        "set_verification",
        "submit_batch",
        "submit_session",
        "submit_sheet",
        "unmerge_player",
        "void_session",
        "void_sessions",
    }
)
MISTAKE_CALLS = frozenset({"Mistake", "UnreadablePerson", "note", "_mistake"})


@pytest.mark.parametrize("name", sorted(documents()))
def test_a_generated_document_is_fresh(name: str) -> None:
    fresh = documents()[name]
    assert (DOCS / name).read_text() == fresh, f"docs/{name} is stale. Run `make docs`."


def test_every_documented_route_has_the_operation_id_that_clients_know_it_by() -> None:
    paths = json.loads((DOCS / "openapi.json").read_text())["paths"]
    named = [entry["operationId"] for item in paths.values() for entry in item.values()]
    assert len(named) == len(set(named))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", each) for each in named)
    assert max(map(len, named)) <= 40
    assert set(named) == OPERATIONS, "A new id joins the list; one that is published stays."


def test_every_decision_has_the_next_number_in_its_name_and_its_title() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    assert numbers == list(range(1, len(pages) + 1)), "Give each decision the next free number."
    titled = [page.read_text().partition(":")[0] for page in pages]
    assert titled == [f"# {number:04}" for number in numbers], "A title begins with the number."


def test_every_error_has_a_code_of_its_own() -> None:
    codes = sorted(each.code for each in all_errors())
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"[a-z_]+", code) for code in codes)


def test_the_page_lists_each_mistake_and_warning_of_the_code_and_no_other() -> None:
    files = [file for file in python_files() if SHEETS not in file.parents]
    written = {code for file in files for code in codes_written_in(file)}
    written |= {code for file in SHEETS.rglob("*.py") for code in codes_written_in(file, {"warn"})}
    # What pydantic finds gets its code from a table, and a name or nickname from what it is.
    written |= {code for code, _ in RULES.values()}
    written |= {"wrong_type", "invalid_name", "invalid_nickname"}
    # These are said by constants, or by the status of the session.
    written |= {"forbidden_character", "more_mistakes", "similar_round", "seats_returned"}
    written |= {"points_do_not_sum_to_zero"}
    written |= {"session_voided", "session_corrected"}
    assert written == set(MISTAKES) | set(WARNINGS)


def python_files() -> Iterator[Path]:
    for room in ("services", "shared"):
        yield from (DOCS.parent / room).rglob("*.py")


def test_the_page_lists_each_mistake_in_scores_and_no_other() -> None:
    files = [*(DOCS.parent / "shared" / "scoring").rglob("*.py")]
    files.append(DOCS.parent / "services" / "ingest" / "score_api.py")
    calls = {"ScoreFileMistake", "AgainstTheRules", "_note"}
    written = {code for file in files for code in codes_written_in(file, calls)}
    # The role is put in by the code, and what is left out is said by a constant.
    written |= {"two_bankers", "two_discarders", "more_mistakes"}
    assert written == set(SCORE_MISTAKES)


def test_the_page_lists_each_mistake_in_a_sheet_and_no_other() -> None:
    files = [*SHEETS.rglob("*.py"), *(DOCS.parent / "services" / "ingest" / "sheets").glob("*.py")]
    calls = {"Fault", "SheetMistake", "broken_cell", "note", "refused"}
    written = {code for file in files for code in codes_written_in(file, calls)}
    written |= {"more_mistakes"}  # It is said by a constant.
    assert written == set(SHEET_MISTAKES)


def codes_written_in(file: Path, calls: AbstractSet[str] = MISTAKE_CALLS) -> Iterator[str]:
    """Yield the literal codes of the calls that note a mistake: each is a word in small letters."""
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if called in calls:
            texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
            yield from (text for text in map(str, texts) if re.fullmatch(r"[a-z0-9_]+", text))


def test_no_document_shows_a_text_that_could_be_an_api_key() -> None:
    pages = [*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md"), *DOCS.rglob("*.json")]
    assert len(pages) > 8
    for page in pages:
        assert re.search(r"mjk_[0-9A-Za-z]{43}", page.read_text()) is None, page


def test_every_button_and_link_that_the_guide_for_clubs_names_stands_on_a_page_or_in_a_mail() -> (
    None
):
    guide = " ".join((DOCS / "clubs.md").read_text().split())
    # What ends like a sentence is the guide's own.
    named = {each for each in re.findall(r"\*\*(.+?)\*\*", guide) if each[-1] not in '.?"'}
    assert len(named) > 20
    rooms = [DOCS.parent / "services" / room for room in ("site", "mail")]
    files = [
        each for room in rooms for kind in ("html", "j2", "py") for each in room.rglob(f"*.{kind}")
    ]
    written = "".join(each.read_text() for each in files).replace("\u2019", "'")
    lost = sorted(
        each for each in named if f'"{each}"' not in written and f">{each}<" not in written
    )
    assert not lost, f"docs/clubs.md names what stands nowhere: {lost}"
