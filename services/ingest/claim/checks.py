"""Checks a claim against the rules of the game and reads its people. Finds all mistakes at once.

Pure: today's date is handed in. Spec: docs/errors.md lists the codes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from typing import Final, Literal, NamedTuple, TypeAlias

from services.ingest.claim.people import Person, UnreadablePerson, read_name, read_person
from shared.characters import forbidden_in_label
from shared.errors import Mistake
from shared.events.facts import GameType
from shared.limits import FIRST_YEAR, POINTS_MAX
from shared.scoring.mistakes import SHARED_MAILBOX

CENTI_MAX: Final = 100 * POINTS_MAX
# The warning that a source may have ended (services/ingest/record/known/points_sums.py).
POINTS_SUM: Final = "points_do_not_sum_to_zero"
# Exact, or it raises: nothing is rounded, and no exponent can make a number with very many digits.
_NINE_DIGITS: Final = Context(prec=9, Emin=-9, Emax=9, traps=[Inexact, Overflow, InvalidOperation])
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


# What happens to a session with a round that is similar to one on record.
IfSimilar: TypeAlias = Literal["warn", "refuse"]


class CheckedSeat(NamedTuple):
    """One seat of a valid round. `text` is the player as submitted, `name` an offered name.

    Only someone with an address can ever claim a profile, so only they are offered a name.
    """

    person: Person
    text: str
    mahjongs: int
    points_centi: int
    name: str | None


class CheckedRound(NamedTuple):
    seats: tuple[CheckedSeat, ...]
    games_played: int
    wall_games: int
    ref: str | None


@dataclass(frozen=True, slots=True)
class CheckedSession:
    """A valid session: only what is on record can still be a reason to refuse it."""

    session_date: str
    game_type: GameType
    rounds: tuple[CheckedRound, ...]
    allow_duplicate: bool
    warnings: tuple[Mistake, ...]
    is_whole_night: bool = False
    if_similar: IfSimilar = "warn"


class Checks:
    """The mistakes found so far, and the rules that find them.

    Each rule takes the parts of a claim that are well formed, and None for the others, so that a
    mistake in one place does not hide those in another.
    """

    def __init__(self) -> None:
        self._mistakes: list[Mistake] = []

    @property
    def mistakes(self) -> Sequence[Mistake]:
        """The mistakes found so far, in the order in which they are reported."""
        return self._mistakes

    def note(self, pointer: str, code: str, message: str) -> None:
        self._mistakes.append(Mistake(pointer, code, message))

    def check_source(self, source_id: str, source: str) -> None:
        """Check that the source, if given, is the key's."""
        if source_id != source:
            self.note(
                "/source_id",
                "source_mismatch",
                f"Your key belongs to {source}. Leave source_id out, or use that other "
                "source's key.",
            )

    def check_date(self, text: str, today_latest: date) -> None:
        """Check that the date exists, is not before 1900, and has begun somewhere on earth."""
        day = _day(text)
        if day is None:
            self.note("/session_date", "invalid_date", "Write a calendar date as YYYY-MM-DD.")
            return
        if day.year < FIRST_YEAR:
            self.note(
                "/session_date", "date_too_early", (f"Dates before {FIRST_YEAR} are not accepted.")
            )
        if day > today_latest:
            self.note(
                "/session_date",
                "date_in_future",
                f"{text} has not begun anywhere on earth; it is {today_latest} at the latest.",
            )

    def read_person(self, round_no: int, place: int, text: str) -> Person | None:
        """Return the person that a text names, or None if it does not name anyone."""
        try:
            return read_person(text)
        except UnreadablePerson as error:
            self.note(f"{_seat(round_no, place)}/email", error.code, error.message)
            return None

    def read_name(self, round_no: int, place: int, text: str) -> str | None:
        """Return an offered name as it is stored, or None if it is not a name."""
        try:
            return read_name(text)
        except UnreadablePerson as error:
            self.note(f"{_seat(round_no, place)}/name", error.code, error.message)
            return None

    def read_points_centi(self, round_no: int, place: int, points: Decimal | int | None) -> int:
        """Return points in centi, within a million. They may have at most two decimals."""
        if points is not None and (centi := _centi(points)) is not None:
            return centi
        where = f"{_seat(round_no, place)}/points"
        if points is None:
            said = "League and tournament rounds need the points of every player."
            self.note(where, "points_missing", said)
        elif -POINTS_MAX <= points <= POINTS_MAX:
            self.note(where, "points_too_precise", "Points may have at most two decimals.")
        else:
            self.note(
                where, "out_of_range", (f"Points must be between -{POINTS_MAX} and {POINTS_MAX}.")
            )
        return 0

    def check_games(
        self,
        round_no: int,
        games_played: Sequence[int | None],
        mahjongs: Sequence[int | None],
        wall_games: int | None,
    ) -> None:
        """Check that all play the same games, and that each game has one winner or none."""
        games = set(games_played)
        games.discard(None)
        if len(games) > 1:
            listed = ", ".join("?" if each is None else str(each) for each in games_played)
            self.note(
                f"/rounds/{round_no}/players",
                "games_played_differ",
                "All players of a round play the same number of games, but games_played is "
                f"{listed}.",
            )
            return
        wins = [each for each in mahjongs if each is not None]
        if not games or wall_games is None or len(wins) != len(mahjongs):
            return
        won, played = sum(wins), games.pop()
        if won + wall_games != played:
            self.note(
                f"/rounds/{round_no}",
                "round_does_not_add_up",
                f"{won} mahjongs and {wall_games} wall games make {won + wall_games}, "
                f"but games_played is {played}.",
            )

    def check_table(
        self,
        round_no: int,
        people: Sequence[Person | None],
        names: Sequence[str | None],
        *,
        is_whole: bool,
    ) -> None:
        """Check that everyone sits once, with at most one Bob and at least two real players."""
        seen: dict[tuple[str, str], int] = {}
        real = 0
        for place, person in enumerate(people):
            if person is None:
                continue
            real += person.kind != "bob"
            first = seen.setdefault((person.kind, person.key), place)
            if first != place:
                pair = (names[first], names[place])
                self._note_twice(f"{_seat(round_no, place)}/email", person, first, pair)
        if is_whole and real < 2:
            self.note(
                f"/rounds/{round_no}/players",
                "too_few_players",
                "A round needs at least two real players; Bob is imaginary.",
            )

    def check_refs(self, refs: Sequence[str | None]) -> None:
        """Check that refs are printable, and that each names only one round of the session."""
        first: dict[str, int] = {}
        for number, ref in enumerate(refs):
            if ref is None:
                continue
            if (odd := forbidden_in_label(ref)) is not None:
                self.note(
                    f"/rounds/{number}/ref",
                    "invalid_ref",
                    f"A ref may only have visible characters, and this one has {odd}.",
                )
            if first.setdefault(ref, number) != number:
                self.note(
                    f"/rounds/{number}/ref",
                    "ref_repeated",
                    f"Round {first[ref]} of this session has the same ref. Each round needs "
                    "its own.",
                )

    def _note_twice(
        self, pointer: str, person: Person, first: int, names: tuple[str | None, str | None]
    ) -> None:
        seat = f"players/{first} of the round"
        if person.kind == "bob":
            self.note(pointer, "two_bobs", "There can be at most one Bob at a table.")
        elif person.kind == "anonymous":
            said = f"This is the same player as {seat}. Two people need two different nicknames."
            self.note(pointer, "player_twice", said)
        elif _are_two_names(*names):
            said = f"{names[1]} has the same address as {names[0]}, {seat}. {SHARED_MAILBOX}"
            self.note(pointer, "player_twice", said)
        else:
            said = f"This is the same player as {seat}. {SHARED_MAILBOX}"
            self.note(pointer, "player_twice", said)


