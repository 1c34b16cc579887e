"""Checkpoints give back what was written, lie dense near the end, and are few."""

from pathlib import Path

import numpy as np
import pytest

from services.rater.checkpoints import (
    CheckpointUnusable,
    gap_facts,
    places_between,
    read_checkpoint,
    thinned,
    write_checkpoint,
)
from services.rater.manifest import CheckpointSeal
from shared.rating.columns import Standings
from shared.replay.replay import Checkpoint
from tests.log.chances import seeded_chance


def some_standings(players: int) -> Standings:
    """Return standings in which everybody has played something."""
    chance = np.random.default_rng(players)
    standings = Standings.of_newcomers(players)
    standings.numbers[:] = chance.integers(-(10**12), 10**12, (players, 4))
    standings.is_verified[:] = chance.integers(0, 2, players)
    standings.verified_members[:] = chance.integers(0, 5, players)
    return standings


def equal(one: Standings, other: Standings) -> bool:
    return (
        np.array_equal(one.numbers, other.numbers)
        and np.array_equal(one.is_verified, other.is_verified)
        and np.array_equal(one.verified_members, other.verified_members)
    )


@pytest.mark.parametrize("players", [0, 1, 7, 20_000])
def test_a_checkpoint_gives_back_the_standings(tmp_path: Path, players: int) -> None:
    standings = some_standings(players)
    seal = write_checkpoint(tmp_path, Checkpoint(12, standings))
    assert (seal.place, seal.players) == (12, players)
    assert equal(read_checkpoint(tmp_path, seal), standings)


def test_a_checkpoint_holds_nobody_who_came_later(tmp_path: Path) -> None:
    standings = some_standings(5).grown(10_000)
    seal = write_checkpoint(tmp_path, Checkpoint(1, standings))
    assert seal.players == 5
    assert (tmp_path / seal.file).stat().st_size == 5 * (4 * 8 + 1 + 4)
    assert equal(read_checkpoint(tmp_path, seal).grown(10_000), standings)


def test_whoever_is_only_verified_is_no_newcomer(tmp_path: Path) -> None:
    standings = Standings.of_newcomers(4)
    standings.is_verified[2] = 1
    standings.verified_members[2] = 1
    seal = write_checkpoint(tmp_path, Checkpoint(1, standings))
    assert equal(read_checkpoint(tmp_path, seal).grown(4), standings)


def test_a_checkpoint_that_was_altered_anywhere_cut_short_or_removed_is_refused(
    tmp_path: Path,
) -> None:
    chance = seeded_chance()
    seal = write_checkpoint(tmp_path, Checkpoint(1, some_standings(50)))
    file = tmp_path / seal.file
    content = file.read_bytes()
    others = [content[: chance.randrange(len(content))] for _ in range(20)] + [content + b"\0"]
    for _ in range(100):
        place = chance.randrange(len(content))
        altered = bytes([content[place] ^ (1 << chance.randrange(8))])
        others.append(content[:place] + altered + content[place + 1 :])
    for other in others:
        file.write_bytes(other)
        with pytest.raises(CheckpointUnusable, match="cut short or altered"):
            read_checkpoint(tmp_path, seal)
    file.unlink()
    with pytest.raises(CheckpointUnusable, match="cannot be read"):
        read_checkpoint(tmp_path, seal)


def test_a_checkpoint_that_lost_nothing_but_zeros_is_refused_too(tmp_path: Path) -> None:
    standings = some_standings(50)
    standings.verified_members[-3:] = 0
    seal = write_checkpoint(tmp_path, Checkpoint(1, standings))
    file = tmp_path / seal.file
    content = file.read_bytes()
    assert content.endswith(bytes(12))
    for lost in (1, 4, 12):
        file.write_bytes(content[:-lost])
        with pytest.raises(CheckpointUnusable, match="cut short or altered"):
            read_checkpoint(tmp_path, seal)


def a_seal(place: int) -> CheckpointSeal:
    return CheckpointSeal(place, 1, f"{place}", "")


def test_checkpoints_are_few_and_near_every_place_that_a_correction_may_reach() -> None:
    chance = seeded_chance()
    kept: tuple[CheckpointSeal, ...] = ()
    end = 0
    for _ in range(3000):
        end += chance.randrange(50, 200)
        kept = thinned([*kept, a_seal(end)], 1_000)
        places = [each.place for each in kept]
        assert places == sorted(set(places))
        assert places[-1] == end
        # The way again from a place on is at most about half as long again as it must be.
        for earlier, later in zip([0, *places], places, strict=False):
            assert later - earlier <= max(1_200, (end - later) / 2)
    assert end > 300_000
    assert len(kept) < 30


def test_on_the_way_of_a_correction_each_checkpoint_is_twice_as_far_from_the_end() -> None:
    assert places_between(0, 10_000, 1_000) == [2_000, 6_000, 8_000, 9_000]
    assert places_between(6_000, 10_000, 1_000) == [8_000, 9_000]
    assert places_between(9_000, 10_000, 1_000) == []


def test_the_more_players_the_farther_checkpoints_lie_apart() -> None:
    assert gap_facts(100) == 1_000
    assert gap_facts(1_000_000) == 125_000
