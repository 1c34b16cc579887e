"""What the formula page says about a formula, from its name and its parameters. Pure."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from services.site.words.example import Outcome, worked_example
from shared.rating.bands import BANDS
from shared.rating.expected import SCALE_CENTI, TABLE_SHA256, WIN_NANO, expected_nano
from shared.rating.formula import round_half_even
from shared.rating.registry import FORMULAS, PUBLISHED, START_CENTI, Formula

# Leads over an opponent, in whole rating points, for the table of expected scores.
LEADS: Final = (0, 50, 100, 200, 300, 400, 600, 800)
# Sums that lie exactly between two hundredths: the even neighbor gets them.
HALVES_NANO: Final = (15_000_000, 45_000_000, -5_000_000, -15_000_000)


@dataclass(frozen=True, slots=True)
class ExperienceBand:
    """How strongly one comparison moves someone with so many games; `last` is None for no end."""

    first: int
    last: int | None
    k: int


@dataclass(frozen=True, slots=True)
class NamedBand:
    """A word for a range of ratings, in hundredths; the lowest begins and the highest ends
    nowhere."""

    name: str
    text: str
    from_centi: int | None
    below_centi: int | None


@dataclass(frozen=True, slots=True)
class FormulaTold:
    """All that the page tells about the formula in force."""

    formula: Formula
    example: tuple[Outcome, ...]
    experience: tuple[ExperienceBand, ...]
    expected: tuple[tuple[int, int], ...]
    certain_centi: int
    halves: tuple[tuple[int, int], ...]
    named_bands: tuple[NamedBand, ...]
    table_sha256: str | None
    formulas: tuple[Formula, ...]
    start_centi: int = START_CENTI

    @property
    def is_published(self) -> bool:
        """Whether this is the formula that the calculator of the page knows."""
        return self.formula.rules == PUBLISHED

    @property
    def points_count(self) -> bool:
        """Whether points can ever be worth anything under this formula."""
        return self.formula.rules.bonus_max_nano > 0


def told(formula: Formula) -> FormulaTold:
    """Return what the page tells about a formula."""
    scale_centi = formula.rules.scale_centi
    return FormulaTold(
        formula=formula,
        example=worked_example(formula),
        experience=_experience(formula),
        expected=tuple((lead, expected_nano(lead * 100, scale_centi)) for lead in LEADS),
        certain_centi=_certain_centi(scale_centi),
        halves=tuple((half, round_half_even(half)) for half in HALVES_NANO),
        named_bands=_named_bands(),
        table_sha256=TABLE_SHA256 if scale_centi == SCALE_CENTI else None,
        formulas=tuple(FORMULAS),
    )


def _experience(formula: Formula) -> tuple[ExperienceBand, ...]:
    bands = formula.rules.k_bands
    closed = [ExperienceBand(first, after - 1, k) for (first, k), (after, _) in pairwise(bands)]
    first, k = bands[-1]
    return (*closed, ExperienceBand(first, None, k))


def _named_bands() -> tuple[NamedBand, ...]:
    ends = (None, *(band.rating_centi_min for band in BANDS))
    return tuple(
        NamedBand(band.name, band.text, band.rating_centi_min, end)
        for band, end in zip(BANDS, ends, strict=False)
    )


def _certain_centi(scale_centi: int) -> int:
    """Return the lead from which a win is expected with certainty, found by halving."""
    low, high = 0, scale_centi * 20  # 10^20 wins for each loss round to certainty many times over.
    while low < high:
        middle = (low + high) // 2
        if expected_nano(middle, scale_centi) == WIN_NANO:
            high = middle
        else:
            low = middle + 1
    return low
