"""Tells what two players did at the same table, and what is expected of them today. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.history.entries import ChangePlace
from services.projections.together.answers import ExpectedScore, Met, RoundTogether, Together
from shared.answers import points
from shared.rating.expected import WIN_NANO, expected_nano

PAGE_ROUNDS: Final = 25


@dataclass(frozen=True, slots=True)
class OneOfTwo:
    """What a round was for one of the people in it. A change is None if none was published.

    `counted_as` is the id that the rating moved of, whoever it was merged into by then.
    """

    counted_as: str
    won: int
    change_centi: int | None
    verified_change_centi: int | None


@dataclass(frozen=True, slots=True)
class Meeting:
    """A round that two players sat in."""

    fact_seq: int
    round_no: int
    session_id: str
    source: str
    source_name: str
    session_date: date
    game_type: str
    games: int
    wall_games: int
    one: OneOfTwo
    other: OneOfTwo

    @property
    def place(self) -> tuple[int, int]:
        """The round's place on the log."""
        return self.fact_seq, self.round_no

    def turned(self) -> "Meeting":
        """Return the round from the other one's point of view."""
        return replace(self, one=self.other, other=self.one)


def seated(results: dict[str, Any], player_id: str, members: Collection[str]) -> OneOfTwo | None:
    """Return what a round was for an id of its fact, or None if that sat in another round.

    `results` are those of the log, with the numbers of the rating unless the session came in place
    of another. They are left out as well if the rating that moved is no longer one of `members`,
    those of the player: the id was merged into another player then.
    """
    sat: list[str] = results.get("played_as") or results["players"]
    if player_id not in sat:
        return None
    seat = sat.index(player_id)
    counted_as, won = results["players"][seat], results["mahjongs"][seat]
    if "rating_change" not in results or counted_as not in members:
        return OneOfTwo(counted_as, won, None, None)
    counted = results["verified_games_after"][seat] > results["verified_games_before"][seat]
    return OneOfTwo(
        counted_as=counted_as,
        won=won,
        change_centi=results["rating_change"][seat],
        verified_change_centi=results["verified_rating_change"][seat] if counted else None,
    )


def expected_scores(one_centi: int, other_centi: int, scale_centi: int) -> ExpectedScore:
    """Return what a formula with this scale expects of a game between two ratings."""
    nano = expected_nano(one_centi - other_centi, scale_centi)
    return {
        "one": nano / WIN_NANO,
        "other": (WIN_NANO - nano) / WIN_NANO,
        "one_nano": nano,
        "other_nano": WIN_NANO - nano,
    }


def shown_together(
    meetings: Sequence[Meeting],
    pair: tuple[str, str],
    start: tuple[int, int] | None,
    *,
    rounds_max: int,
    is_whole: bool,
) -> Together:
    """Return a page of rounds, which come newest first, and the record of all of them.

    The page begins with the round at the place `start`, or with the first one below it.
    """
    first = 0
    if start is not None:
        first = sum(meeting.place > start for meeting in meetings)
    after, before = first + PAGE_ROUNDS, first - PAGE_ROUNDS
    return {
        "record": _record(meetings),
        "rounds_max": rounds_max,
        "is_whole": is_whole,
        "rounds": [_shown(each) for each in meetings[first:after]],
        "is_newest": first == 0,
        "newer_cursor": _cursor(pair, meetings[before]) if before > 0 else None,
        "older_cursor": _cursor(pair, meetings[after]) if after < len(meetings) else None,
    }


def read_start(cursor: str | None, pair: tuple[str, str]) -> tuple[int, int] | None:
    """Return the place that a cursor stands for. Raises WrongCursor."""
    if cursor is None:
        return None
    one, other, fact_seq, round_no = read_cursor(cursor, str, str, int, int)
    assert isinstance(fact_seq, int)
    assert isinstance(round_no, int)
    if (one, other) != pair:
        raise WrongCursor
    return fact_seq, round_no


def _cursor(pair: tuple[str, str], meeting: Meeting) -> str:
    return write_cursor(*pair, *meeting.place)


def _record(meetings: Sequence[Meeting]) -> Met:
    return {
        "rounds": len(meetings),
        "games": sum(each.games for each in meetings),
        "won": sum(each.one.won for each in meetings),
        "lost": sum(each.other.won for each in meetings),
        "wall_games": sum(each.wall_games for each in meetings),
    }


def _shown(meeting: Meeting) -> RoundTogether:
    one, other = meeting.one, meeting.other
    return {
        "session_id": meeting.session_id,
        "source": {"slug": meeting.source, "name": meeting.source_name},
        "session_date": meeting.session_date,
        "game_type": meeting.game_type,
        "round_number": meeting.round_no,
        "games": meeting.games,
        "won": one.won,
        "lost": other.won,
        "wall_games": meeting.wall_games,
        "change_id": _change_id(meeting, one),
        "other_change_id": _change_id(meeting, other),
        "rating_change": _points(one.change_centi),
        "other_rating_change": _points(other.change_centi),
        "verified_rating_change": _points(one.verified_change_centi),
        "other_verified_rating_change": _points(other.verified_change_centi),
    }


def _change_id(meeting: Meeting, who: OneOfTwo) -> str | None:
    if who.change_centi is None:
        return None
    return ChangePlace(meeting.fact_seq, meeting.round_no, who.counted_as).change_id


def _points(centi: int | None) -> float | None:
    return None if centi is None else points(centi)
