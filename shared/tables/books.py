"""What a game at a table brings each person under the rule book of the night, in hundredths.

A book is an object, as it is kept with a night. Five kinds: `who` (just who won), `american` (by
payment or by tournament points), `hong-kong`, `banker`, and `points`, typed in by whoever has them,
as under Wright-Patterson.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Final, TypeAlias

from shared.scoring import american, banker, hong_kong
from shared.scoring.against_rules import AgainstTheRules
from shared.tables.entries import Content

CENTI: Final = 100
_RULE_NUMBER_MAX: Final = 1_000
_FAAN_MAX: Final = 20
_BASE_CENTI_MAX: Final = 100_000
_SEATS: Final = 4

WHO: Final[Mapping[str, Any]] = {"name": "who"}


class WrongBook(ValueError):
    """There is no such rule book, or it can't be set so."""


class NotCounted(ValueError):
    """What an entry says can't be counted: it doesn't fit the seats or the rule book."""


@dataclass(frozen=True, slots=True)
class Who:
    """Just who won."""


@dataclass(frozen=True, slots=True)
class TypedPoints:
    """Points that people have worked out themselves."""


@dataclass(frozen=True, slots=True)
class BankerBook:
    """The banker rule book, which has no numbers to set."""


Book: TypeAlias = (
    Who
    | TypedPoints
    | BankerBook
    | american.PaymentRules
    | american.TournamentRules
    | hong_kong.HouseRules
)


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """What a game comes to: who won, and each seat's points in hundredths, if the book has any.

    Two entries that come to the same are equal in what counts.
    """

    winner: int | None
    points_centi: tuple[int, ...] | None


def read_book(value: Mapping[str, Any]) -> Book:
    """Return a rule book as it is kept with a night. Raises WrongBook."""
    name, rest = value.get("name"), {key: said for key, said in value.items() if key != "name"}
    if name == "american":
        return _american(rest)
    if name == "hong-kong":
        return _hong_kong(rest)
    if rest or not isinstance(name, str) or name not in _PLAIN:
        raise WrongBook(
            "The rule book is one of who, american, hong-kong, banker and points; only american "
            "and hong-kong have something to set."
        )
    return _PLAIN[name]


def has_points(book: Book) -> bool:
    """Return whether games under this book bring points, or just a winner."""
    return not isinstance(book, Who)


def outcome_of(content: Content, book: Book, people: Sequence[int]) -> GameOutcome:
    """Return what a game comes to for the people who sit there, in the order of the seats.

    Raises NotCounted, with what to do.
    """
    winner = content["winner"]
    seats = {person: seat for seat, person in enumerate(people)}
    if winner is not None:
        _seat(seats, winner)
    if isinstance(book, Who):
        return GameOutcome(winner, None)
    if isinstance(book, TypedPoints):
        return GameOutcome(winner, _typed(content, people))
    if len(people) != _SEATS:
        raise NotCounted("This rule book is for four people. Enter the points, or just who won.")
    try:
        points = _settled(content, book, seats)
    except AgainstTheRules as wrong:
        raise NotCounted(wrong.message) from None
    return GameOutcome(winner, tuple(int(each * CENTI) for each in points))


def _settled(content: Content, book: Book, seats: Mapping[int, int]) -> Sequence[int | Fraction]:
    if isinstance(book, american.PaymentRules | american.TournamentRules):
        return american.settle(_american_game(content, seats), book)
    if isinstance(book, hong_kong.HouseRules):
        return hong_kong.settle(_hong_kong_game(content, book, seats), book)
    if content["winner"] is None:
        return (0,) * _SEATS
    by = content.get("by")
    win = banker.BankerSelfDraw() if by is None else banker.BankerDiscard(_seat(seats, by))
    return banker.settle(
        seats[content["winner"]],
        win,
        _seat(seats, _number(content, "banker")),
        content.get("standup", False),
        content.get("in_between", False),
    )


def _american_game(content: Content, seats: Mapping[int, int]) -> american.AmericanGame:
    dead = frozenset(_seat(seats, person) for person in content.get("dead", ()))
    if content["winner"] is None:
        return american.WallGame(dead)
    winner, value = seats[content["winner"]], _number(content, "value")
    by = None if content.get("by") is None else _seat(seats, content["by"])
    hand = american.WinningHand(
        value,
        has_no_jokers=content.get("no_jokers", False),
        is_singles_and_pairs=content.get("singles", False),
        exposures=content.get("exposures", 0),
        has_quint=content.get("quint", False),
    )
    if by is None:
        return american.SelfPicked(winner, hand, dead)
    return american.Discarded(
        winner, hand, by, is_misnamed=content.get("misnamed", False), dead=dead
    )


