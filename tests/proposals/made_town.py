"""Makes up a history to try proposals on: who is stronger wins more often, and rounds are long or
short, as sources play them.

The same seed and size make the same facts. What is made up is said in docs/proposals/README.md.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from shared.events.facts import FactEvent, GameType, PlayedRound, PlayerVerified, SessionSubmitted
from shared.ids import player_id

FIRST_DAY: Final = date(2024, 1, 1)
DAYS: Final = 730
# The standard deviation of strength: e^0.5 is 5 wins against 3.
STRENGTH_SPREAD: Final = 0.5
WALL_GAME_CHANCE: Final = 0.12
HAND_POINTS: Final = (25, 25, 25, 30, 30, 35, 40, 50)
VERIFIED_SHARE: Final = 0.2
# How uneven people are in how often they come.
EAGERNESS_SPREAD: Final = 0.9


@dataclass(frozen=True, slots=True)
class MadeSource:
    """How a source plays: its share of all sessions, and the tables, rounds and games of one."""

    slug: str
    game_type: GameType
    share: float
    tables: Sequence[int]
    rounds: int
    games: Sequence[int]


SOURCES: Final = (
    # One round is a whole evening at one table.
    MadeSource("evening-club", "social", 0.3, (1, 2, 3), 1, (10, 12, 14)),
    MadeSource("league", "league", 0.25, (2, 3), 3, (4,)),
    MadeSource("platform", "social", 0.42, (1,), 2, (4,)),
    MadeSource("tournament", "tournament", 0.03, (4, 6), 4, (4,)),
)


@dataclass(frozen=True, slots=True)
class _Person:
    player_id: str
    strength: float
    joined: float
    eagerness: float


def made_history(seed: int, sessions: int) -> Iterator[FactEvent]:
    """Yield the facts of so many sessions, in the order in which they are played.

    There is one person to every eight sessions, who comes in at some time of the two years.
    """
    chance = random.Random(seed)
    homes = {source.slug: _people(chance, source, sessions) for source in SOURCES}
    for people in homes.values():
        for person in people:
            if chance.random() < VERIFIED_SHARE:
                yield PlayerVerified(person.player_id)
    shares = [source.share for source in SOURCES]
    for number in range(sessions):
        (source,) = chance.choices(SOURCES, shares)
        passed = number / sessions
        here = [person for person in homes[source.slug] if person.joined <= passed]
        yield _session(chance, source, here, number, passed)


def _people(chance: random.Random, source: MadeSource, sessions: int) -> list[_Person]:
    """Return the people of a source; half of them are there from the beginning."""
    start = 1 + 1_000_000 * SOURCES.index(source)
    count = max(48, round(sessions * source.share / 8))
    return [
        _Person(
            player_id=player_id("MJ", start + number),
            strength=chance.gauss(0, STRENGTH_SPREAD),
            joined=0.0 if number < 48 or chance.random() < 0.5 else chance.random(),
            eagerness=math.exp(chance.gauss(0, EAGERNESS_SPREAD)),
        )
        for number in range(count)
    ]


def _session(
    chance: random.Random, source: MadeSource, here: list[_Person], number: int, passed: float
) -> SessionSubmitted:
    present = _drawn(chance, here, 4 * chance.choice(source.tables))
    rounds = []
    for _ in range(source.rounds):
        chance.shuffle(present)
        for at in range(0, len(present), 4):
            rounds.append(_round(chance, source, present[at : at + 4]))  # noqa: PERF401
    day = FIRST_DAY + timedelta(days=int(passed * DAYS))
    return SessionSubmitted(
        session_id=f"ses_made_{number}",
        source=source.slug,
        session_date=day.isoformat(),
        game_type=source.game_type,
        rounds=tuple(rounds),
        new_players=(),
    )


def _drawn(chance: random.Random, people: list[_Person], count: int) -> list[_Person]:
    """Draw so many different people, the eager ones more often (Efraimidis and Spirakis)."""
    keys = [(chance.random() ** (1 / person.eagerness), at) for at, person in enumerate(people)]
    return [people[at] for _, at in sorted(keys)[-count:]]


def _round(chance: random.Random, source: MadeSource, table: list[_Person]) -> PlayedRound:
    games = chance.choice(source.games)
    mahjongs, points, walls = [0] * 4, [0] * 4, 0
    weights = [math.exp(person.strength) for person in table]
    for _ in range(games):
        if chance.random() < WALL_GAME_CHANCE:
            walls += 1
            continue
        (winner,) = chance.choices(range(4), weights)
        hand = chance.choice(HAND_POINTS)
        mahjongs[winner] += 1
        for seat in range(4):
            points[seat] += 3 * hand if seat == winner else -hand
    has_points = source.game_type != "social"
    return PlayedRound(
        games_played=games,
        wall_games=walls,
        players=tuple(person.player_id for person in table),
        mahjongs=tuple(mahjongs),
        points_centi=tuple(100 * each for each in points) if has_points else None,
    )
