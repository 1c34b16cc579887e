"""Which formula applies at which place in the history, as of any fact."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from shared.errors import MahjicError
from shared.rating.registry import Formula, formula_named
from shared.replay.columns import Columns, Texts

# Which formula applies from which place on, in order of place.
Adopted: TypeAlias = tuple[tuple[int, Formula], ...]

SEQ: Final = 0  # The columns of an adoption.
NAME: Final = 1
IS_FROM_BEGINNING: Final = 2


class FormulaDiffers(MahjicError):
    """The log adopts a formula with other parameters than this program knows by that name."""

    code = "formula_differs"
    title = "The log and this program use one name for different formulas"


class Adoptions:
    """Every formula that was ever adopted, one row each; `now` is the one in use."""

    def __init__(self, columns: Columns) -> None:
        self._rows = columns.column("adoptions", "int64", 3)
        self._names = Texts(columns, "adoption_names")
        self.now: Formula | None = None
        if len(self._rows):
            self.now = self._formula(-1)

    def append(self, seq: int, formula: str, *, is_from_beginning: bool) -> None:
        """Add the fact at `seq`, which adopts a known formula."""
        self._rows.append((seq, self._names.append(formula), int(is_from_beginning)))
        self.now = formula_named(formula)

    def as_of(self, seq: int) -> Adopted:
        """Return which formula applies from which place on, as of fact `seq`.

        A formula adopted from the beginning replaces whatever was adopted before it.
        """
        rows = self._rows.rows[: np.searchsorted(self._rows.rows[:, SEQ], seq, side="right")]
        first = max(np.flatnonzero(rows[:, IS_FROM_BEGINNING]).tolist(), default=0)
        return tuple(
            (
                0 if rows[number, IS_FROM_BEGINNING] else int(rows[number, SEQ]),
                self._formula(number),
            )
            for number in range(first, len(rows))
        )

    def is_from_beginning(self, seq: int) -> bool:
        """Return whether fact `seq` adopts a formula for everything that was played."""
        rows = self._rows.rows
        return bool(((rows[:, SEQ] == seq) & (rows[:, IS_FROM_BEGINNING] == 1)).any())

    def _formula(self, number: int) -> Formula:
        return formula_named(self._names[int(self._rows.rows[number, NAME])])


def check_known(name: str, parameters: Mapping[str, Any]) -> None:
    """Check that this program has the formula that a log adopts.

    Raises UnknownFormula or FormulaDiffers.
    """
    known = formula_named(name)
    if dict(parameters) != known.parameters:
        raise FormulaDiffers(
            f"The log adopts {known.name} with different parameters than this program has. Run "
            "the version of Mahjic that wrote the log; a formula never changes under its name.",
            extra={"on_the_log": dict(parameters), "known": known.parameters},
        )
