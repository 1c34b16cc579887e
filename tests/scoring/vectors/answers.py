"""What each rule book makes of a case, in the form of the file."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.american import (
    AmericanGame,
    Discarded,
    PaymentRules,
    SelfPicked,
    TournamentRules,
    WallGame,
    WinningHand,
)
from shared.scoring.american import settle as settle_american
from shared.scoring.banker import BankerDiscard, BankerSelfDraw
from shared.scoring.banker import settle as settle_banker
from shared.scoring.hong_kong import (
    Discard,
    Draw,
    FalseWin,
    HouseRules,
    Result,
    SelfDraw,
)
from shared.scoring.hong_kong import settle as settle_hong_kong
from shared.scoring.wright_patterson.hands import Ready, read_hand
from shared.scoring.wright_patterson.rounds import (
    DealtRound,
    Table,
    TripleLimit,
    Win,
    end_game,
    play,
)
from shared.scoring.wright_patterson.tiles import Bouquet, Wind
from shared.scoring.wright_patterson.value import value_of

Case = dict[str, Any]
_WORTH: Final = {
    "charleston": TripleLimit.AFTER_CHARLESTON,
    "first-discard": TripleLimit.FIRST_DISCARD,
}


def refused_or(calculate: Callable[[Case], Any]) -> Callable[[Case], Any]:
    """Return what calculates a case, or says why there cannot be one."""

    def answer(case: Case) -> Any:
        try:
            return calculate(case)
        except AgainstTheRules as refused:
            return {"refused": refused.code, "message": refused.message}

    return answer


def _american(case: Case) -> Any:
    told = dict(case["rules"])
    way = PaymentRules if told.pop("way") == "payment" else TournamentRules
    return list(settle_american(_american_game(case["game"]), way(**told)))


def _american_game(told: Case) -> AmericanGame:
    dead = frozenset(told.get("dead", ()))
    if told["kind"] == "wall":
        return WallGame(dead)
    hand = WinningHand(**told["hand"])
    if told["kind"] == "self_picked":
        return SelfPicked(told["winner"], hand, dead)
    return Discarded(told["winner"], hand, told["by"], told.get("is_misnamed", False), dead)


def _banker(case: Case) -> Any:
    hand = case["hand"]
    win = BankerDiscard(hand["by"]) if "by" in hand else BankerSelfDraw()
    bonuses = {"standup": hand.get("is_standup"), "in_between": hand.get("is_in_between")}
    said = {name: bool(value) for name, value in bonuses.items()}
    return list(settle_banker(hand["winner"], win, hand["banker"], **said))


def _hong_kong(case: Case) -> Any:
    told = case["rules"]
    base = {"base": Fraction(told["base"])} if "base" in told else {}
    return [_decimal(each) for each in settle_hong_kong(_result(case), HouseRules(**told | base))]


def _result(case: Case) -> Result:
    told = dict(case["result"])
    kinds = {"draw": Draw, "false_win": FalseWin, "self_draw": SelfDraw, "discard": Discard}
    made: Result = kinds[told.pop("kind")](**told)
    return made


def _decimal(number: Fraction) -> str:
    """Return a number that a decimal gives exactly, as one."""
    places = next(each for each in range(100) if (number * 10**each).denominator == 1)
    units = abs(number.numerator) * 10**places // number.denominator
    whole, rest = divmod(units, 10**places)
    decimals = f".{rest:0{places}}" if places else ""
    return f"{'-' if number < 0 else ''}{whole}{decimals}"


def _hand(case: Case) -> Any:
    hand = read_hand(case["words"], Ready(case["ready"]))
    value = value_of(hand, Wind(case["seat"]), Wind(case["prevailing"]))
    return {
        "score": value.score,
        "points": [{"what": each.what, "number": each.number} for each in value.points],
        "doubles": [{"what": each.what, "number": each.number} for each in value.doubles],
    }


def _wright_patterson(case: Case) -> Any:
    """Return the table after each round, up to the first that is refused."""
    tables: list[Any] = []
    table = Table()
    for told in case["rounds"]:
        try:
            table = play(table, _round(told))
        except AgainstTheRules as refused:
            tables.append({"refused": refused.code, "message": refused.message})
        else:
            tables.append(_table(table))
    return {"tables": tables, "end": _table(end_game(table))}


def _round(told: Case) -> DealtRound:
    win = told["win"]
    return DealtRound(
        Wind(told["prevailing"]),
        None if win is None else Win(win["by"], _WORTH.get(win["worth"], win["worth"])),
        {seat: read_hand(words) for seat, words in told.get("hands", ())},
        told.get("are_flowers_declared", True),
        told.get("first_flower"),
        tuple((seat, Bouquet(what)) for seat, what in told.get("bouquets", ())),
    )


def _table(table: Table) -> Any:
    assert all(each.denominator == 1 for each in table.points), "The pots split evenly."
    return {
        "points": [int(each) for each in table.points],
        "flower_pot": int(table.flower_pot),
        "wall_pot": int(table.wall_pot),
        "east": table.east,
        "passes": table.passes,
        "is_over": table.is_over,
    }


ANSWERS: Final[Mapping[str, Callable[[Case], Any]]] = {
    "american": refused_or(_american),
    "banker": refused_or(_banker),
    "hong_kong": refused_or(_hong_kong),
    "hands": refused_or(_hand),
    "wright_patterson": _wright_patterson,
}
