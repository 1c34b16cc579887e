"""Checks a claim against the rules of the game and reads its people; finds all mistakes at once.

Pure: today's date is handed in. Spec: docs/errors.md lists the codes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from services.ingest.claim.people import Person, UnreadablePerson, read_name, read_person
from shared.characters import forbidden_in_label
from shared.errors import ClaimRefused, Mistake
from shared.scoring.mistakes import SHARED_MAILBOX

FIRST_YEAR: Final = 1900
POINTS_MAX: Final = 1_000_000
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


# What becomes of a session with a round that is similar to one on record.
IfSimilar: TypeAlias = Literal["warn", "refuse"]


@dataclass(frozen=True, slots=True)
class CheckedSeat:
    """One seat of a lawful round. `text` is the player as submitted, `name` an offered name.

    Only somebody with an address can ever claim a profile, so nobody else is offered a name.
    """

    person: Person
    text: str
    mahjongs: int
    points_centi: int
    name: str | None


@dataclass(frozen=True, slots=True)
class CheckedRound:
    """A lawful round."""

    seats: tuple[CheckedSeat, ...]
    games_played: int
    wall_games: int
    ref: str | None


@dataclass(frozen=True, slots=True)
class CheckedSession:
    """A lawful session: nothing in it can be refused any more but by what is on record."""

    session_date: str
    game_type: Literal["social", "league", "tournament"]
    rounds: tuple[CheckedRound, ...]
    allow_duplicate: bool
    warnings: tuple[Mistake, ...]
    is_whole_night: bool = False
    if_similar: IfSimilar = "warn"


class Checks:
    """The mistakes found so far, and the rules that find them.

    Each rule takes what is well-formed of a claim, None for what is not, so that a mistake in one
    place does not hide those in another.
    """

    def __init__(self, mistakes: Sequence[Mistake] = ()) -> None:
        self._mistakes = {(each.pointer, each.code): each for each in mistakes}

    def note(self, pointer: str, code: str, message: str) -> None:
        """Note one mistake; the first word about a place and code counts."""
        self._mistakes.setdefault((pointer, code), Mistake(pointer, code, message))

    def refuse_if_any(self) -> None:
        """Raise ClaimRefused with all mistakes, if there are any."""
        if self._mistakes:
            raise ClaimRefused(self._mistakes.values())

    def check_source(self, source_id: str | None, source: str) -> None:
        """The source, if given, is the key's."""
        if source_id is not None and source_id != source:
            self.note(
                "/source_id",
                "source_mismatch",
                f"The session is of {source}. Leave source_id out, or use that other source's key.",
            )

    def check_date(self, text: str, today_latest: date) -> None:
        """The date is in the calendar, not before 1900, and has begun somewhere on earth."""
        day = _day(text)
        if day is None:
            self.note(
                "/session_date", "invalid_date", "Write a date of the calendar as YYYY-MM-DD."
            )
            return
        if day.year < FIRST_YEAR:
            self.note("/session_date", "date_too_early", f"No date before {FIRST_YEAR} is taken.")
        if day > today_latest:
            self.note(
                "/session_date",
                "date_in_future",
                f"{text} has not begun anywhere on earth. Today is at most {today_latest}.",
            )

    def read_person(self, pointer: str, text: str) -> Person | None:
        """Return whom a text names, None if it names nobody."""
        try:
            return read_person(text)
        except UnreadablePerson as error:
            self.note(pointer, error.code, error.message)
            return None

    def read_name(self, pointer: str, text: str) -> str | None:
        """Return an offered name as it is kept, None if it is none."""
        try:
            return read_name(text)
        except UnreadablePerson as error:
            self.note(pointer, error.code, error.message)
            return None

    def note_points_missing(self, pointer: str) -> None:
        """League and tournament rounds have points."""
        self.note(
            pointer,
            "points_missing",
            "League and tournament rounds need the points of every player.",
        )

    def read_points_centi(self, pointer: str, points: Decimal) -> int:
        """Return points in centi; they lie within a million and have at most two decimals."""
        if not -POINTS_MAX <= points <= POINTS_MAX:
            self.note(pointer, "out_of_range", f"Points lie within -{POINTS_MAX} to {POINTS_MAX}.")
            return 0
        if not _has_two_decimals(points):
            self.note(pointer, "points_too_precise", "Points have at most two decimals.")
            return 0
        return int(points * 100)

    def check_games(
        self,
        pointer: str,
        games_played: Sequence[int | None],
        mahjongs: Sequence[int | None],
        wall_games: int | None,
    ) -> None:
        """All play the same games, and each of them has one winner or none."""
        games = {each for each in games_played if each is not None}
        if len(games) > 1:
            listed = ", ".join("?" if each is None else str(each) for each in games_played)
            self.note(
                f"{pointer}/players",
                "games_played_differ",
                f"All players of a round play the same games, but games_played is {listed}.",
            )
            return
        wins = [each for each in mahjongs if each is not None]
        if not games or wall_games is None or len(wins) != len(mahjongs):
            return
        won, played = sum(wins), games.pop()
        if won + wall_games != played:
            self.note(
                pointer,
                "round_does_not_add_up",
                f"{won} mahjongs and {wall_games} wall games make {won + wall_games}, "
                f"but games_played is {played}.",
            )

    def check_table(
        self,
        pointer: str,
        people: Sequence[Person | None],
        names: Sequence[str | None],
        *,
        is_whole: bool,
    ) -> None:
        """Nobody sits twice at a table; at most one Bob, and at least two real players."""
        seen: dict[tuple[str, str], int] = {}
        for place, person in enumerate(people):
            if person is None:
                continue
            first = seen.setdefault((person.kind, person.key), place)
            if first != place:
                pair = (names[first], names[place])
                self._note_twice(f"{pointer}/players/{place}/email", person, first, pair)
        if is_whole and sum(each is not None and each.kind != "bob" for each in people) < 2:
            self.note(
                f"{pointer}/players",
                "too_few_players",
                "A round has at least two real players; Bob is imaginary.",
            )

    def check_refs(self, refs: Sequence[str | None]) -> None:
        """A ref is printable, and names one round of a session."""
        first: dict[str, int] = {}
        for number, ref in enumerate(refs):
            if ref is None:
                continue
            if (odd := forbidden_in_label(ref)) is not None:
                self.note(
                    f"/rounds/{number}/ref",
                    "invalid_ref",
                    f"A ref has characters only that can be seen, and this one has {odd}.",
                )
            if first.setdefault(ref, number) != number:
                self.note(
                    f"/rounds/{number}/ref",
                    "ref_repeated",
                    f"Round {first[ref]} of this session has the same ref. A ref names one round.",
                )

    def _note_twice(
        self, pointer: str, person: Person, first: int, names: tuple[str | None, str | None]
    ) -> None:
        seat = f"players/{first} of the round"
        if person.kind == "bob":
            self.note(pointer, "two_bobs", "At most one Bob sits at a table.")
        elif person.kind == "anonymous":
            said = f"This is the same player as {seat}. Two people need two nicknames."
            self.note(pointer, "player_twice", said)
        elif _are_two_names(*names):
            said = f"{names[1]} has the same address as {names[0]}, {seat}. {SHARED_MAILBOX}"
            self.note(pointer, "player_twice", said)
        else:
            said = f"This is the same player as {seat}. {SHARED_MAILBOX}"
            self.note(pointer, "player_twice", said)


