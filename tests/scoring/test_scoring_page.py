"""What docs/scoring.md shows is so: the worked game comes out as it says, and its session too."""

import re
from pathlib import Path

from services.ingest.claim.people import what_is_wrong
from shared.scoring.games import sessions_of
from shared.scoring.hong_kong_file import read_hong_kong
from shared.scoring.players_file import read_players
from shared.scoring.table import table_of, table_tsv

PAGE = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text()


def blocks(heading: str) -> list[str]:
    """Return the blocks of text below a heading, up to the next one of its level."""
    (section,) = re.findall(rf"(?ms)^## {re.escape(heading)}$(.*?)(?=^## |\Z)", PAGE)
    return re.findall(r"(?ms)^```text$\n(.*?)^```$", section)


def test_the_worked_game_of_hong_kong_comes_out_as_shown() -> None:
    games, table = blocks("Hong Kong")
    scored = read_hong_kong(games)
    assert table_tsv(table_of(scored)) == table
    shown = re.findall(r"(?m)^\| (?!sum)[^|]+\|(?: (\d+))? \|((?: [+-]?\d+ \|){4})$", PAGE)
    told = [[int(number) for number in re.findall(r"-?\d+", points)] for _, points in shown]
    assert told == [[int(points) for points in game.points.values()] for game in scored.games]


def test_the_worked_game_makes_the_session_that_is_told_with_the_players_shown() -> None:
    (players,) = blocks("Sessions")
    scored = read_hong_kong(blocks("Hong Kong")[0])
    (session,) = sessions_of(scored, read_players(players, what_is_wrong), game_type="league")
    (only,) = session["rounds"]
    assert only["wall_games"] == 2
    assert [
        (each["email"], each["games_played"], each["mahjongs"]) for each in only["players"]
    ] == [
        ("ann@example.com", 5, 1),
        ("PRIVATE:bea@example.com", 5, 1),
        ("cy@example.com", 5, 1),
        ("ANON:Di", 5, 0),
    ]
