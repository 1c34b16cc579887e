"""Which rounds are possible at all; ingest lets in no others."""

from collections.abc import Sequence
from itertools import chain
from operator import add
from typing import Final

from shared.events.facts import SessionSubmitted
from shared.ids import BOB

POINTS_CENTI_MAX: Final = 100_000_000
GAMES_PLAYED_MAX: Final = 200


class ImpossibleFact(Exception):
    """A fact that is impossible after the facts before it: it moves no one.

    `reason` is a code; `session_id` is the session it was about, if it was about one.
    """

    def __init__(self, reason: str, session_id: str | None) -> None:
        super().__init__(reason, session_id)
        self.reason = reason
        self.session_id = session_id


def adds_up(session: SessionSubmitted) -> bool:
    """Return whether the numbers of all rounds add up and fit what the formula is proved for.

    All rounds are checked together, which takes half the time of one after the other.
    """
    if not session.rounds:
        return False
    games, walls, tables, mahjongs, points = zip(*session.rounds, strict=True)
    return (
        all(map(_can_sit_together, set(tables)))
        and min(games) >= 1
        and max(games) <= GAMES_PLAYED_MAX
        and min(walls) >= 0
        and min(map(min, mahjongs)) >= 0
        and [*map(add, map(sum, mahjongs), walls)] == [*games]
        and _are_points_right(points, points_count=session.game_type != "social")
    )


def is_nobody(player_id: str) -> bool:
    """Return whether an id is Bob's or an anonymous player's, who are never verified or merged."""
    return player_id == BOB or player_id.startswith("AN-")


def _can_sit_together(players: tuple[str, ...]) -> bool:
    seats = len(players)
    return 2 <= seats <= 4 and len(set(players)) == seats and (seats > 2 or BOB not in players)


def _are_points_right(points: Sequence[tuple[int, ...] | None], *, points_count: bool) -> bool:
    given = [each for each in points if each is not None]
    if points_count and len(given) < len(points):
        return False
    numbers = [*chain.from_iterable(given)]
    return not numbers or (max(numbers) <= POINTS_CENTI_MAX and min(numbers) >= -POINTS_CENTI_MAX)
