"""A witness that others wrote cosigns our logs, and finds a split view and a rollback."""

import base64
import shutil
from pathlib import Path

import httpx
import pytest

from services.transparency.beginning import LogEnding, begin_again
from services.transparency.key_files import read_signing_key
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.tlog.checkpoints import TreeHead
from shared.tlog.growing import GrowingTree
from shared.tlog.hashes import leaf_hash
from shared.tlog.leaves import LOG_NAMES, LogName
from shared.tlog.notes import open_note, read_verifier_key, sign_note
from shared.tlog.tiles import HashTile
from shared.tlog.trees import TileTree
from tests.log.deadlines import until
from tests.transparency.judges.witness import RunningWitness, running_witness
from tests.transparency.town import LOG_ID, NOW, PublicTown


@pytest.fixture
def town(tmp_path: Path, witness: RunningWitness) -> PublicTown:
    """Return a town whose logs the witness knows."""
    town = PublicTown(tmp_path / "transparency", witnesses=[witness.setting])
    town.begin()
    for each in town.keys:
        witness.know(each)
    return town


def cosigned_by(town: PublicTown, name: LogName = "facts") -> set[str]:
    """Return who has signed the checkpoint of a log, checked with everybody's keys."""
    witnesses = [read_verifier_key(each.split()[1]) for each in town.witnesses]
    note = town.folder.current(name).checkpoint() or ""
    _, signed = open_note(note, [*town.folder.verifier_keys(), *witnesses])
    return {each.key.name for each in signed}


async def until_cosigned(town: PublicTown, size: int) -> None:
    """Wait until the witness has cosigned both logs at a size."""

    async def cosigned() -> bool:
        return all(
            town.size(name) == size and "witness.example" in cosigned_by(town, name)
            for name in LOG_NAMES
        )

    await until(cosigned)


async def test_it_cosigns_whatever_goes_on(town: PublicTown, witness: RunningWitness) -> None:
    async with town.kept():
        for size in (1, 300, 301):
            await town.play(size - (await town.facts.tail()).seq)
            await until_cosigned(town, size)
            assert witness.size("mahjic.example/facts") == size
    assert cosigned_by(town) == {"mahjic.example/facts", "witness.example"}
    # A process that starts again does not know how far the witness is.
    await town.play(9)
    async with town.kept():
        await until_cosigned(town, 310)


async def test_a_witness_that_is_away_costs_nothing(town: PublicTown, witness_folder: Path) -> None:
    async with running_witness(witness_folder) as gone:
        pass
    town.witnesses = [gone.setting]
    await town.play(3)
    async with town.kept():
        await town.until_signed(3)
        assert cosigned_by(town) == {"mahjic.example/facts"}
    assert town.folder.stopped() is None


async def test_database_and_files_put_back_are_found_by_the_witness(town: PublicTown) -> None:
    await town.play(20)
    async with town.kept():
        await until_cosigned(town, 20)
    copy = town.path.with_name("copy")
    shutil.copytree(town.path, copy)
    await town.play(10)
    async with town.kept():
        await until_cosigned(town, 30)
    # Everything is as it was an hour ago: nothing here can tell.
    shutil.rmtree(town.path)
    copy.rename(town.path)
    town.facts, town.verdicts = MemoryFactLog(LOG_ID), MemoryVerdictLog(LOG_ID)
    await town.play(20)
    before = town.checkpoint()
    async with town.kept():
        told = await town.until_stopped()
    assert told.startswith("history_split: The witness witness.example has cosigned 30 records")
    assert town.checkpoint() == before


async def test_it_is_found_later_if_the_witness_was_away(
    town: PublicTown, witness: RunningWitness, witness_folder: Path
) -> None:
    await town.play(20)
    async with town.kept():
        await until_cosigned(town, 20)
    shutil.rmtree(town.path / "facts")
    shutil.rmtree(town.path / "verdicts")
    for name in ("facts", "verdicts"):
        (town.path / name).mkdir()
    town.facts, town.verdicts = MemoryFactLog(LOG_ID), MemoryVerdictLog(LOG_ID)
    here = town.witnesses
    town.witnesses = []
    await town.play(25, what="another session")
    async with town.kept():
        await town.until_signed(25)
    town.witnesses = here
    async with town.kept():
        assert "has cosigned another tree of 20 records" in await town.until_stopped()


async def test_begin_again_is_cosigned_once_the_witness_knows(
    town: PublicTown, witness: RunningWitness
) -> None:
    await town.play(5)
    async with town.kept():
        await until_cosigned(town, 5)
    begin_again(town.folder, LogEnding("A disk was lost.", NOW, is_sure=True))
    for each in town.folder.verifier_keys()[2:]:
        witness.know(each)
    async with town.kept():
        await town.until_signed(5, number=2)

        async def known() -> bool:
            return witness.size("mahjic.example/facts/2") == 5

        await until(known)


async def test_it_refuses_a_split_view_and_a_rollback(
    town: PublicTown, witness: RunningWitness
) -> None:
    await town.play(300)
    async with town.kept():
        await until_cosigned(town, 300)
    signer = read_signing_key(town.path).of("mahjic.example/facts")
    tree, tiles = GrowingTree(), dict[HashTile, bytes]()
    tree.append(leaf_hash(b"another %d" % number) for number in range(400))
    tiles.update(tree.take_tiles())
    forged = sign_note(TreeHead(signer.name, 400, tree.root()).text, [signer])
    proof = TileTree(400, tiles.get).prove_growth(300)
    hashes = "".join(f"{base64.b64encode(each).decode()}\n" for each in proof)
    older = TileTree(200, town.folder.current("facts").read_tile).root()
    rolled_back = sign_note(TreeHead(signer.name, 200, older).text, [signer])
    async with httpx.AsyncClient(base_url=witness.url, trust_env=False) as client:
        split = await client.post("/add-checkpoint", content=f"old 300\n{hashes}\n{forged}")
        back = await client.post("/add-checkpoint", content=f"old 0\n\n{rolled_back}")
    assert (split.status_code, back.status_code) == (422, 409)
    assert back.text.strip() == "300"
    assert witness.size("mahjic.example/facts") == 300
