"""Makes up a season of sessions from a seed; the same seed gives the same season.

Every session keeps the rules of a claim, and no two are alike: on one day one source plays. Who is
stronger wins more often, so the ratings have something to find.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from services.cli.demo.people import BOB, CLUB, LEAGUE, PEOPLE, PLATFORM, DemoPerson, members

FIRST_DAY: Final = date(2026, 2, 2)
WEEKS: Final = 16
TUESDAY, SATURDAY, SUNDAY = 1, 5, 6
TOURNAMENT_EVERY_WEEKS: Final = 4

# Between the weakest and the strongest; e^1.8 is 6 wins against 1.
STRENGTH_SPAN: Final = 1.8
WALL_GAME_CHANCE: Final = 0.12
SELF_DRAW_CHANCE: Final = 0.3
HAND_POINTS: Final = (25, 25, 25, 30, 30, 35, 40, 50)


@dataclass(frozen=True, slots=True)
class Session:
    """What one source submits for one day."""

    source: str
    session_date: date
    game_type: str
    rounds: tuple[dict[str, Any], ...]

    @property
    def claim(self) -> dict[str, Any]:
        return {
            "source_id": self.source,
            "session_date": self.session_date.isoformat(),
            "game_type": self.game_type,
            "rounds": list(self.rounds),
        }


@dataclass(frozen=True, slots=True)
class DemoSeason:
    """Sessions in the order in which they are played, and how strong each player really is."""

    sessions: tuple[Session, ...]
    strengths: Mapping[str, float]


def make_up_season(seed: int) -> DemoSeason:
    """Return the season of a seed."""
    chance = random.Random(seed)  # noqa: S311 - It must be repeatable, and protects nothing.
    strengths = _strengths(chance)
    table = _Table(chance, strengths)
    days = (FIRST_DAY + timedelta(days=day) for day in range(7 * WEEKS))
    sessions = tuple(table.session(day) for day in days)
    return DemoSeason(sessions, strengths)


def _strengths(chance: random.Random) -> dict[str, float]:
    """Spread people evenly from weak to strong, in an order that the seed decides."""
    steps = [STRENGTH_SPAN * (step / (len(PEOPLE) - 1) - 0.5) for step in range(len(PEOPLE))]
    chance.shuffle(steps)
    strengths = {person.submitted_as: step for person, step in zip(PEOPLE, steps, strict=True)}
    return {**strengths, BOB: 0.0}


@dataclass(frozen=True, slots=True)
class _Table:
    """Where games are played by chance and strength."""

    chance: random.Random
    strengths: Mapping[str, float]

    def session(self, day: date) -> Session:
        """Play what is played on a day."""
        week = (day - FIRST_DAY).days // 7 + 1
        if day.weekday() == TUESDAY:
            return Session(CLUB, day, "social", tuple(self._club_night()))
        if day.weekday() == SATURDAY:
            return Session(LEAGUE, day, "league", tuple(self._league_night()))
        if day.weekday() == SUNDAY and week % TOURNAMENT_EVERY_WEEKS == 0:
            return Session(PLATFORM, day, "tournament", tuple(self._tournament()))
        return Session(PLATFORM, day, "social", tuple(self._online_table()))

    def _league_night(self) -> Iterator[dict[str, Any]]:
        """Two rounds of four games, with other people at each table."""
        present = self.chance.sample(members(LEAGUE), self.chance.choice((8, 8, 12)))
        for _ in range(2):
            yield from (self._round(four, 4, has_points=True) for four in self._tables(present))

    def _club_night(self) -> Iterator[dict[str, Any]]:
        """Three rounds of three games; Bob fills a table, and two may play Siamese."""
        present = self.chance.sample(members(CLUB), self.chance.randint(6, 10))
        for _ in range(3):
            yield from (self._round(some, 3) for some in self._tables(present) if len(some) > 1)

    def _tournament(self) -> Iterator[dict[str, Any]]:
        """Four rounds of six games for sixteen."""
        present = self.chance.sample(members(PLATFORM), 16)
        for _ in range(4):
            yield from (self._round(four, 6, has_points=True) for four in self._tables(present))

    def _online_table(self) -> Iterator[dict[str, Any]]:
        """One table of four that plays on for a while."""
        present = self.chance.sample(members(PLATFORM), 4)
        for _ in range(self.chance.randint(1, 3)):
            yield self._round(present, 5)

    def _tables(self, present: Sequence[DemoPerson]) -> list[Sequence[DemoPerson]]:
        mixed = self.chance.sample(present, len(present))
        return [mixed[start : start + 4] for start in range(0, len(mixed), 4)]

    def _round(
        self, people: Sequence[DemoPerson], games: int, *, has_points: bool = False
    ) -> dict[str, Any]:
        seats = [person.submitted_as for person in people]
        seats += [BOB] if len(seats) == 3 else []
        mahjongs, points = dict.fromkeys(seats, 0), dict.fromkeys(seats, 0)
        for _ in range(games):
            self._game(seats, mahjongs, points)
        players = [
            {"email": seat, "games_played": games, "mahjongs": mahjongs[seat]}
            | ({"points": points[seat]} if has_points else {})
            for seat in seats
        ]
        return {"players": players, "wall_games": games - sum(mahjongs.values())}

    def _game(self, seats: Sequence[str], mahjongs: dict[str, int], points: dict[str, int]) -> None:
        """Play one game; its points sum to zero, and the discarder of the last tile pays double."""
        if self.chance.random() < WALL_GAME_CHANCE:
            return
        weights = [math.exp(self.strengths[seat]) for seat in seats]
        (winner,) = self.chance.choices(seats, weights)
        mahjongs[winner] += 1
        hand_points = self.chance.choice(HAND_POINTS)
        losers = [seat for seat in seats if seat != winner]
        is_self_drawn = self.chance.random() < SELF_DRAW_CHANCE
        discarder = None if is_self_drawn else self.chance.choice(losers)
        for loser in losers:
            paid = hand_points * (2 if is_self_drawn or loser == discarder else 1)
            points[loser] -= paid
            points[winner] += paid
