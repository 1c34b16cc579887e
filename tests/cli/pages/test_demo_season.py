"""The seasons that the demo makes up: lawful, different, repeatable, and not mere chance."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from services.cli.demo.people import BOB, PEOPLE
from services.cli.demo.season import DemoSeason, make_up_season


@pytest.mark.parametrize("seed", range(8))
def test_every_season_keeps_the_rules_of_a_claim(seed: int) -> None:
    season = make_up_season(seed)
    days = [session.session_date for session in season.sessions]
    assert days == sorted(set(days))  # So that no two sessions can be duplicates.
    assert date(2026, 1, 31) < days[0]
    assert days[-1] < date(2026, 7, 1)
    assert {session.game_type for session in season.sessions} == {"social", "league", "tournament"}
    assert len({session.source for session in season.sessions}) == 3
    for session in season.sessions:
        assert 1 <= len(session.rounds) <= 100
        for each in session.rounds:
            _check_round(each, has_points=session.game_type != "social")


def _check_round(each: dict[str, Any], *, has_points: bool) -> None:
    players = each["players"]
    assert 2 <= len(players) <= 4
    assert len({player["email"] for player in players}) == len(players)
    assert len([player for player in players if player["email"] != BOB]) >= 2
    (games,) = {player["games_played"] for player in players}
    assert sum(player["mahjongs"] for player in players) + each["wall_games"] == games
    assert min(each["wall_games"], *(player["mahjongs"] for player in players)) >= 0
    assert all(("points" in player) == has_points for player in players)
    assert sum(player.get("points", 0) for player in players) == 0


def test_a_seed_gives_its_season_again_and_another_seed_another_one() -> None:
    assert make_up_season(3) == make_up_season(3)
    assert make_up_season(3) != make_up_season(4)


@pytest.mark.parametrize("seed", range(8))
def test_the_stronger_half_wins_more_often(seed: int) -> None:
    season = make_up_season(seed)
    people = sorted((each.submitted_as for each in PEOPLE), key=season.strengths.__getitem__)
    won, played = _counts(season)
    weak, strong = people[:15], people[15:]
    assert _rate(strong, won, played) > _rate(weak, won, played)


def _counts(season: DemoSeason) -> tuple[Counter[str], Counter[str]]:
    won, played = Counter[str](), Counter[str]()
    for session in season.sessions:
        for each in session.rounds:
            for player in each["players"]:
                won[player["email"]] += player["mahjongs"]
                played[player["email"]] += player["games_played"]
    return won, played


def _rate(people: Sequence[str], won: Counter[str], played: Counter[str]) -> Fraction:
    return Fraction(sum(won[who] for who in people), sum(played[who] for who in people))
