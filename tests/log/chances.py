"""Chance that can be had again: a failed test shows its seed, and MAHJIC_SEED repeats it."""

import os
import random


def seeded_chance() -> random.Random:
    """Return a source of chance, and print the seed that repeats it."""
    seed = int(os.environ.get("MAHJIC_SEED") or random.randrange(2**32))
    print(f"MAHJIC_SEED={seed}")  # noqa: T201 - pytest shows it with a failure.
    return random.Random(seed)
