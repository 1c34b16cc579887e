"""Checks a claim against the rules of the game and reads its people; finds all mistakes at once.

Pure: today's date is handed in. Spec: docs/errors.md lists the codes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final, Literal

from services.ingest.claims import RoundClaim, SeatClaim
from services.ingest.people import Person, UnreadablePerson, read_name, read_person
from shared.errors import ClaimRefused, Mistake

FIRST_YEAR: Final = 1900
POINTS_MAX: Final = 1_000_000
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class CheckedSeat:
    """One seat of a lawful round. `text` is the player as submitted, `name` an offered name."""

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


class Checks:
    """The mistakes found so far, and the rules that find them.

    Each rule takes what is well-formed of a claim, so that a mistake in one place does not hide
    those in another.
    """

    def __init__(self, mistakes: Sequence[Mistake] = ()) -> None:
        self.mistakes = list(mistakes)

    def note(self, pointer: str, code: str, message: str) -> None:
        """Note one mistake."""
        self.mistakes.append(Mistake(pointer, code, message))

    def refuse_if_any(self) -> None:
        """Raise ClaimRefused with all mistakes, if there are any."""
        if self.mistakes:
            raise ClaimRefused(self.mistakes)

    def check_source(self, source_id: str | None, source: str) -> None:
        """The source, if given, is the key's."""
        if source_id is not None and source_id != source:
            self.note(
                "/source_id",
                "source_mismatch",
                f"The key belongs to {source}. Leave source_id out, or use that source's key.",
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

    def check_seat(
        self, pointer: str, seat: SeatClaim, *, points_count: bool | None
    ) -> CheckedSeat | None:
        """The player can be read, and points are there where they count; None if not."""
        person = self._person(pointer, seat)
        name = self._name(pointer, seat, person)
        points_centi = self._points_centi(pointer, seat, points_count=points_count)
        if person is None:
            return None
        return CheckedSeat(person, seat.email, seat.mahjongs, points_centi, name)

    def check_round(self, pointer: str, claim: RoundClaim) -> None:
        """The numbers of a well-formed round fit each other."""
        games = {seat.games_played for seat in claim.players}
        if len(games) > 1:
            self.note(
                f"{pointer}/players",
                "games_played_differ",
                "All players of a round play the same games, but games_played is "
                f"{', '.join(str(seat.games_played) for seat in claim.players)}.",
            )
        else:
            self._check_sum(pointer, claim, games.pop())
        if claim.ref is not None and not claim.ref.isprintable():
            self.note(f"{pointer}/ref", "invalid_ref", "A ref has printable characters only.")

    def check_table(self, pointer: str, people: Sequence[Person | None]) -> None:
        """Nobody sits twice at a table; at most one Bob, and at least two real players."""
        seen: dict[tuple[str, str], int] = {}
        for place, person in enumerate(people):
            if person is None:
                continue
            first = seen.setdefault((person.kind, person.key), place)
            if first != place:
                self._note_twice(f"{pointer}/players/{place}/email", person, first)
        if None not in people and sum(kind != "bob" for kind, _ in seen) < 2:
            self.note(
                f"{pointer}/players",
                "too_few_players",
                "A round has at least two different real players; Bob is imaginary.",
            )

    def check_refs(self, refs: Sequence[str | None]) -> None:
        """A ref names one round of a session."""
        first: dict[str, int] = {}
        for number, ref in enumerate(refs):
            if ref is not None and first.setdefault(ref, number) != number:
                self.note(
                    f"/rounds/{number}/ref",
                    "ref_repeated",
                    f"Round {first[ref]} of this session has the same ref. A ref names one round.",
                )

    def _person(self, pointer: str, seat: SeatClaim) -> Person | None:
        try:
            return read_person(seat.email)
        except UnreadablePerson as error:
            self.note(f"{pointer}/email", error.code, error.message)
            return None

    def _name(self, pointer: str, seat: SeatClaim, person: Person | None) -> str | None:
        """Only somebody with an address can ever claim a profile, so no other name is kept."""
        if seat.name is None:
            return None
        try:
            name = read_name(seat.name)
        except UnreadablePerson as error:
            self.note(f"{pointer}/name", error.code, error.message)
            return None
        return name if person is not None and person.kind == "person" else None

    def _points_centi(self, pointer: str, seat: SeatClaim, *, points_count: bool | None) -> int:
        if not points_count:
            return 0
        if seat.points is None:
            self.note(
                f"{pointer}/points",
                "points_missing",
                "League and tournament rounds need the points of every player.",
            )
            return 0
        if abs(seat.points) > POINTS_MAX:
            self.note(
                f"{pointer}/points",
                "out_of_range",
                f"Points lie within -{POINTS_MAX} to {POINTS_MAX}.",
            )
            return 0
        points = Decimal(repr(seat.points))
        if not has_two_decimals(points):
            self.note_too_precise(f"{pointer}/points")
        return int(points * 100)

    def note_too_precise(self, pointer: str) -> None:
        """Points with more than two decimals."""
        self.note(pointer, "points_too_precise", "Points have at most two decimals.")

    def _check_sum(self, pointer: str, claim: RoundClaim, games_played: int) -> None:
        mahjongs = sum(seat.mahjongs for seat in claim.players)
        if mahjongs + claim.wall_games != games_played:
            self.note(
                pointer,
                "round_does_not_add_up",
                f"{mahjongs} mahjongs and {claim.wall_games} wall games make "
                f"{mahjongs + claim.wall_games}, but games_played is {games_played}.",
            )

    def _note_twice(self, pointer: str, person: Person, first: int) -> None:
        if person.kind == "bob":
            self.note(pointer, "two_bobs", "At most one Bob sits at a table.")
        else:
            self.note(
                pointer,
                "player_twice",
                f"This is the same player as players/{first} of the round.",
            )


def has_two_decimals(points: Decimal) -> bool:
    """Tell whether a number has at most two decimals."""
    return points * 100 % 1 == 0


def _day(text: str) -> date | None:
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def warnings_of(rounds: Sequence[CheckedRound]) -> Iterator[Mistake]:
    """Yield what is allowed and still worth a look: league points that do not sum to zero."""
    for number, checked in enumerate(rounds):
        total = sum(seat.points_centi for seat in checked.seats)
        if total != 0:
            yield Mistake(
                f"/rounds/{number}",
                "points_do_not_sum_to_zero",
                f"The points of this round sum to {Decimal(total) / 100}; in most leagues they sum "
                "to 0. The session counts as sent.",
            )
