"""The rating bands: the word for a rating that players use among themselves."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RatingBand:
    """A range of the rating scale; the lowest has no end, so its `rating_centi_min` is None."""

    name: str
    rating_centi_min: int | None
    text: str


BANDS: Final = (
    RatingBand("Expert", 180_000, "Consistently wins against strong competition"),
    RatingBand("Advanced", 160_000, "Solid fundamentals, reads the card well"),
    RatingBand("Intermediate", 140_000, "Understands strategy, improving"),
    RatingBand("Beginner", 120_000, "Learning the game, building skills"),
    RatingBand("Newcomer", None, "Just getting started"),
)


def band_of(rating_centi: int) -> RatingBand:
    """Return the band of an exact rating, never of a rounded one: 1799.99 is Advanced."""
    for band in BANDS:
        if band.rating_centi_min is None or rating_centi >= band.rating_centi_min:
            return band
    raise AssertionError("The lowest band has no end.")