def _shared_addresses(rounds: Sequence[CheckedRound]) -> Iterator[Mistake]:
    """Yield where an address comes with another name than before: it may be two people's.

    Each address is told of once.
    """
    first: dict[str, tuple[int, str]] = {}
    told: set[str] = set()
    for number, checked in enumerate(rounds):
        for place, seat in enumerate(checked.seats):
            if seat.name is None:
                continue
            round_no, name = first.setdefault(seat.person.key, (number, seat.name))
            if _are_two_names(name, seat.name) and seat.person.key not in told:
                told.add(seat.person.key)
                yield Mistake(
                    f"/rounds/{number}/players/{place}/name",
                    "one_address_two_names",
                    f"This address comes with the name {seat.name} here, and with {name} in round "
                    f"{round_no + 1}. It counts as one player. {SHARED_MAILBOX}",
                )


def _are_two_names(one: str | None, other: str | None) -> bool:
    """Tell whether two names are more than two spellings of one, as far as anyone can tell."""
    return one is not None and other is not None and _folded(one) != _folded(other)


def _folded(name: str) -> str:
    """Return a name as names are compared: whatever the case, the spaces and the marks."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(each for each in apart if each.isalnum())


def _has_two_decimals(points: Decimal) -> bool:
    """Tell it from the digits as they were sent: arithmetic would round those far behind."""
    _, digits, exponent = points.as_tuple()
    assert isinstance(exponent, int), "Points are finite."
    return exponent >= -2 or not any(digits[exponent + 2 :])


def _day(text: str) -> date | None:
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def warnings_of(
    rounds: Sequence[CheckedRound], game_type: Literal["social", "league", "tournament"]
) -> Iterator[Mistake]:
    """Yield what is allowed and still worth a look."""
    if game_type == "league":
        yield from _odd_points(rounds)
    yield from _shared_addresses(rounds)


def _odd_points(rounds: Sequence[CheckedRound]) -> Iterator[Mistake]:
    """Yield each round whose points do not sum to zero."""
    for number, checked in enumerate(rounds):
        total = sum(seat.points_centi for seat in checked.seats)
        if total != 0:
            yield Mistake(
                f"/rounds/{number}",
                "points_do_not_sum_to_zero",
                f"The points of this round sum to {Decimal(total) / 100}; in most leagues they sum "
                "to 0. The session counts as sent.",
            )
