"""Which player counts as which, as of any fact: the merges of players, and their ends."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.replay.columns import Columns

SEQ: Final = 0  # The columns of a merge.
PLAYER: Final = 1
INTO: Final = 2
NOBODY: Final = -1  # Into no one: the merge is undone.

Links = dict[int, int]


class Merges:
    """Every merge and unmerge, one row each; `links` say which player is merged into which now."""

    def __init__(self, columns: Columns) -> None:
        self._rows = columns.column("merges", "int64", 3)
        self.links: Links = _links(self._rows.rows)

    def append(self, seq: int, player: int, into: int) -> None:
        """Add fact `seq`: the player is merged, or, into NOBODY, no longer is."""
        self._rows.append((seq, player, into))
        _link(self.links, player, into)

    def at(self, seq: int) -> tuple[int, int] | None:
        """Return which player fact `seq` merges into which, or into NOBODY; None otherwise."""
        rows = self._rows.rows
        for number in np.flatnonzero(rows[:, SEQ] == seq).tolist():
            return int(rows[number, PLAYER]), int(rows[number, INTO])
        return None

    def links_as_of(self, seq: int) -> Links:
        """Return which player is merged into which as of fact `seq`."""
        rows = self._rows.rows
        return _links(rows[: np.searchsorted(rows[:, SEQ], seq, side="right")])

    def survivors(self, seq: int, players: int) -> NDArray[np.int32]:
        """Return for each of these players which player they count as, as of fact `seq`."""
        links = self.links_as_of(seq)
        survivors = np.arange(players, dtype=np.int32)
        for player in links:
            survivors[player] = root(links, player)
        return survivors


def root(links: Links, player: int) -> int:
    """Return which player this one counts as: the one at the end of the links, or itself."""
    while player in links:
        player = links[player]
    return player


def group(links: Links, player: int) -> set[int]:
    """Return all players who count as this one, which is not merged into another."""
    return {player} | {each for each in links if root(links, each) == player}


def _links(rows: NDArray[np.int64]) -> Links:
    links: Links = {}
    for _, player, into in rows.tolist():
        _link(links, player, into)
    return links


def _link(links: Links, player: int, into: int) -> None:
    if into == NOBODY:
        del links[player]
    else:
        links[player] = into
