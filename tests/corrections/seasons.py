"""Long seasons of many players by chance, with the same numbers on every machine."""

import random
from collections.abc import Sequence
from typing import Final

from shared.events.facts import PlayedRound, SessionSubmitted
from tests.rater.stories import a_round, a_session

# So many games are a round; who is stronger wins more of them.
GAMES: Final = 8


def a_season(
    seed: int, *, rounds: int, players: int, has_points: bool = True
) -> list[SessionSubmitted]:
    """Return sessions of one round of four each, named s-1, s-2 ..., players drawn at random."""
    chance = random.Random(seed)
    strength = {f"MJ-P{number:03}": chance.lognormvariate(0, 0.5) for number in range(players)}
    return [
        a_session(
            a_table(chance, chance.sample(sorted(strength), 4), strength, has_points),
            name=f"s-{number}",
        )
        for number in range(1, rounds + 1)
    ]


def a_table(
    chance: random.Random, table: Sequence[str], strength: dict[str, float], has_points: bool
) -> PlayedRound:
    """Return what four play: one in five games is a wall game."""
    won = dict.fromkeys(table, 0)
    wall_games = sum(chance.random() < 0.2 for _ in range(GAMES))
    for winner in chance.choices(table, [strength[each] for each in table], k=GAMES - wall_games):
        won[winner] += 1
    points = [25_00 * won[each] - chance.randrange(0, 100_00, 25) for each in table]
    return a_round(won, wall_games=wall_games, points_centi=points if has_points else None)
