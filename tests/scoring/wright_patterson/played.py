"""Hands in short, and what lies in the pots."""

from fractions import Fraction
from functools import cache

from shared.scoring.wright_patterson.hands import Hand, Ready, read_hand
from shared.scoring.wright_patterson.rounds import (
    Table,
)


@cache
def hand(tiles: str, ready: Ready = Ready.NO) -> Hand:
    return read_hand(tiles.split(), ready)


def pots(table: Table) -> list[Fraction]:
    return [table.flower_pot, table.wall_pot]
