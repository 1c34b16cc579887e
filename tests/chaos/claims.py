"""The sessions that the crowd sends, drawn from a seed: no two alike, and some sent several times.

Regulars are on record before the first game, so what the operator says of their privacy holds.
Visitors are first named by a session, and private once a session said so.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from tests.chaos.place import SOURCES

REGULARS = tuple(f"regular{number}@example.com" for number in range(8))
VISITORS = tuple(f"visitor{number}@example.com" for number in range(6))
NICKNAMES = ("ANON:Dragon", "anon: Jokerless Jo")
BOB = "bob@mahjic.org"

FIRST_DATE = date(1900, 1, 1)
# With a date of its own no session can be taken for another one. The last days are for leavers.
DAYS_MAX = 46_000
FIRST_LEAVER_DAY = 40_000

FirstTry = Literal["whole", "half a body", "no ear for the answer"]


@dataclass(slots=True)
class Errand:
    """One session to be sent, and how: what a client remembers until it has its answer."""

    number: int
    source: str
    claim: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    copies: int = 1
    first_try: FirstTry = "whole"
    # Two sources may claim the same games; then exactly one of them is believed.
    rival: "Errand | None" = None
    # Somebody in it was erased since, so that nobody can tell who was meant.
    is_forgotten: bool = False

    @property
    def has_key(self) -> bool:
        """Tell whether it carries an Idempotency-Key."""
        return "Idempotency-Key" in self.headers


def errands(chances: random.Random) -> Iterator[Errand]:
    """Yield errands, one after the other; a rival follows the errand it disputes."""
    number = 0
    while number < FIRST_LEAVER_DAY - 1:
        errand = an_errand(number, a_claim(number, _a_table(chances), chances), chances)
        number += 1
        yield errand
        if chances.random() < 0.1 and not _names_anybody_of_one_source(errand.claim):
            rival = an_errand(number, errand.claim, chances)
            rival.source = SOURCES[1 - SOURCES.index(errand.source)]
            errand.rival, rival.rival = rival, errand
            number += 1
            yield rival


def an_errand(number: int, claim: dict[str, Any], chances: random.Random) -> Errand:
    """Return an errand with its own way of being sent."""
    headers = {}
    if chances.random() < 0.5:
        headers["Idempotency-Key"] = f"errand-{number}"
    if chances.random() < 0.2:
        headers["Prefer"] = chances.choice(("respond-async", "wait=0", "wait=30"))
    return Errand(
        number,
        chances.choice(SOURCES),
        claim,
        headers,
        copies=chances.choice((1, 1, 1, 2, 3)),
        first_try=chances.choice(("whole",) * 6 + ("half a body", "no ear for the answer")),
    )


def a_claim(number: int, people: list[str], chances: random.Random) -> dict[str, Any]:
    """Return a session of one to four rounds among some of the people, all of them in the first."""
    assert number < DAYS_MAX, "There are no more dates; use fewer rounds."
    game_type = chances.choice(("social", "league", "league", "tournament"))
    tables = [people, *(_some_of(people, chances) for _ in range(chances.choice((0, 0, 1, 3))))]
    return {
        "session_date": str(FIRST_DATE + timedelta(days=number)),
        "game_type": game_type,
        "rounds": [_a_round(table, game_type != "social", chances) for table in tables],
    }


def _names_anybody_of_one_source(claim: dict[str, Any]) -> bool:
    """Tell whether somebody is anonymous: with another source that is another player."""
    return any(player["email"] in NICKNAMES for player in claim["rounds"][0]["players"])


def _a_table(chances: random.Random) -> list[str]:
    people = chances.sample(REGULARS, chances.choice((2, 2, 3)))
    if chances.random() < 0.5:
        visitor = chances.choice(VISITORS)
        is_shy = visitor == VISITORS[-1] and chances.random() < 0.3
        people.append(f"PRIVATE:{visitor}" if is_shy else visitor)
    if len(people) < 4 and chances.random() < 0.4:
        people.append(chances.choice((*NICKNAMES, BOB)))
    chances.shuffle(people)
    return people


def _some_of(people: list[str], chances: random.Random) -> list[str]:
    some = chances.sample(people, chances.randint(2, len(people)))
    real = [person for person in some if person != BOB]
    return some if len(real) >= 2 else people


def _a_round(people: list[str], has_points: bool, chances: random.Random) -> dict[str, Any]:
    mahjongs = [chances.randint(0, 3) for _ in people]
    wall_games = chances.randint(0, 2) or (sum(mahjongs) == 0)
    players: list[dict[str, Any]] = [
        {"email": person, "games_played": sum(mahjongs) + int(wall_games), "mahjongs": won}
        for person, won in zip(people, mahjongs, strict=True)
    ]
    if has_points:
        for player in players:
            player["points"] = chances.randint(-40_000, 40_000) / 100
    return {"players": players, "wall_games": int(wall_games)}
