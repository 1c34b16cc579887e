"""Rates consecutive sessions together, by the kernel.

It gives the same numbers as decide.py does for one after the other, in a fraction of the time.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from services.rater.state import State
from shared.events.facts import SessionSubmitted
from shared.events.verdicts import RatedRound, SessionRated
from shared.rating.columns import RatingRecord
from shared.rating.kernel import Loop
from shared.replay.session_rating import verdict_on

# Fewer sessions are rated just as fast one after the other.
TOGETHER_MIN: Final = 8

Players: TypeAlias = tuple[str, ...]
Seats: TypeAlias = list[int]


def rate_together(
    state: State, facts: Sequence[tuple[int, SessionSubmitted]], loop: Loop
) -> list[SessionRated] | None:
    """Rate sessions in their order, and apply them and their ratings to the state.

    Return None, with nothing changed, if any is impossible: rating one by one shows which.
    """
    seated = state.chronicle.seat(facts)
    if seated is None:
        return None
    assert state.formula is not None, "The first record of every log adopts a formula."
    moved = state.rate(seated, state.formula.rules, loop)
    rows = _rows(moved.record)
    verdicts = [_rated(session, rows, state.chronicle.read_as) for _, session in facts]
    state.move(seated, moved)  # Last: if anything fails before, nothing has changed.
    return verdicts


def _rows(record: RatingRecord) -> Iterator[tuple[Seats, ...]]:
    """Yield the numbers of each round: a column for each quantity, in the order of RatedRound."""
    columns = (
        record.rating_before,
        record.rating_change,
        record.games_before,
        record.games_after,
        record.is_verified,
        record.verified_rating_before,
        record.verified_rating_change,
        record.verified_games_before,
        record.verified_games_after,
    )
    return zip(*[column.tolist() for column in columns], strict=True)


def _rated(
    session: SessionSubmitted,
    rows: Iterator[tuple[Seats, ...]],
    read_as: Callable[[Players], Players],
) -> SessionRated:
    """Return a session as rated; its rounds use the next rows."""
    points_count = session.game_type != "social"
    rounds: list[RatedRound] = []
    for played, row in zip(session.rounds, rows, strict=False):
        players = read_as(played.players)
        seats = len(players)
        rounds.append(
            RatedRound._make(
                (
                    played.games_played,
                    played.wall_games,
                    players,
                    played.mahjongs,
                    played.points_centi if points_count else None,
                    *[tuple(column[:seats]) for column in row],
                    None if players == played.players else played.players,
                )
            )
        )
    return verdict_on(session, rounds)
