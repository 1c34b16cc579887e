"""Histories for the kernel, and what it must make of them: round after round, by formula.py.

A history is told in steps; `told` puts it into columns, `replayed` rates it with dictionaries.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from shared.rating.columns import Events, RatingRecord, Rounds, Sessions, Standings
from shared.rating.formula import Seat, rate_round
from shared.rating.parameters import Parameters

BOB = 0


class Played(NamedTuple):
    """A round: player indexes and results by seat. Points are None where they do not count."""

    players: tuple[int, ...]
    mahjongs: tuple[int, ...]
    points_centi: tuple[int, ...] | None
    games_played: int


class Session(NamedTuple):
    rounds: tuple[Played, ...]


class Verification(NamedTuple):
    player: int
    is_verified: bool


Step: TypeAlias = Session | Verification


@dataclass
class Person:
    """Rating and games in both pools, as numbers[player] has them."""

    numbers: list[int]
    is_verified: bool = False


@dataclass
class Told:
    rounds: Rounds
    sessions: Sessions
    events: Events
    record: RatingRecord = field(init=False)

    def __post_init__(self) -> None:
        self.record = RatingRecord.of_rounds(len(self.rounds.seats))


def told(steps: Sequence[Step], places: Iterable[int]) -> Told:
    """Return the columns of a history; the rounds stand in the reverse order of the sessions."""
    placed = list(zip(places, steps, strict=True))
    sessions = [(place, step) for place, step in placed if isinstance(step, Session)]
    verifications = [(place, step) for place, step in placed if isinstance(step, Verification)]
    rounds = Rounds.of_rows(sum(len(session.rounds) for _, session in sessions))
    columns = Sessions.of_rows(len(sessions))
    row = len(rounds.seats)
    for at, (place, session) in enumerate(sessions):
        row -= len(session.rounds)
        columns.place[at] = place
        columns.round_from[at], columns.round_to[at] = row, row + len(session.rounds)
        for offset, played in enumerate(session.rounds):
            put(rounds, row + offset, played)
    events = Events(
        place=np.array([place for place, _ in verifications], np.int64),
        player=np.array([each.player for _, each in verifications], np.int32),
        is_verified=np.array([each.is_verified for _, each in verifications], np.uint8),
    )
    return Told(rounds, columns, events)


def put(rounds: Rounds, row: int, played: Played) -> None:
    seats = len(played.players)
    rounds.seats[row] = seats
    rounds.games_played[row] = played.games_played
    rounds.players[row, :seats] = played.players
    rounds.mahjongs[row, :seats] = played.mahjongs
    rounds.points_count[row] = played.points_centi is not None
    if played.points_centi is not None:
        rounds.points_centi[row, :seats] = played.points_centi


def replayed(
    steps: Sequence[Step], survivor: Sequence[int], numbers: Sequence[list[int]], rules: Parameters
) -> tuple[list[Person], list[list[list[int]]]]:
    """Return everybody after a history, and the numbers of every seat of every round in it.

    A seat has rating_before, games_before, rating_change and games_after of both pools, then
    whether it was Verified.
    """
    people = [Person(list(each)) for each in numbers]
    rows: list[list[list[int]]] = []
    for step in steps:
        if isinstance(step, Verification):
            people[step.player].is_verified = step.is_verified
            continue
        rows += [rate(played, survivor, people, rules) for played in step.rounds]
    return people, rows


def rate(
    played: Played, survivor: Sequence[int], people: list[Person], rules: Parameters
) -> list[list[int]]:
    players = [survivor[player] for player in played.players]
    verified = {survivor[at] for at, person in enumerate(people) if person.is_verified} - {BOB}
    is_verified = [player in verified for player in players]
    before = [list(people[player].numbers) for player in players]
    move(played, players, [True] * len(players), people, pool=0, rules=rules)
    if sum(is_verified) >= 2:
        move(played, players, is_verified, people, pool=2, rules=rules)
    rows = []
    for at, player in enumerate(players):
        rating, games, verified_rating, verified_games = people[player].numbers
        was = before[at]
        mahjic = [was[0], was[1], rating - was[0], games]
        rows.append(
            [*mahjic, was[2], was[3], verified_rating - was[2], verified_games, is_verified[at]]
        )
    return rows


def move(
    played: Played,
    players: list[int],
    is_in: list[bool],
    people: list[Person],
    *,
    pool: int,
    rules: Parameters,
) -> None:
    """Rate those who are in the pool; its two numbers begin at `pool`."""
    points = played.points_centi or (0,) * len(players)
    seated = [
        (player, mahjongs, points_centi)
        for player, mahjongs, points_centi, is_seated in zip(
            players, played.mahjongs, points, is_in, strict=True
        )
        if is_seated
    ]
    table = [Seat(*people[player].numbers[pool : pool + 2], *rest) for player, *rest in seated]
    changes = rate_round(rules, table, points_count=played.points_centi is not None)
    for (player, *_), change in zip(seated, changes, strict=True):
        if player != BOB:
            people[player].numbers[pool] += change
            people[player].numbers[pool + 1] += played.games_played


def standings_of(numbers: Sequence[list[int]]) -> Standings:
    """Return people before a history who stand where the numbers say."""
    standings = Standings.of_newcomers(len(numbers))
    standings.numbers[:] = numbers
    return standings
