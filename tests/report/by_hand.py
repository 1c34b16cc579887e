"""A second counting of a year, from the list of all facts and the JSON of the verdicts alone."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from shared.events.facts import (
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionSubmitted,
)
from tests.replay_by_hand.history import Facts, Sessions, merges, seated, survivor
from tests.replay_by_hand.replay import played_through

Volume = tuple[int, int, int]


class Forecast(NamedTuple):
    """What one side was expected to score, and did; its rating in points and its games."""

    expected: float
    actual: float
    rating: float
    games: int


def counting(facts: Facts, first: int) -> list[SessionSubmitted]:
    """Return the sessions that count after these facts, with a place from `first` on."""
    sessions = Sessions(facts)
    return [each for each in sessions.live() if sessions.place[each.session_id] >= first]


def volume(sessions: Sequence[SessionSubmitted]) -> Volume:
    """Return how many sessions, rounds and games there are."""
    rounds = [played for each in sessions for played in each.rounds]
    return len(sessions), len(rounds), sum(played.games_played for played in rounds)


def tiers(facts: Facts) -> Counter[str]:
    """Return how many rated players there are of each tier."""
    standings, _ = played_through(facts)
    merged_into = merges(facts)
    flagged: set[str] = set()
    for _, fact in facts:
        if isinstance(fact, PlayerVerified):
            flagged.add(fact.player_id)
        elif isinstance(fact, PlayerVerificationEnded):
            flagged.discard(fact.player_id)
    verified = {survivor(merged_into, each) for each in flagged}
    rated = [each for each, standing in standings.items() if standing.games and each != "BOB"]
    return Counter(
        "verified" if each in verified else "anonymous" if each[:3] == "AN-" else "provisional"
        for each in rated
    )


def who_played(facts: Facts, first: int) -> set[str]:
    """Return who sat in sessions that count, with a place from `first` on."""
    merged_into = merges(facts)
    ids = {who for each in counting(facts, first) for who in seated(each)}
    return {survivor(merged_into, each) for each in ids - {"BOB"}}


def mean(facts: Facts) -> tuple[int, float]:
    """Return how many players are rated, and their mean rating."""
    standings, _ = played_through(facts)
    ratings = [s.rating_centi / 100 for who, s in standings.items() if s.games and who != "BOB"]
    return len(ratings), sum(ratings) / max(len(ratings), 1)


def forecasts(facts: Facts, first: int, verdicts: Sequence[bytes]) -> list[Forecast]:
    """Return the forecasts of the sessions that count, from the numbers that were published."""
    moved = {each for _, f in facts if isinstance(f, SeatsReassigned) for each in f.sessions}
    wanted = {each.session_id for each in counting(facts, first)} - moved
    found = []
    for body in verdicts:
        data = orjson.loads(body)["data"]
        session = data.get("session") or data
        if session.get("session_id") in wanted and "rounds" in session:
            found += [each for played in session["rounds"] for each in _of_round(played)]
    return found


def _of_round(played: dict[str, Any]) -> Iterator[Forecast]:
    seats = [
        (rating / 100, games, won)
        for who, rating, games, won in zip(
            played["players"],
            played["rating_before"],
            played["games_before"],
            played["mahjongs"],
            strict=True,
        )
        if who != "BOB"
    ]
    for at, (rating, games, won) in enumerate(seats):
        for other in seats[:at] + seats[at + 1 :]:
            expected = 1 / (1 + 10 ** ((other[0] - rating) / 400))
            actual = 0.5 if won == other[2] else float(won > other[2])
            yield Forecast(expected, actual, rating, games)


def measures(of: Sequence[Forecast]) -> dict[str, float]:
    """Return what a report says of some forecasts."""
    losses = [
        -each.actual * math.log(each.expected) - (1 - each.actual) * math.log(1 - each.expected)
        for each in of
    ]
    return {
        "expected_micro": 1e6 * sum(each.expected for each in of) / len(of),
        "actual_micro": 1e6 * sum(each.actual for each in of) / len(of),
        "log_loss_micro": 1e6 * sum(losses) / len(of),
        "brier_micro": 1e6 * sum((each.actual - each.expected) ** 2 for each in of) / len(of),
        "even_log_loss_micro": 1e6 * math.log(2),
        "even_brier_micro": 1e6 * sum((each.actual - 0.5) ** 2 for each in of) / len(of),
    }
