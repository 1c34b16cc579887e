"""tests/vectors/scoring.json is what the rule books say, and its short cases are right by hand."""

import json

from tests.scoring.vectors.by_hand import BY_HAND
from tests.scoring.vectors.made import FILE, cases_in_file, text_of


def test_the_file_is_what_the_rule_books_say_today() -> None:
    # The cases are taken from the file: another Python may draw others from the same seed.
    again = "python -m tests.scoring.vectors makes it again"
    assert FILE.read_text() == text_of(cases_in_file()), again


def test_the_short_cases_are_as_calculated_by_hand() -> None:
    books = json.loads(FILE.read_text())
    for book, cases in BY_HAND.items():
        assert books[book][: len(cases)] == cases


def test_there_are_wins_refusals_and_whole_games_of_every_kind() -> None:
    text = FILE.read_text()
    codes = (
        "no_such_value impossible_hand dead_hand_plays winner_as_discarder unknown_player "
        "wrong_count undeclared_bouquet unknown_tile open_bracket no_set "
        "nobody_declared bouquet_in_hand out_of_range not_east own_discard game_over"
    )
    missing = [code for code in codes.split() if f'"refused": "{code}"' not in text]
    assert not missing
    doubles = (
        "Big Three Dragons|Little Three Dragons|All Honors|All Terminals|Half-Flush|Full Flush|"
        "Terminals and Honours|Three Concealed Pungs|Four Concealed Pungs|Own/Prevailing Flower|"
        "Ready on Limit Hand|added Kong|concealed Kong|open Kong"
    )
    assert not [each for each in doubles.split("|") if each not in text]
    assert '"is_over": true' in text