def _hong_kong_game(
    content: Content, rules: hong_kong.HouseRules, seats: Mapping[int, int]
) -> hong_kong.Result:
    false_win = content.get("false_win")
    if content["winner"] is None:
        if false_win is None:
            return hong_kong.Draw()
        return hong_kong.FalseWin(_seat(seats, false_win))
    if false_win is not None:
        raise NotCounted("Nobody wins a game that ends with a false win. Enter one or the other.")
    winner, faan = seats[content["winner"]], _number(content, "faan")
    if faan > rules.maximum_faan:
        raise NotCounted(f"A win has at most {rules.maximum_faan} faan here.")
    by, guarantor = content.get("by"), content.get("guarantor")
    if content["winner"] in (by, guarantor):
        raise NotCounted("The winner pays nobody. Say who else did.")
    if by is None:
        return hong_kong.SelfDraw(
            winner, faan, None if guarantor is None else _seat(seats, guarantor)
        )
    return hong_kong.Discard(
        winner, faan, _seat(seats, by), is_guaranteed=content.get("guaranteed", False)
    )


def _typed(content: Content, people: Sequence[int]) -> tuple[int, ...]:
    points = dict(content.get("points", ()))
    if points.keys() != set(people):
        raise NotCounted("Enter the points of everybody who sits there, and of nobody else.")
    return tuple(points[person] for person in people)


def _seat(seats: Mapping[int, int], person: int) -> int:
    if person not in seats:
        raise NotCounted("Somebody is named who doesn't sit here in this round.")
    return seats[person]


def _number(content: Content, name: str) -> int:
    if name not in content:
        raise NotCounted(f"The entry doesn't say {_WORDS[name]}. Enter the game again.")
    number: int = content[name]
    return number


def _american(rest: Mapping[str, Any]) -> Book:
    numbers = {key: said for key, said in rest.items() if key != "way"}
    ways = {"payment": american.PaymentRules, "tournament": american.TournamentRules}
    kind = ways.get(str(rest.get("way")))
    if kind is None:
        raise WrongBook("Under the American rules, way is payment or tournament.")
    known = {each.name for each in fields(kind)}
    for key, said in numbers.items():
        if key not in known:
            raise WrongBook(
                f"There is no {key[:40]!r} to set; there is {', '.join(sorted(known))}."
            )
        if type(said) is not int or not 0 <= said <= _RULE_NUMBER_MAX:
            raise WrongBook(f"{key} is a whole number from 0 to {_RULE_NUMBER_MAX:,}.")
    rules: Book = kind(**numbers)
    return rules


def _hong_kong(rest: Mapping[str, Any]) -> Book:
    house = {"base_centi": 100, "maximum_faan": 13, "responsibility": "full", "spiciness": "half"}
    odd = next((key for key in rest if key not in house), None)
    if odd is not None:
        raise WrongBook(f"There is no {odd[:40]!r} to set; there is {', '.join(house)}.")
    house |= rest
    base, faan = house["base_centi"], house["maximum_faan"]
    # Half of it is paid, too, and nobody pays half a hundredth.
    if type(base) is not int or not 2 <= base <= _BASE_CENTI_MAX or base % 2:
        raise WrongBook(
            f"base_centi is an even number of hundredths of a point, 2 to {_BASE_CENTI_MAX:,}."
        )
    if type(faan) is not int or not 0 <= faan <= _FAAN_MAX:
        raise WrongBook(f"maximum_faan is a whole number from 0 to {_FAAN_MAX}.")
    if house["responsibility"] not in ("half", "full") or house["spiciness"] not in (
        "half",
        "spicy",
    ):
        raise WrongBook("responsibility is half or full, and spiciness is half or spicy.")
    return hong_kong.HouseRules(
        Fraction(base, CENTI), faan, house["responsibility"], house["spiciness"]
    )


_PLAIN: Final[Mapping[str, Book]] = {"who": Who(), "points": TypedPoints(), "banker": BankerBook()}
_WORDS: Final = {
    "value": "the value of the hand",
    "faan": "the faan",
    "banker": "who was banker",
}
