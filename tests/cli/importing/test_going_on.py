"""An import that broke off: what the next one of the file goes on with, and what it starts anew."""

import asyncio
import fcntl
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.batches import SILENCE, Answer, BatchService, accepted, refused
from tests.cli.importing.files import (
    KEY,
    claim,
    content,
    names_in,
    progress_of,
    refused_of,
)
from tests.cli.running import end_of, mahjic, start
from tests.log.deadlines import until


async def is_kept(progress: Path) -> bool:
    return await asyncio.to_thread(progress.exists) and bool(progress.read_bytes())  # noqa: ASYNC240


def rewrite(file: Path, written: bytes) -> None:
    file.write_bytes(written)


def once(at: int, answer: Answer) -> Any:
    """Answer that of one claim the first time, and that all is accepted from then on."""
    given: list[bytes] = []

    def answering(line: bytes) -> Answer:
        if line == claim(at) and not given:
            given.append(line)
            return answer
        return accepted(line)

    return answering


@pytest.mark.parametrize(
    "answer", [None, refused("database_unavailable", 503)], ids=["hung up", "503"]
)
async def test_what_breaks_is_taken_up_at_the_first_line_without_an_answer(
    service: BatchService, file: Path, answer: Answer
) -> None:
    service.answering = once(1500, answer)

    ended = await mahjic("import", str(file))

    assert (ended.exit_code, ended.rows[1]) == (0, ["2000", "2000", "0", "0", "0"]), ended.stderr
    assert "It broke off after line 1499: " in ended.stderr
    first, second = service.connections
    assert first[:1500] == content(1, 1500).splitlines()
    assert second == content(1500, 2000).splitlines()
    assert names_in(file.parent) == [file.name]


async def test_an_import_that_broke_off_goes_on_where_it_was(
    service: BatchService, file: Path
) -> None:
    service.answering = lambda line: (
        refused("claim_refused") if line == claim(10) else once(1500, None)(line)
    )
    broken = await mahjic("import", str(file), "--wait", "0")
    assert broken.exit_code == 75
    assert broken.stderr.startswith("import_broken: It broke off after line 1499: ")

    service.answering = once(1600, refused("claim_refused"))
    ended = await mahjic("import", str(file))

    assert (ended.exit_code, ended.rows[1]) == (1, ["2000", "1998", "0", "0", "2"])
    assert f"An import of {file} broke off after line 1499" in ended.stderr
    assert service.connections[1] == content(1500, 2000).splitlines()
    assert [entry["line"] for entry in refused_of(file)] == [10, 1600]
    assert not progress_of(file).exists()


async def test_a_restart_sends_all_lines_again_and_forgets_what_was_refused(
    service: BatchService, file: Path
) -> None:
    service.answering = lambda line: (
        refused("claim_refused") if line == claim(10) else once(1500, None)(line)
    )
    await mahjic("import", str(file), "--wait", "0")
    service.answering = accepted
    ended = await mahjic("import", str(file), "--restart")
    assert (ended.exit_code, ended.rows[1]) == (0, ["2000", "2000", "0", "0", "0"])
    assert service.connections[1] == content(1, 2000).splitlines()
    assert names_in(file.parent) == [file.name]


async def test_a_file_that_grew_goes_on_and_one_that_changed_does_not(
    service: BatchService, file: Path
) -> None:
    service.answering = once(1500, None)
    await mahjic("import", str(file), "--wait", "0")

    for changed in (content(2, 2001), content(1, 20), b""):
        rewrite(file, changed)
        ended = await mahjic("import", str(file))
        assert ended.exit_code == 2
        assert ended.stderr.splitlines()[-1].startswith(f"file_changed: {file} has changed before ")
        assert len(service.connections) == 1

    rewrite(file, content(1, 2500))
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.rows[1][0]) == (0, "2500")


async def test_progress_is_not_used_for_another_service_or_key(
    service: BatchService, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answering = once(1500, None)
    await mahjic("import", str(file), "--wait", "0")
    monkeypatch.setenv("MAHJIC_KEY", "mjk_" + "o" * 43)
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 2
    assert ended.stderr.startswith(
        f"unreadable_progress: {progress_of(file)} is from an import to "
    )
    assert KEY not in progress_of(file).read_text()


async def test_progress_that_is_none_is_told_as_such(service: BatchService, file: Path) -> None:
    progress_of(file).write_bytes(b'{"line": 7}')
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, service.connections) == (2, [])
    assert ended.stderr.startswith(f"unreadable_progress: {progress_of(file)} was not written ")
    ended = await mahjic("import", str(file), "--restart")
    assert ended.exit_code == 0


async def test_a_file_is_imported_by_one_at_a_time(service: BatchService, file: Path) -> None:
    with progress_of(file).open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        ended = await mahjic("import", str(file))
    assert (ended.exit_code, service.connections) == (2, [])
    assert ended.stderr.startswith(f"import_runs: Another import is using {progress_of(file)}.")
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 0


async def test_a_signal_stops_an_import_which_then_goes_on(
    service: BatchService, file: Path
) -> None:
    service.answering = once(1500, SILENCE)
    program = await start("import", str(file), MAHJIC_URL=service.url, MAHJIC_KEY=KEY)
    await until(lambda: is_kept(progress_of(file)))
    program.send_signal(signal.SIGTERM)
    stopped = await end_of(program)
    assert (stopped.exit_code, stopped.stdout) == (143, "")
    line = json.loads(progress_of(file).read_bytes())["line"]
    assert 1 <= line < 1500

    ended = await mahjic("import", str(file))

    assert (ended.exit_code, ended.rows[1]) == (0, ["2000", "2000", "0", "0", "0"])
    assert service.connections[1] == content(line + 1, 2000).splitlines()
