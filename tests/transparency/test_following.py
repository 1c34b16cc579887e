"""What is taken in, signed and gone on from; expected roots are put together by hand."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from shared.tlog.proofs import check_growth
from shared.tlog.trees import TileTree
from tests.log.deadlines import until
from tests.transparency.town import PublicTown


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257, 700])
async def test_what_was_there_before_is_taken_in_from_the_first_record(
    town: PublicTown, count: int
) -> None:
    await town.play(count)
    async with town.kept():
        await town.until_signed(count)
    for name in ("facts", "verdicts"):
        checkpoint = town.checkpoint(name)
        assert checkpoint is not None
        assert checkpoint.root == await town.expected_root(name)
        assert TileTree(count, town.folder.current(name).read_tile).root() == checkpoint.root


async def test_what_comes_is_signed_and_goes_on_from_what_was_signed(town: PublicTown) -> None:
    async with town.kept():
        await town.until_signed(0)
        seen = []
        for count in (1, 3, 300):
            await town.play(count)
            await town.until_signed((await town.facts.tail()).seq)
            seen.append(town.checkpoint())
    assert all(seen)
    for old, new in pairwise(seen):
        assert old is not None
        assert new is not None
        proof = TileTree(new.size, town.folder.current("facts").read_tile).prove_growth(old.size)
        check_growth(proof, old=old.size, old_root=old.root, new=new.size, new_root=new.root)


async def test_it_signs_no_more_than_once_a_second(town: PublicTown) -> None:
    sizes = set()
    async with town.kept():
        await town.until_signed(0)
        began_s = asyncio.get_running_loop().time()
        for _ in range(60):
            await town.play(1)
            sizes.add(town.size())
            await asyncio.sleep(0)
        await town.until_signed(60)
        took_s = asyncio.get_running_loop().time() - began_s
    assert len(sizes) <= took_s + 2


async def test_a_process_that_starts_again_goes_on(town: PublicTown) -> None:
    for size in (3, 259, 260):
        await town.play(size - (await town.facts.tail()).seq)
        async with town.kept():
            await town.until_signed(size)
    checkpoint = town.checkpoint()
    assert checkpoint is not None
    assert checkpoint.root == await town.expected_root("facts")


async def test_narrower_tiles_go_once_the_full_one_is_signed(town: PublicTown) -> None:
    tiles = town.path / "facts" / "tile" / "0"
    async with town.kept():
        await town.play(200)
        await town.until_signed(200)
        assert (tiles / "000.p" / "200").is_file()
        await town.play(100)
        await town.until_signed(300)

        async def cleared() -> bool:
            return not (tiles / "000.p").exists()

        await until(cleared)
    assert (tiles / "000").stat().st_size == 256 * 32
    assert sorted(each.name for each in (tiles / "001.p").iterdir()) == ["44"]


async def test_of_two_processes_one_keeps_them(town: PublicTown) -> None:
    await town.play(1)
    async with town.kept():
        await town.until_signed(1)
        with town.folder.held() as is_held:
            assert not is_held
    with town.folder.held() as is_held:
        assert is_held


async def test_the_files_of_everybody_can_be_read_by_everybody_and_no_others(
    town: PublicTown,
) -> None:
    await town.play(300)
    async with town.kept():
        await town.until_signed(300)
    private = {"salt-key", "signing-key", "taken-in", "lock"}
    for each in town.path.rglob("*"):
        if each.is_file():
            others = each.stat().st_mode & 0o077
            assert bool(others) == (each.name not in private), each


def test_a_key_that_others_can_read_is_refused(town: PublicTown) -> None:
    (town.path / "salt-key").chmod(0o640)
    with pytest.raises(Exception, match="chmod 600"):
        town.folder.check_secrets()


def test_nothing_overwrites_a_key(town: PublicTown, tmp_path: Path) -> None:
    before = (town.path / "signing-key").read_bytes()
    with pytest.raises(Exception, match="nothing overwrites one"):
        town.begin()
    assert (town.path / "signing-key").read_bytes() == before
