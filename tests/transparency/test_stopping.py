"""When nothing may be signed anymore: another history, a damaged file; and how it goes on."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from services.transparency.beginning import LogEnding, begin_again
from services.transparency.refusals import PublicLogGoesOn, PublicLogHeld
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.notes import open_note
from tests.transparency.town import LOG_ID, NOW, PublicTown


async def put_back(town: PublicTown, count: int) -> None:
    """Put both logs back to what they were after so many records."""
    town.facts, town.verdicts = MemoryFactLog(LOG_ID), MemoryVerdictLog(LOG_ID)
    await town.play(count)


async def signed_up_to(town: PublicTown, count: int) -> None:
    """Have both logs grown to so many records, and signed."""
    await town.play(count - (await town.facts.tail()).seq)
    async with town.kept():
        await town.until_signed(count)


async def test_a_database_put_back_stops_it(town: PublicTown) -> None:
    await signed_up_to(town, 30)
    before = town.checkpoint()
    await put_back(town, 20)
    async with town.kept():
        assert (await town.until_stopped()).startswith("history_split")
    assert town.checkpoint() == before


async def test_nor_is_anything_signed_once_it_has_grown_again(town: PublicTown) -> None:
    await signed_up_to(town, 30)
    before = town.checkpoint("verdicts")
    await put_back(town, 20)
    await town.play(40, what="another session")
    async with town.kept():
        assert (await town.until_stopped()).startswith("history_split")
    assert town.checkpoint("verdicts") == before


async def test_another_log_stops_it(town: PublicTown) -> None:
    town.facts, town.verdicts = MemoryFactLog("another"), MemoryVerdictLog("another")
    async with town.kept():
        await town.until_signed(0)
    await put_back(town, 0)
    async with town.kept():
        assert (await town.until_stopped()).startswith("history_split")


async def test_a_database_and_checkpoint_put_back_are_found_by_the_tiles(town: PublicTown) -> None:
    await signed_up_to(town, 20)
    copies = copied(town, ["facts/checkpoint", "facts/taken-in"])
    copies |= copied(town, ["verdicts/checkpoint", "verdicts/taken-in"])
    await signed_up_to(town, 30)
    await put_back(town, 20)
    for file, content in copies.items():
        file.write_bytes(content)
    await town.play(10, what="another session")
    async with town.kept():
        assert "never changes" in await town.until_stopped()


async def test_begin_again_ends_the_logs_and_goes_on(town: PublicTown) -> None:
    await signed_up_to(town, 30)
    last = town.checkpoint()
    assert last is not None
    await put_back(town, 20)
    async with town.kept():
        await town.until_stopped()
        begin_again(town.folder, LogEnding("A disk was lost.", NOW))
        await town.until_signed(20, number=2)
    assert town.folder.stopped() is None
    assert town.checkpoint() == last
    told, _ = open_note(town.folder.find("facts", 1).ended() or "", town.keys)
    assert told == (
        f"{last.text}ended 2026-11-30T12:00:00+00:00\n"
        f"next {town.folder.verifier_keys()[2]}\n"
        "why A disk was lost.\n"
    )
    checkpoint = town.checkpoint("verdicts", 2)
    assert checkpoint is not None
    assert checkpoint.origin == "mahjic.example/verdicts/2"
    assert checkpoint.root == await town.expected_root("verdicts")


async def test_begin_again_needs_a_reason_to(town: PublicTown) -> None:
    await signed_up_to(town, 3)
    with pytest.raises(PublicLogGoesOn):
        begin_again(town.folder, LogEnding("A whim.", NOW))
    async with town.kept():
        await town.until_kept()
        with pytest.raises(PublicLogHeld):
            begin_again(town.folder, LogEnding("A whim.", NOW, is_sure=True))
    begin_again(town.folder, LogEnding("A whim.", NOW, is_sure=True))
    async with town.kept():
        await town.until_signed(3, number=2)


async def test_a_change_of_key_is_signed_by_both(town: PublicTown) -> None:
    await signed_up_to(town, 3)
    begin_again(
        town.folder, LogEnding("A key for the new year.", NOW, is_sure=True, has_new_key=True)
    )
    before, after = (town.folder.verifier_keys()[place] for place in (0, 2))
    assert before.public != after.public
    note = town.folder.find("facts", 1).ended() or ""
    told, signed = open_note(note, [before, after])
    assert f"next {after}\n" in told
    assert [each.key for each in signed] == [before, after]
    assert not (town.path / "signing-key.next").exists()
    town.folder.check_secrets()
    async with town.kept():
        await town.until_signed(3, number=2)


async def test_a_log_that_was_never_signed_can_end(town: PublicTown) -> None:
    begin_again(town.folder, LogEnding("A whim.", NOW, is_sure=True))
    told, _ = open_note(town.folder.find("facts", 1).ended() or "", town.keys)
    head = read_checkpoint(told)
    assert (head.size, head.root.hex()[:8]) == (0, "e3b0c442")


@pytest.mark.parametrize("is_replaced", [False, True])
async def test_a_change_of_key_that_was_cut_off_is_done_again(
    town: PublicTown, *, is_replaced: bool
) -> None:
    await signed_up_to(town, 3)
    keys, key = (town.path / "keys").read_bytes(), (town.path / "signing-key").read_bytes()
    ending = LogEnding("A key for the new year.", NOW, is_sure=True, has_new_key=True)
    begin_again(town.folder, ending)
    after = town.folder.verifier_keys()
    # It had come so far when it was cut off.
    (town.path / "keys").write_bytes(keys)
    if not is_replaced:
        (town.path / "signing-key").rename(town.path / "signing-key.next")
        (town.path / "signing-key").write_bytes(key)
        (town.path / "signing-key").chmod(0o600)
    begin_again(town.folder, ending)
    assert town.folder.verifier_keys() == after


async def test_a_begin_again_that_was_cut_off_is_done_again(town: PublicTown) -> None:
    await signed_up_to(town, 3)
    log = town.folder.current("facts")
    log.end("Half done.")
    begin_again(town.folder, LogEnding("A disk was lost.", NOW, is_sure=True))
    assert log.ended() == "Half done."
    assert [each.name for each in town.folder.verifier_keys()] == [
        "mahjic.example/facts",
        "mahjic.example/verdicts",
        "mahjic.example/facts/2",
        "mahjic.example/verdicts/2",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "facts/taken-in",
        "facts/checkpoint",
        "verdicts/tile/1/000.p/1",
        "verdicts/tile/0/001.p/44",
        "signing-key",
        "keys",
    ],
)
async def test_one_altered_byte_stops_it(town: PublicTown, name: str) -> None:
    await signed_up_to(town, 300)
    before = {each: town.folder.current(each).checkpoint() for each in ("facts", "verdicts")}
    altered = town.path / name
    content = altered.read_bytes()
    for place in places(content):
        changed = bytearray(content)
        changed[place] ^= 1
        altered.write_bytes(changed)
        town.folder.go_on()
        await town.play(1)
        async with town.kept():
            told = await town.until_stopped()
        assert told.startswith(("public_log_misplaced", "history_split"))
        altered.write_bytes(content)
        now = {each: town.folder.current(each).checkpoint() for each in ("facts", "verdicts")}
        assert now == before


def places(content: bytes) -> Sequence[int]:
    """Return some places in a file."""
    return range(0, len(content), len(content) // 3)


def copied(town: PublicTown, names: Sequence[str]) -> dict[Path, bytes]:
    """Return what some files hold."""
    return {town.path / name: (town.path / name).read_bytes() for name in names}


async def test_what_was_taken_in_may_not_be_gone(town: PublicTown) -> None:
    await signed_up_to(town, 5)
    (town.path / "facts" / "taken-in").unlink()
    async with town.kept():
        assert (await town.until_stopped()).startswith("history_split")


async def test_a_lost_tile_stops_it(town: PublicTown) -> None:
    await signed_up_to(town, 300)
    shutil.rmtree(town.path / "facts" / "tile" / "1")
    async with town.kept():
        assert (await town.until_stopped()).startswith("public_log_misplaced")


async def test_a_log_that_ended_is_never_signed_again(town: PublicTown) -> None:
    await signed_up_to(town, 3)
    # So far did the end come when it was cut off.
    log = town.folder.current("facts")
    log.end("Half done.")
    before = town.checkpoint()
    await town.play(2)
    async with town.kept():
        told = await town.until_stopped()
        assert told.startswith("public_log_misplaced: mahjic.example/facts has ended")
        assert town.checkpoint() == before
        begin_again(town.folder, LogEnding("A disk was lost.", NOW))
        await town.until_signed(5, number=2)
    assert town.checkpoint() == before


@pytest.mark.parametrize("damaged", [("checkpoint",), ("taken-in",), ("checkpoint", "taken-in")])
async def test_what_is_damaged_is_no_part_of_the_last_words(
    town: PublicTown, damaged: Sequence[str]
) -> None:
    await signed_up_to(town, 5)
    last = town.checkpoint()
    for name in damaged:
        (town.path / "facts" / name).write_bytes(b"not a note\n\nat all\n")
    begin_again(town.folder, LogEnding("A disk was lost.", NOW, is_sure=True))
    told, _ = open_note(town.folder.find("facts", 1).ended() or "", town.keys)
    head = read_checkpoint(told)
    assert head.origin == "mahjic.example/facts"
    assert head.size == (0 if len(damaged) == 2 else 5)
    if head.size:
        assert head == last


@pytest.mark.parametrize(
    "content", [b"[]", b'{"log_id":1}', b'{"log_id":"","seq":1,"chain":"","note":null}']
)
async def test_what_was_taken_in_may_be_damaged_in_any_way(
    town: PublicTown, content: bytes
) -> None:
    await signed_up_to(town, 5)
    (town.path / "facts" / "taken-in").write_bytes(content)
    async with town.kept():
        assert (await town.until_stopped()).startswith("public_log_misplaced")
