"""A season of games kept by hand: the file goes in, sessions come out, and the profiles agree."""

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.whole.conftest import ServedSite

SEED = 20260131
NIGHTS, GAMES_A_NIGHT = 5, 100
NAMES = ("Ann", "Bea", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "陳大文", "O'Neil")
VIEWS_S_MAX = 60.0


@dataclass(frozen=True, slots=True)
class Season:
    """A season as it was played: its file, and who won how often."""

    text: str
    games: Counter[str]
    wins: Counter[str]


def a_season(seed: int) -> Season:
    """Return a season of 500 games; at each table of a night people change seats now and then."""
    chance = random.Random(seed)
    games: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    lines = ["B=0.5", "M=8", "R=half"]
    for night in range(NIGHTS):
        lines += ["", f"{date(2026, 1, 3) + timedelta(7 * night)}  # night {night + 1}"]
        table: list[str] = []
        for game in range(GAMES_A_NIGHT):
            if game % 12 == 0:
                table = chance.sample(NAMES, 4)
                lines.append("\t".join(table))
            elif game % 4 == 0:
                chance.shuffle(table)
                lines.append(" ".join(table))
            results, winner = a_game(chance)
            lines.append(" ".join(results))
            games.update(table)
            if winner is not None:
                wins[table[winner]] += 1
    return Season("\n".join(lines), games, wins)


def a_game(chance: random.Random) -> tuple[list[str], int | None]:
    """Return four results, and the seat of the winner if there is one."""
    results = ["-"] * 4
    seat, other = chance.sample(range(4), 2)
    kind = chance.choice(["wall", "false win", "self-draw", "d", "d", "d", "g", "D"])
    if kind == "wall":
        return results, None
    if kind == "false win":
        results[seat] = "f"
        return results, None
    results[seat] = str(chance.randint(0, 8))
    if kind != "self-draw":
        results[other] = kind
    return results, seat


@dataclass(frozen=True, slots=True)
class Sent:
    """A season that was sent: its table by name, the answers, and the id of each player."""

    season: Season
    table: dict[str, dict[str, str]]
    answers: list[dict[str, Any]]
    answers_again: list[dict[str, Any]]
    player_ids: dict[str, str]
    http: httpx.Client


@pytest.fixture(scope="module")
def sent(site: ServedSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    """Return a season that was scored and submitted twice with the command."""
    season = a_season(SEED)
    folder = tmp_path_factory.mktemp("season")
    file, people = folder / "season.txt", folder / "players"
    file.write_text(season.text)
    addresses = {name: f"player-{number}@season.example" for number, name in enumerate(NAMES)}
    people.write_text("\n".join(f"{name} = {address}" for name, address in addresses.items()))
    settings = {"MAHJIC_URL": site.url, "MAHJIC_KEY": site.keys["source"]}
    club = replace(site, environment=site.environment | settings)
    command = ("score", "hk", str(file), "--submit", "--json", "--players", str(people))
    first, again = [
        [json.loads(line) for line in club.run(*command).splitlines()] for _ in range(2)
    ]
    player_ids = {
        result["player"]: result["player_id"] for answer in first for result in answer["results"]
    }
    with httpx.Client(base_url=site.url, timeout=30) as http:
        ids = {name: player_ids[address] for name, address in addresses.items()}
        yield Sent(season, table_in(file.with_suffix(".txt.tsv")), first, again, ids, http)


def table_in(file: Path) -> dict[str, dict[str, str]]:
    head, *lines = [line.split("\t") for line in file.read_text().splitlines()]
    return {line[0]: dict(zip(head, line, strict=True)) for line in lines}


def profile_after(sent: Sent, name: str) -> dict[str, Any]:
    """Return a player's profile once it shows every game of the season."""
    ends_at = time.monotonic() + VIEWS_S_MAX
    while True:
        answer = sent.http.get(f"/v1/players/{sent.player_ids[name]}")
        if answer.status_code == 200 and answer.json()["games"] >= sent.season.games[name]:
            profile: dict[str, Any] = answer.json()
            return profile
        assert time.monotonic() < ends_at, f"{name} lacks games after {VIEWS_S_MAX} s."
        time.sleep(0.05)


def history_of(sent: Sent, name: str) -> list[dict[str, Any]]:
    answer = sent.http.get(f"/v1/players/{sent.player_ids[name]}/history?limit=200")
    assert answer.json()["next_cursor"] is None
    rounds: list[dict[str, Any]] = answer.json()["changes"]
    return rounds


def test_every_night_is_a_session_that_was_rated(sent: Sent) -> None:
    assert len(sent.answers) == NIGHTS
    assert {answer["status"] for answer in sent.answers} == {"rated"}
    # Points of every night sum to zero, so nothing was odd.
    assert all(answer["warnings"] == [] for answer in sent.answers)


def test_the_same_file_sent_again_counts_once(sent: Sent) -> None:
    assert [each["session_id"] for each in sent.answers_again] == [
        each["session_id"] for each in sent.answers
    ]


def test_the_table_counts_the_games_and_wins_that_were_played(sent: Sent) -> None:
    assert set(sent.table) == {*NAMES, "*"}
    for name in NAMES:
        assert int(sent.table[name]["game_count"]) == sent.season.games[name]
        assert int(sent.table[name]["win_count"]) == sent.season.wins[name]
    assert int(sent.table["*"]["game_count"]) == 4 * NIGHTS * GAMES_A_NIGHT
    assert sent.table["*"]["net_score"] == "0"


@pytest.mark.parametrize("name", NAMES)
def test_the_profile_has_the_games_mahjongs_and_points_of_the_table(sent: Sent, name: str) -> None:
    profile = profile_after(sent, name)
    rounds = history_of(sent, name)
    row = sent.table[name]
    assert profile["games"] == sum(each["games_played"] for each in rounds)
    assert profile["games"] == int(row["game_count"])
    assert profile["mahjongs"] == sum(each["mahjongs"] for each in rounds)
    assert profile["mahjongs"] == int(row["win_count"])
    assert sum(each["points"] for each in rounds) == float(row["net_score"])
