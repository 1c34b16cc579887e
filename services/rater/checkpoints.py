"""Checkpoints: how everyone stood just before a place, each in a file of its own.

They are dense near the end of the log, where most corrections reach, and ever sparser before it.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar

import numpy as np

from services.rater.manifest import FRESH_SUFFIX, CheckpointSeal
from shared.machine.own_files import open_own, open_own_descriptor
from shared.rating.columns import Standings
from shared.rating.registry import START_CENTI
from shared.replay.replay import Checkpoint

CHECKPOINT_SUFFIX: Final = ".checkpoint"
NAME_CHARACTERS: Final = 16
# No one waits long for a replay of a thousand facts, or of one for every eight players: writing
# their standings takes as long.
GAP_FACTS_MIN: Final = 1_000
PLAYERS_PER_FACT: Final = 8
# How many players are checked at once to find the last one who is not a newcomer.
BLOCK_PLAYERS: Final = 4_096
NEWCOMER: Final = (START_CENTI, 0, START_CENTI, 0)


class Placed(Protocol):
    """A checkpoint of any kind."""

    @property
    def place(self) -> int:
        """The place in the history that it is at."""
        ...


AnyCheckpoint = TypeVar("AnyCheckpoint", bound=Placed)


class CheckpointUnusable(Exception):
    """A checkpoint cannot be trusted; its text is a sentence that says why."""


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> CheckpointSeal:
    """Write a checkpoint, without flushing it to disk. Raises OSError, and then leaves no file."""
    standings = checkpoint.standings
    players = _players_known(standings)
    fresh, digest = folder / f"{checkpoint.place}{FRESH_SUFFIX}", hashlib.sha256()
    try:
        with open_own(fresh, "wb") as file:
            for column in _columns_of(standings):
                rows = np.ascontiguousarray(column[:players])
                digest.update(rows.data)
                file.write(rows.data)
        # Different content gets a different file: it must not replace one that counts.
        name = f"{checkpoint.place}-{digest.hexdigest()[:NAME_CHARACTERS]}{CHECKPOINT_SUFFIX}"
        fresh.replace(folder / name)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    return CheckpointSeal(checkpoint.place, players, name, digest.hexdigest())


def read_checkpoint(folder: Path, seal: CheckpointSeal) -> Standings:
    """Return the standings of a checkpoint; players who came later are newcomers.

    Raises CheckpointUnusable.
    """
    standings, digest = Standings.of_newcomers(seal.players), hashlib.sha256()
    try:
        with os.fdopen(open_own_descriptor(folder / seal.file, os.O_RDONLY), "rb") as file:
            # Missing rows are not filled with newcomers, even if the seal happened to fit.
            is_whole = all(
                file.readinto(column.data) == column.nbytes for column in _columns_of(standings)
            )
            is_longer = bool(file.read(1))
    except OSError as error:
        reason = f"The checkpoint {seal.file} cannot be read: {error.strerror}."
        raise CheckpointUnusable(reason) from error
    for column in _columns_of(standings):
        digest.update(column.data)
    if is_longer or not is_whole or digest.hexdigest() != seal.sha256:
        raise CheckpointUnusable(f"The checkpoint {seal.file} was cut short or altered.")
    return standings


def synchronize_checkpoint(folder: Path, seal: CheckpointSeal) -> None:
    """Flush a checkpoint to disk. Raises OSError."""
    with open_own(folder / seal.file, "rb") as file:
        os.fsync(file.fileno())


def gap_facts(players: int, least: int = GAP_FACTS_MIN) -> int:
    """Return how many facts apart the checkpoints of this many players are, at least."""
    return max(least, players // PLAYERS_PER_FACT)


def places_between(start: int, end: int, gap: int) -> list[int]:
    """Return the places worth a checkpoint on the way from `start` to `end`, in order.

    Each is twice as far from the end as the next one.
    """
    places = []
    distance = gap
    while end - distance > start:
        places.append(end - distance)
        distance *= 2
    return places[::-1]


def thinned(checkpoints: Sequence[AnyCheckpoint], gap: int) -> tuple[AnyCheckpoint, ...]:
    """Return which of the checkpoints to keep, in order of place.

    One is dropped if that leaves a gap of at most `gap`, or of at most half the distance of the
    later neighbor from the last: so gaps grow by half with the distance.
    """
    kept: list[AnyCheckpoint] = []
    in_order = sorted(checkpoints, key=lambda each: each.place, reverse=True)
    for number, each in enumerate(in_order):
        if 0 < number < len(in_order) - 1:
            later, earlier = kept[-1].place, in_order[number + 1].place
            if later - earlier <= max(gap, (in_order[0].place - later) // 2):
                continue
        kept.append(each)
    return tuple(reversed(kept))


def _columns_of(standings: Standings) -> tuple[np.ndarray, ...]:
    return (standings.numbers, standings.is_verified, standings.verified_members)


def _players_known(standings: Standings) -> int:
    """Return how many players there are up to the last one who is not a newcomer."""
    for end in range(len(standings.numbers), 0, -BLOCK_PLAYERS):
        rows = slice(max(0, end - BLOCK_PLAYERS), end)
        is_known = (standings.numbers[rows] != NEWCOMER).any(axis=1)
        is_known |= (standings.is_verified[rows] != 0) | (standings.verified_members[rows] != 0)
        known = np.flatnonzero(is_known)
        if len(known):
            return rows.start + int(known[-1]) + 1
    return 0
