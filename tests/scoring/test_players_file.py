"""The file that says who the players are: a name and an address on each line."""

import pytest

from services.ingest.claim.people import what_is_wrong
from shared.scoring.mistakes import InvalidScores
from shared.scoring.players_file import read_players


def test_a_name_and_an_address_stand_apart_by_spaces_a_tab_or_an_equals_sign() -> None:
    text = (
        "# Our club\n"
        "\n"
        "Ann ann@example.com\n"
        "Bea\tPRIVATE:bea@example.com  # she asked for it\n"
        "Cy=cy@example.com\r\n"
        "  Di  =  ANON:Little Di\n"
        "陳大文 chan@example.com"
    )
    assert read_players(text, what_is_wrong) == {
        "Ann": "ann@example.com",
        "Bea": "PRIVATE:bea@example.com",
        "Cy": "cy@example.com",
        "Di": "ANON:Little Di",
        "陳大文": "chan@example.com",
    }


def test_an_address_may_hold_signs_that_mean_something_elsewhere() -> None:
    assert read_players("\ufeffAnn a=b#c@example.com", what_is_wrong) == {
        "Ann": "a=b#c@example.com"
    }


def test_every_mistake_is_told_with_its_line() -> None:
    text = "Ann\nBea bea@x.org\nBea = b@x.org\n= c@x.org\nDi =\nEd e@x\nFay Fay\n"
    with pytest.raises(InvalidScores) as refused:
        read_players(text, what_is_wrong)
    assert [(each.line, each.code) for each in refused.value.mistakes] == [
        (1, "unknown_line"),
        (3, "player_twice"),
        (4, "unknown_line"),
        (5, "unknown_line"),
        (6, "invalid_email"),
        (7, "invalid_email"),
    ]
    assert refused.value.mistakes[-1].message.endswith("ANON:Fay.")
