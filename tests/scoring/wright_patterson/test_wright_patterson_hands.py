"""Hands that did not win, as they are written down, and those that cannot be."""

import pytest

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.wright_patterson.hands import SetKind, read_hand

TEN = "13579d 24689b"  # Ten tiles that make no set and no pair.


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("[234c]", SetKind.CHOW),
        ("[324c]", SetKind.CHOW),
        ("[1c2d3b]", SetKind.MIXED_CHOW),
        ("[3b1c2d]", SetKind.MIXED_CHOW),
        ("[555d]", SetKind.PUNG),
        ("[RRR]", SetKind.PUNG),
        ("[5555d]", SetKind.OPEN_KONG),
        ("[555d+5d]", SetKind.ADDED_KONG),
        ("[RRR+R]", SetKind.ADDED_KONG),
        ("(5555d)", SetKind.CONCEALED_KONG),
    ],
)
def test_brackets_tell_what_was_declared(word: str, kind: SetKind) -> None:
    hand = read_hand([word, "2468b", "1379d", "N", "G"])
    assert [each.kind for each in hand.declared] == [kind]


@pytest.mark.parametrize(
    ("word", "code"),
    [
        pytest.param("[235c]", "no_set", id="no run"),
        pytest.param("[1c2c3d]", "no_set", id="two suits"),
        pytest.param("[ESW]", "no_set", id="winds make no Chow"),
        pytest.param("[891c]", "no_set", id="a Chow does not go around the corner"),
        pytest.param("[55d]", "no_set", id="a pair is not declared"),
        pytest.param("[]", "no_set", id="nothing"),
        pytest.param("(555d)", "no_set", id="a concealed Pung is not declared"),
        pytest.param("(555d+5d)", "no_set", id="nothing is added to what is concealed"),
        pytest.param("[555d+6d]", "no_set", id="another tile added"),
        pytest.param("[5555d+5d]", "no_set", id="five"),
        pytest.param("[234c+5c]", "no_set", id="nothing is added to a Chow"),
        pytest.param("[555d1f]", "no_set", id="a flower"),
        pytest.param("[555d", "open_bracket", id="not closed"),
        pytest.param("(5555d]", "open_bracket", id="closed otherwise"),
        pytest.param("[", "open_bracket", id="one bracket"),
        pytest.param("[55x]", "unknown_tile", id="no tile"),
        pytest.param("[555d+5d+5d]", "unknown_tile", id="added twice"),
    ],
)
def test_what_is_no_set_is_refused(word: str, code: str) -> None:
    with pytest.raises(AgainstTheRules) as refused:
        read_hand([word, "2468b", "1379d", "N", "G"])
    assert refused.value.code == code


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("13579d 24689b 123c", id="13 tiles"),
        pytest.param("13579d 24689b [222c]", id="a Pung is three of them"),
        pytest.param("13579d 24689b [2222c]", id="a Kong counts as three"),
        pytest.param("13579d 24689b [222c+2c]", id="an added Kong too"),
        pytest.param("1d (2222c) [EEEE] [NNN+N] [123b]", id="four sets leave one tile"),
        pytest.param("13579d 24689b 123c 12f 4s", id="flowers lie beside them"),
    ],
)
def test_a_hand_that_did_not_win_has_13_tiles_and_flowers_beside_them(words: str) -> None:
    assert len(read_hand(words.split()).tiles) >= 13


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("13579d 24689b 12c", 12),
        ("13579d 24689b 1234c", 14),
        ("13579d 24689b 1c [222c]", 14),
        ("1d 2d (2222c) [EEEE] [NNNN] [123b]", 14),
        ("[222c] [333c] [444c] [555c] [666c]", 15),
        ("1234f", 0),
    ],
)
def test_a_hand_of_another_count_is_refused(words: str, count: int) -> None:
    with pytest.raises(AgainstTheRules, match=f"^The hand has {count} tiles") as refused:
        read_hand(words.split())
    assert refused.value.code == "wrong_count"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("55555d 2468b 1379c", "five_of_a_tile", "5d is there 5 times; there are only 4 of it."),
        ("[555d] 55d 24689b 123c", "five_of_a_tile", "5d is there 5 times"),
        ("(EEEE) E 13579d 2468b", "five_of_a_tile", "E is there 5 times"),
        ("[456d] [5555d] 2468b 123c", "five_of_a_tile", "5d is there 5 times"),
        ("13579d 24689b 123c 11f", "flower_twice", "1f is there 2 times; there is only one of it."),
        ("13579d 24689b 123c 1234f", "undeclared_bouquet", "All four flowers make a bouquet"),
        ("13579d 24689b 123c 1234s", "undeclared_bouquet", "All four seasons make a bouquet"),
    ],
)
def test_tiles_that_cannot_be_in_one_hand_are_refused(words: str, code: str, message: str) -> None:
    with pytest.raises(AgainstTheRules) as refused:
        read_hand(words.split())
    assert refused.value.code == code
    assert refused.value.message.startswith(message)


def test_four_of_a_tile_and_three_flowers_with_three_seasons_can_be() -> None:
    words = "[555d] 5d 24689b 123c E 123f 234s"
    hand = read_hand(words.split())
    assert len(hand.flowers) == 6