def _seat(round_no: int, place: int) -> str:
    return f"/rounds/{round_no}/players/{place}"


def warnings_of(rounds: Sequence[CheckedRound], game_type: GameType) -> tuple[Mistake, ...]:
    """Return warnings about what is allowed but worth a look."""
    odd = _odd_points(rounds) if game_type == "league" else []
    named = [
        (number, place, seat)
        for number, checked in enumerate(rounds)
        for place, seat in enumerate(checked.seats)
        if seat.name is not None
    ]
    return (*odd, *_shared_addresses(named))


def _odd_points(rounds: Sequence[CheckedRound]) -> list[Mistake]:
    """Return a warning for each round whose points do not add up to zero."""
    return [
        Mistake(
            f"/rounds/{number}",
            POINTS_SUM,
            f"The points of this round add up to {Decimal(total) / 100}; in most leagues they "
            "add up to 0. The session counts as sent.",
        )
        for number, checked in enumerate(rounds)
        if (total := sum([seat.points_centi for seat in checked.seats])) != 0
    ]


def _shared_addresses(named: Sequence[tuple[int, int, CheckedSeat]]) -> Iterator[Mistake]:
    """Yield a warning where an address comes with a new name: two people may be sharing it.

    There is one warning per address.
    """
    first: dict[str, tuple[int, str]] = {}
    told: set[str] = set()
    for number, place, seat in named:
        assert seat.name is not None
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
    """Return whether two names seem to be more than two spellings of one name."""
    return one is not None and other is not None and _folded(one) != _folded(other)


def _folded(name: str) -> str:
    """Return a name in the form used to compare names: without case, spaces and marks."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(each for each in apart if each.isalnum())


def _centi(points: Decimal | int) -> int | None:
    """Return points in centi, or None if they are out of range or have more than two decimals."""
    try:
        scaled = _NINE_DIGITS.multiply(points, 100)
    except ArithmeticError:
        return None
    centi = int(scaled)
    return centi if centi == scaled and -CENTI_MAX <= centi <= CENTI_MAX else None


def _day(text: str) -> date | None:
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
