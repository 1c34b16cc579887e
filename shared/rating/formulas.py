"""The rating formulas by name; a name stands for the same function and parameters for ever."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from shared.errors import MahjicError
from shared.rating import expected, formula
from shared.rating.explain import Explanation, explain_seat
from shared.rating.formula import Seat, rate_round

START_CENTI: Final = 150_000  # Where everybody starts, under every formula; Bob stays there.


class UnknownFormula(MahjicError):
    """A name that no formula of this version of Mahjic has."""

    code = "unknown_formula"
    title = "There is no formula of that name"
    status = 404

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"There is no formula {name!r} here. Use one of these: {', '.join(known)}; "
            "if the name comes from a newer log, run a newer version of Mahjic.",
            extra={"formula": name, "known": list(known)},
        )


class RateRound(Protocol):
    """The function that moves the ratings."""

    def __call__(self, seats: Sequence[Seat], *, points_count: bool) -> tuple[int, ...]:
        """Return each seat's rating change in centi, in the order given."""


class ExplainSeat(Protocol):
    """The function that says why."""

    def __call__(self, seats: Sequence[Seat], place: int, *, points_count: bool) -> Explanation:
        """Return how the change that `rate_round` gives the seat at index `place` comes about."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A named way of rating a round, which can also say why.

    The parameters are kept as JSON text because text cannot be changed by whoever holds it.
    """

    name: str
    parameters_json: str
    rate_round: RateRound
    explain_seat: ExplainSeat

    @property
    def parameters(self) -> dict[str, Any]:
        """All the numbers of the formula, as they stand in the fact that adopts it."""
        parameters: dict[str, Any] = json.loads(self.parameters_json)
        return parameters


def formula_named(name: str) -> Formula:
    """Return the formula of that name. Raises UnknownFormula."""
    for known in FORMULAS:
        if known.name == name:
            return known
    raise UnknownFormula(name, [known.name for known in FORMULAS])


MAHJIC_ELO_1: Final = Formula(
    name="mahjic-elo/1",
    parameters_json=json.dumps(
        {
            "start_centi": START_CENTI,
            "scale_centi": expected.SCALE_CENTI,
            "certain_centi": expected.CERTAIN_CENTI,
            "expected_table_sha256": expected.TABLE_SHA256,
            "k_bands": [
                {"games_min": 0, "k": formula.K_NEW},
                {"games_min": formula.SETTLING_GAMES_MIN, "k": formula.K_SETTLING},
                {"games_min": formula.SETTLING_GAMES_MAX + 1, "k": formula.K_SETTLED},
            ],
            "points_per_bonus_point": formula.POINTS_PER_BONUS_POINT,
            "bonus_max_nano": formula.BONUS_NANO_MAX,
            "rounding": "half-even",
        }
    ),
    rate_round=rate_round,
    explain_seat=explain_seat,
)

FORMULAS: Final = (MAHJIC_ELO_1,)
