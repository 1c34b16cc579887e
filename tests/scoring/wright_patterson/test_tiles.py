"""The short notation of tiles."""

import pytest

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.wright_patterson.tiles import Bouquet, Flower, Kind, Tile, read_tiles


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("123c", [Tile(Kind.CRAKS, 1), Tile(Kind.CRAKS, 2), Tile(Kind.CRAKS, 3)]),
        ("55d9b", [Tile(Kind.DOTS, 5), Tile(Kind.DOTS, 5), Tile(Kind.BAMS, 9)]),
        ("ESWN", [Tile(Kind.WIND, rank) for rank in (1, 2, 3, 4)]),
        ("RGP", [Tile(Kind.DRAGON, rank) for rank in (1, 2, 3)]),
        ("1fE4s", [Flower(Bouquet.FLOWERS, 1), Tile(Kind.WIND, 1), Flower(Bouquet.SEASONS, 4)]),
        ("", []),
    ],
)
def test_a_word_of_tiles_is_read_in_its_order(word: str, expected: list[Tile | Flower]) -> None:
    assert list(read_tiles(word)) == expected


def test_the_144_tiles_are_told_as_they_are_read() -> None:
    # 4 of each of 27 suit tiles, 4 winds and 3 dragons, and 8 single tiles: the 144 of the Setup.
    suits = [f"{rank}{suit}" for suit in "cdb" for rank in range(1, 10)]
    honors, flowers = (
        list("ESWNRGP"),
        [f"{number}{mark}" for mark in "fs" for number in range(1, 5)],
    )
    assert 4 * len(suits + honors) + len(flowers) == 144
    for name in suits + honors + flowers:
        (tile,) = read_tiles(name)
        assert str(tile) == name


@pytest.mark.parametrize(
    ("word", "terminal", "honor"),
    [("1c", True, False), ("9b", True, False), ("2d", False, False), ("8c", False, False)]
    + [(letter, False, True) for letter in "ESWNRGP"],
)
def test_ones_and_nines_are_terminals_and_winds_and_dragons_honors(
    word: str, terminal: bool, honor: bool
) -> None:
    (tile,) = read_tiles(word)
    assert isinstance(tile, Tile)
    assert (tile.is_terminal, tile.is_honor) == (terminal, honor)


@pytest.mark.parametrize(
    "word",
    [
        "0c",  # There is no zero.
        "5f",  # Four flowers,
        "5s",  # and four seasons.
        "123",  # Digits need a suit.
        "1S",  # A capital S is the south wind, and seasons are small.
        "1x",
        "W3",
        "e",
        "z",
        "[",
        "1c-2c",
        "\N{FULLWIDTH DIGIT THREE}c",
    ],
)
def test_a_word_that_names_no_tile_is_refused_with_what_is_wrong(word: str) -> None:
    with pytest.raises(AgainstTheRules) as refused:
        read_tiles(word)
    assert refused.value.code == "unknown_tile"
    assert f"`{word}`" in refused.value.message
