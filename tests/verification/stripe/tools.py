"""Finds Stripe's own mock, which Go builds once."""

from pathlib import Path
from typing import Final

from tests.go_tools import BIN, CACHE, built, released

MOCK: Final = released("github.com/stripe/stripe-mock", "v0.203.0")
REQUIRE: Final = "MAHJIC_REQUIRE_STRIPE_MOCK"


def stripe_mock(cache: Path = CACHE, bin_folder: Path = BIN) -> Path:
    """Return the program, built if it is not there yet. Raises GoToolMissing."""
    return built(MOCK, cache, bin_folder)
