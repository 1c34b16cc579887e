"""An import that meets a killed program, a full disk, a service that stops: nothing is lost."""

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.batches import SILENCE, Answer, BatchService, accepted, refused
from tests.cli.importing.files import KEY, claim
from tests.cli.running import end_of, mahjic, start
from tests.log.deadlines import until

LINES = [claim(number) for number in range(1, 2001)]
REFUSED = LINES[9::100]


@pytest.fixture
def service(service: BatchService) -> BatchService:
    """Return a service that refuses every hundredth line."""
    service.answering = some_refused
    return service


def some_refused(line: bytes) -> Answer:
    return refused("claim_refused") if line in REFUSED else accepted(line)


def silent_from(number: int) -> Any:
    """Leave all lines from one on without an answer."""
    return lambda line: SILENCE if line == LINES[number - 1] else some_refused(line)


def hung_up_at(number: int) -> Any:
    """Break the connection at a line."""
    return lambda line: None if line == LINES[number - 1] else some_refused(line)


def beside(file: Path, ending: str) -> Path:
    return file.with_name(f"{file.name}.{ending}")


def claims_in(path: Path) -> list[bytes]:
    """Return the claims of a file of refused lines, each of which must be whole."""
    entries = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [json.dumps(entry["claim"]).encode() for entry in entries]


async def progress_is_kept(file: Path) -> bool:
    progress = beside(file, "progress")
    return await asyncio.to_thread(lambda: progress.exists() and progress.stat().st_size > 0)


async def test_an_import_that_is_killed_goes_on_and_writes_each_refused_line_once(
    service: BatchService, file: Path
) -> None:
    service.answering = silent_from(1500)
    program = await start("import", str(file), MAHJIC_URL=service.url, MAHJIC_KEY=KEY)
    await until(lambda: progress_is_kept(file))
    program.kill()
    assert (await end_of(program)).exit_code == -9
    with beside(file, "refused.ndjson").open("ab") as killed:
        killed.write(b'{"line": 1410, "pro')  # As far as it was written when it was killed.

    service.answering = some_refused
    ended = await mahjic("import", str(file))

    assert (ended.exit_code, ended.rows[1]) == (1, ["2000", "1980", "0", "0", "20"]), ended.stderr
    assert claims_in(beside(file, "refused.ndjson")) == REFUSED
    assert not beside(file, "progress").exists()


@pytest.mark.parametrize("refused_file", ["none/refused", "full"])
async def test_a_refused_line_that_cannot_be_written_down_is_not_done(
    service: BatchService, file: Path, refused_file: str
) -> None:
    path = file.parent / refused_file
    # A link, so that a program that would remove what stands there does not remove the device.
    (file.parent / "full").symlink_to("/dev/full")
    ended = await mahjic("import", str(file), "--refused", str(path))
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"unwritable_refusals: {path}, the file for refused lines")

    ended = await mahjic("import", str(file))

    assert ended.exit_code == 1
    assert claims_in(beside(file, "refused.ndjson")) == REFUSED


async def test_refused_lines_that_were_changed_or_go_elsewhere_are_not_gone_on_with(
    service: BatchService, file: Path, tmp_path: Path
) -> None:
    service.answering = hung_up_at(1500)
    await mahjic("import", str(file), "--wait", "0")
    path, other = beside(file, "refused.ndjson"), tmp_path / "other"
    first_half = path.read_bytes()
    other.write_bytes(b"x" * (len(first_half) + 1))
    service.answering = some_refused

    for name, content in ((other, other.read_bytes()), (path, first_half.replace(b"1", b"2"))):
        name.write_bytes(content)
        ended = await mahjic("import", str(file), "--refused", str(name))
        assert ended.exit_code == 2
        assert ended.stderr.splitlines()[-1].startswith(f"unwritable_refusals: {name} does not ")
        assert name.read_bytes() == content

    path.unlink()
    gone = await mahjic("import", str(file))
    assert gone.stderr.splitlines()[-1].startswith(f"unwritable_refusals: {path} does not start ")
    path.write_bytes(first_half)
    assert (await mahjic("import", str(file))).exit_code == 1
    assert claims_in(path) == REFUSED


async def test_what_is_no_file_takes_refused_lines_and_is_never_removed(
    service: BatchService, file: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ended = await mahjic("import", str(file), "--refused", str(pipe))
        assert ended.exit_code == 1
        came = os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert [json.loads(line)["line"] for line in came.splitlines()] == list(range(10, 2000, 100))
    assert stat.S_ISFIFO(pipe.stat().st_mode)


async def test_a_service_that_stops_while_nothing_is_on_its_way_is_waited_for(
    service: BatchService, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    service.stops_behind = LINES[299]
    kept = ("--refused", str(tmp_path / "refused"))
    importing = asyncio.create_task(mahjic("import", str(pipe), *kept))
    writer = await asyncio.to_thread(pipe.open, "wb", 0)
    with writer:
        writer.write(b"".join(line + b"\n" for line in LINES[:300]))

        async def has_stopped() -> bool:
            return service.has_stopped

        await until(has_stopped)
        writer.write(b"".join(line + b"\n" for line in LINES[300:600]))
    ended = await importing
    assert (ended.exit_code, ended.rows[1][0]) == (1, "600"), ended.stderr
    assert "It broke off after line 300: It is batch_stopped. " in ended.stderr
    assert list(service.lines) == LINES[:600]


async def test_lines_beyond_the_limit_of_a_day_are_written_down_and_not_waited_for(
    service: BatchService, file: Path
) -> None:
    def beyond_the_limit(line: bytes) -> Answer:
        return refused("too_many_foreign_hits", 429) if line in REFUSED else accepted(line)

    service.answering = beyond_the_limit
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 1
    assert claims_in(beside(file, "refused.ndjson")) == REFUSED
    assert "too_many_foreign_hits" in ended.stdout + ended.stderr
