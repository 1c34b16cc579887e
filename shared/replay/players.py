"""Gives every player id an index, by the order of first appearance, in a few bytes for each.

An id of our own kind (`MJ-` or `AN-` and eight characters) is one whole number here. Any other id
on a log is kept as it is written.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.ids import BOB
from shared.replay.columns import Columns, Texts

ID_CHARACTERS: Final = 11
LETTERS_FROM: Final = 3
# Eight letters are beyond this in either direction; within it are the numbers of other texts.
LETTERS_MIN: Final = 1 << 56
# How many ids are kept as texts because they were asked for last.
RECENT_MAX: Final = 65_536
# This many ids are looked up in a dict until they are sorted in with the others.
FRESH_MIN: Final = 1_024
FRESH_SHARE: Final = 16


class Players:
    """The players; Bob is at index 0."""

    def __init__(self, columns: Columns) -> None:
        self._keys = columns.column("player_keys", "int64")
        self._others = Texts(columns, "player_texts")
        self._other: dict[str, int] = {BOB: 0}
        self._recent = _Recent(self._look_up)
        # Return the index of a player; None for someone who never appeared.
        self.find: Callable[[str], int | None] = self._recent.__getitem__
        self._fresh: dict[int, int] = {}
        if not len(self._keys):
            self._keys.append((0,))  # Bob, who has no id.
        keys = self._keys.rows
        order = np.argsort(keys, kind="stable")
        self._keep_sorted(keys[order], order.astype(np.int32))
        for index in np.flatnonzero(_are_others(keys))[1:].tolist():
            self._other[self[index]] = index

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, player_id: str) -> int:
        """Return the index of a player, who may appear for the first time."""
        index = self.find(player_id)
        return self._append(player_id) if index is None else index

    def found(self, player_ids: Sequence[str]) -> tuple[list[int], list[str]]:
        """Return the indexes of many seats, and who appears there for the first time.

        Newcomers get the indexes that they will have once they are added, in this order.
        """
        players = len(self)
        newcomers: list[str] = []
        indexes: dict[str, int] = {}
        for player_id in dict.fromkeys(player_ids):
            index = self.find(player_id)
            if index is None:
                index = players + len(newcomers)
                newcomers.append(player_id)
            indexes[player_id] = index
        return [*map(indexes.__getitem__, player_ids)], newcomers

    def __getitem__(self, index: int) -> str:
        (player_id,) = self.ids_of(np.array([index]))
        return player_id

    def ids_of(self, indexes: NDArray[np.integer]) -> list[str]:
        keys = self._keys.rows[indexes]
        letters = np.where(keys < 0, ~keys, keys).astype(">i8").view(np.uint8).reshape(-1, 8)
        texts = np.empty((len(keys), ID_CHARACTERS), np.uint8)
        texts[:, :LETTERS_FROM] = np.frombuffer(b"MJ-", np.uint8)
        texts[keys < 0, :LETTERS_FROM] = np.frombuffer(b"AN-", np.uint8)
        texts[:, LETTERS_FROM:] = letters
        whole = texts.tobytes().decode("latin-1")
        ids = [whole[at : at + ID_CHARACTERS] for at in range(0, len(whole), ID_CHARACTERS)]
        for place in np.flatnonzero(_are_others(keys)).tolist():
            number = int(keys[place])
            ids[place] = self._others[number - 1] if number else BOB
        return ids

    def _append(self, player_id: str) -> int:
        index = len(self._keys)
        key = _key_of(player_id)
        if key is None:
            self._other[player_id] = index
            key = self._others.append(player_id) + 1
        else:
            self._fresh[key] = index
        self._keys.append((key,))
        if len(self._fresh) > max(FRESH_MIN, index // FRESH_SHARE):
            self._sort_in()
        return index

    def _look_up(self, player_id: str) -> int | None:
        key = _key_of(player_id)
        return self._other.get(player_id) if key is None else self._index_of(key)

    def _index_of(self, key: int) -> int | None:
        index = self._fresh.get(key)
        if index is None:
            place = bisect_left(self._sorted, key)
            if place < len(self._sorted) and self._sorted[place] == key:
                index = self._sorted_index[place]
        return index

    def _sort_in(self) -> None:
        """Sort the fresh ones in with the others."""
        keys = np.fromiter(self._fresh.keys(), np.int64)
        order = np.argsort(keys)
        indexes = np.fromiter(self._fresh.values(), np.int32)[order]
        held, held_indexes = np.asarray(self._sorted), np.asarray(self._sorted_index)
        at = np.searchsorted(held, keys[order])
        self._keep_sorted(np.insert(held, at, keys[order]), np.insert(held_indexes, at, indexes))
        self._fresh.clear()

    def _keep_sorted(self, keys: NDArray[np.int64], indexes: NDArray[np.int32]) -> None:
        # As memoryviews: their numbers come out as plain ones.
        self._sorted: memoryview[int] = keys.data
        self._sorted_index: memoryview[int] = indexes.data


class _Recent(dict[str, int | None]):
    """Indexes that were asked for last; one that is not here is looked up, and kept if it is."""

    def __init__(self, look_up: Callable[[str], int | None]) -> None:
        super().__init__()
        self._look_up = look_up

    def __missing__(self, player_id: str) -> int | None:
        index = self._look_up(player_id)
        if index is not None:
            if len(self) >= RECENT_MAX:
                self.clear()
            self[player_id] = index
        return index


def _key_of(player_id: str) -> int | None:
    """Return the whole number that represents an id of our own kind; None for another text."""
    if len(player_id) != ID_CHARACTERS or not player_id.isascii():
        return None
    letters = int.from_bytes(player_id[LETTERS_FROM:].encode(), "big")
    if letters < LETTERS_MIN:
        return None
    if player_id.startswith("MJ-"):
        return letters
    return ~letters if player_id.startswith("AN-") else None


def _are_others(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (keys >= 0) & (keys < LETTERS_MIN)
