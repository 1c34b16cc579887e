"""tests/vectors/tables.json is what shared/tables replays, and its short cases are by hand."""

import json

from tests.tables.vectors.by_hand import BY_HAND
from tests.tables.vectors.made import FILE, cases_in_file, text_of


def test_the_file_is_what_is_replayed_today() -> None:
    # The cases are taken from the file: another Python may draw others from the same seed.
    assert FILE.read_text() == text_of(cases_in_file()), "python -m tests.tables.vectors"


def test_the_short_cases_are_as_worked_out_by_hand() -> None:
    assert cases_in_file()[: len(BY_HAND)] == list(BY_HAND)


def test_every_way_that_a_game_can_stand_is_there() -> None:
    text = json.dumps([each["expected"] for each in cases_in_file()])
    statuses = ("counts", "two_answers", "not_counted", "taken_back")
    reasons = (
        "Set the seats",
        "doesn't sit here",
        "for four people",
        "worth 23",
        "at most 10 faan",
    )
    assert not [each for each in (*statuses, *reasons) if each not in text]
    assert text.count('"confirmed": [1') > 0
