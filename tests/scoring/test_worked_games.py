"""The worked games of docs/scoring.md come out as the page says."""

import re
from itertools import accumulate
from pathlib import Path

import pytest

from shared.scoring.american_file import read_american
from shared.scoring.banker_file import read_banker
from shared.scoring.games import ScoredGames
from shared.scoring.wright_patterson.file import read_wright_patterson

PAGE = Path(__file__).parents[2].joinpath("docs", "scoring.md").read_text()


def worked_game(rulebook: str, way: str = "") -> tuple[str, list[list[int]]]:
    """Return the file of a worked game, and the last number of each cell of the table below it."""
    section = PAGE.split(f"\n## {rulebook}\n")[1].split(f"\n### A worked game{way}\n")[1]
    text, rest = section.removeprefix("\n```text\n").split("\n```\n", 1)
    table = rest[rest.index("| --- |") :].split("\n\n")[0].splitlines()[1:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")][1:] for row in table]
    numbers = [[re.findall(r"-?[0-9]+", cell)[-1] for cell in row if cell] for row in cells]
    return text, [list(map(int, row)) for row in numbers]


def moved(scored: ScoredGames) -> list[list[int]]:
    return [[int(game.points[name]) for name in game.players] for game in scored.games]


def test_the_worked_game_of_banker_stands_as_told_after_each_hand() -> None:
    text, standings = worked_game("Banker")
    assert standings[0] == [100] * 4
    columns = zip(*moved(read_banker(text)), strict=True)
    after = [list(accumulate(column, initial=100)) for column in columns]
    assert [list(row) for row in zip(*after, strict=True)] == standings


def test_the_worked_game_of_wright_patterson_moves_what_is_told() -> None:
    text, rows = worked_game("Wright-Patterson")
    *rounds, together = rows
    points = moved(read_wright_patterson(text))
    assert points == [row[:4] for row in rounds]
    assert [sum(column) for column in zip(*points, strict=True)] == together
    in_pots = [-total for total in accumulate(map(sum, points))]
    assert in_pots == [row[4] for row in rounds]


@pytest.mark.parametrize("way", [" by payment", " by tournament points"])
def test_the_worked_games_of_the_american_rules_move_what_is_told(way: str) -> None:
    text, rows = worked_game("American", way)
    *games, together = rows
    points = moved(read_american(text))
    assert points == games
    assert [sum(column) for column in zip(*points, strict=True)] == together
