"""The rating formulas by name; a name means the same function and parameters forever."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from shared.errors import MahjicError
from shared.rating import expected, explain, formula
from shared.rating import parameters as limits
from shared.rating.explain import Explanation
from shared.rating.formula import Seat
from shared.rating.parameters import Parameters

# Where everyone starts, under every formula, and where Bob stays.
START_CENTI: Final = limits.START_CENTI


class UnknownFormula(MahjicError):
    """This version of Mahjic has no formula by that name."""

    code = "unknown_formula"
    title = "There is no formula by that name"
    status = 404

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"There is no formula {name!r}. Use one of these: {', '.join(known)}; if the name "
            "comes from a newer log, run a newer version of Mahjic.",
            extra={"formula": name, "known": list(known)},
        )


@dataclass(frozen=True, slots=True)
class Formula:
    """A named way of rating a round, which can also explain it; `rules` are what the kernel needs.

    The parameters are kept as JSON text because callers cannot change text.
    """

    name: str
    parameters_json: str
    rules: Parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """All the numbers of the formula, as in the fact that adopts it."""
        parameters: dict[str, Any] = json.loads(self.parameters_json)
        return parameters

    def rate_round(self, seats: Sequence[Seat], *, points_count: bool) -> tuple[int, ...]:
        """Return each seat's rating change in centi, in the order given."""
        return formula.rate_round(self.rules, seats, points_count=points_count)

    def explain_seat(self, seats: Sequence[Seat], place: int, *, points_count: bool) -> Explanation:
        """Return why `rate_round` gives the seat at index `place` its change."""
        return explain.explain_seat(self.rules, seats, place, points_count=points_count)


def formula_named(name: str) -> Formula:
    """Return the formula of that name. Raises UnknownFormula."""
    for known in FORMULAS:
        if known.name == name:
            return known
    raise UnknownFormula(name, [known.name for known in FORMULAS])


def formula_of(parameters: Parameters, name: str) -> Formula:
    """Return a formula made of parameters, under a name that is not in the registry."""
    fields: dict[str, Any] = {
        "start_centi": START_CENTI,
        "scale_centi": parameters.scale_centi,
        "k_bands": [{"games_min": games_min, "k": k} for games_min, k in parameters.k_bands],
        "points_per_bonus_point": parameters.points_per_bonus_point,
        "bonus_max_nano": parameters.bonus_max_nano,
        "is_scaled": parameters.is_scaled,
        "rounding": "half-even",
    }
    return Formula(name, json.dumps(fields), parameters)


PUBLISHED: Final = Parameters(
    scale_centi=expected.SCALE_CENTI,
    k_bands=((0, 32), (30, 24), (101, 16)),
    points_per_bonus_point=50,
    bonus_max_nano=5_000_000_000,
)


# Adopted on every existing log, so these words stay forever.
MAHJIC_ELO_1: Final = Formula(
    name="mahjic-elo/1",
    parameters_json=json.dumps(
        {
            "start_centi": START_CENTI,
            "scale_centi": PUBLISHED.scale_centi,
            "certain_centi": expected.CERTAIN_CENTI,
            "expected_table_sha256": expected.TABLE_SHA256,
            "k_bands": [{"games_min": games_min, "k": k} for games_min, k in PUBLISHED.k_bands],
            "points_per_bonus_point": PUBLISHED.points_per_bonus_point,
            "bonus_max_nano": PUBLISHED.bonus_max_nano,
            "rounding": "half-even",
        }
    ),
    rules=PUBLISHED,
)

MAHJIC_ELO_2_SCALED: Final = formula_of(replace(PUBLISHED, is_scaled=True), "mahjic-elo/2-scaled")

FORMULAS: Final = (MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED)
