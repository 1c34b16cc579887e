"""The command that imports: what it sends, what it goes on with, and what it says of refusals."""

import asyncio
import gzip
import json
import os
from pathlib import Path

import pytest

from tests.cli.batches import Answer, BatchService, accepted, refused
from tests.cli.importing.files import (
    KEY,
    claim,
    content,
    names_in,
    progress_of,
    refused_of,
)
from tests.cli.running import end_of, mahjic, start


async def test_each_line_is_sent_once_in_the_order_of_the_file(
    service: BatchService, file: Path
) -> None:
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 0, ended.stderr
    assert ended.rows == [
        ["lines", "recorded", "replayed", "not_counting", "refused"],
        ["2000", "2000", "0", "0", "0"],
    ]
    assert list(service.lines) == content(1, 2000).splitlines()
    assert len(service.connections) == 1
    assert service.headers[b"authorization"] == f"Bearer {KEY}".encode()
    assert service.headers[b"content-type"] == b"application/x-ndjson"
    assert service.headers[b"prefer"] == b"respond-async"
    assert names_in(file.parent) == [file.name]


@pytest.mark.parametrize(
    "written",
    [
        gzip.compress(content(1, 300)),
        gzip.compress(content(1, 100)) + gzip.compress(content(101, 300)) + b"\0" * 700,
        b"\xef\xbb\xbf" + content(1, 300),
        content(1, 300).replace(b"\n", b"\n \r\n\n").rstrip(),
    ],
    ids=["gzip", "gzip of two members and padding", "byte order mark", "blank lines"],
)
async def test_the_same_lines_are_sent_however_the_file_is_written(
    service: BatchService, tmp_path: Path, written: bytes
) -> None:
    file = tmp_path / "file"
    file.write_bytes(written)
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 0, ended.stderr
    assert list(service.lines) == content(1, 300).splitlines()


@pytest.mark.parametrize("is_gzip", [False, True], ids=["plain", "gzip"])
async def test_a_pipe_is_imported_like_a_file(service: BatchService, is_gzip: bool) -> None:
    program = await start("import", "-", MAHJIC_URL=service.url, MAHJIC_KEY=KEY)
    written = content(1, 300)
    ended = await end_of(program, gzip.compress(written) if is_gzip else written)
    assert (ended.exit_code, ended.rows[1]) == (0, ["300", "300", "0", "0", "0"])
    assert list(service.lines) == written.splitlines()


async def test_a_named_pipe_is_imported_without_keeping_progress(
    service: BatchService, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    importing = asyncio.create_task(mahjic("import", str(pipe)))
    await asyncio.to_thread(pipe.write_bytes, content(1, 300))
    ended = await importing
    assert (ended.exit_code, len(list(service.lines))) == (0, 300), ended.stderr
    assert names_in(tmp_path) == ["pipe"]


async def test_refused_lines_are_written_down_with_the_reason_and_the_claim(
    service: BatchService, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(claim(1) + b"\n\nno json\n" + claim(2) + b"\n" + claim(3))
    answers = {claim(2): refused("duplicate_session", 409), b"no json": refused("malformed", 400)}
    service.answering = lambda line: answers.get(line) or accepted(line)

    ended = await mahjic("import", str(file), "--json")

    assert ended.exit_code == 1
    assert json.loads(ended.stdout) == {
        "lines": 4,
        "recorded": 2,
        "replayed": 0,
        "not_counting": 0,
        "refused": 2,
        "refused_codes": {"malformed": 1, "duplicate_session": 1},
        "refused_file": f"{file}.refused.ndjson",
    }
    assert "  duplicate_session: 1\n" in ended.stderr
    first, second = refused_of(file)
    assert (first["line"], first["claim"]) == (3, "no json")
    assert (second["line"], second["claim"]) == (4, {"session": 2})
    assert second["problem"]["detail"] == "It is duplicate_session."
    assert not progress_of(file).exists()


async def test_replayed_lines_are_counted_apart(service: BatchService, file: Path) -> None:
    service.answering = lambda _: {"status": 200, "replayed": True, "session": {}}
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.rows[1]) == (0, ["2000", "0", "2000", "0", "0"])


@pytest.mark.parametrize("status", ["voided", "corrected"])
async def test_lines_of_sessions_that_no_longer_count_are_told_apart(
    service: BatchService, file: Path, status: str
) -> None:
    session = {"session_id": "ses_1", "status": status}
    ended_line = {"status": 200, "replayed": True, "session": session}
    service.answering = lambda line: ended_line if line == claim(1) else accepted(line)
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.rows[1]) == (4, ["2000", "1999", "0", "1", "0"])
    assert "not_counting: 1." in ended.stderr


async def test_what_is_odd_about_new_sessions_is_told_by_line_and_then_by_number(
    service: BatchService, file: Path
) -> None:
    odd = {"pointer": "/rounds/0", "code": "similar_round", "message": "Seen before."}

    def answering(line: bytes) -> Answer:
        is_old = line == claim(2)
        session = {"session_id": "ses_1", "warnings": [odd]}
        return {"status": 200 if is_old else 202, "replayed": is_old, "session": session}

    service.answering = answering
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 0, ended.stderr
    told = ended.stderr.splitlines()
    # The second was on record before; 20 are told in words.
    assert told[:2] == [f"line {number}: similar_round: Seen before." for number in (1, 3)]
    assert told[19] == "line 21: similar_round: Seen before."
    assert told[20:] == [
        "There are more warnings; these sessions count as sent: similar_round: 1,979."
    ]


async def test_a_gzip_that_breaks_off_is_told_once_all_before_it_is_answered(
    service: BatchService, tmp_path: Path
) -> None:
    file = tmp_path / "cut.gz"
    file.write_bytes(gzip.compress(content(1, 20_000))[:-5000])
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 2
    sent = list(service.lines)
    assert sent == content(1, len(sent)).splitlines()
    assert sent
    assert ended.stderr == (
        f"unreadable_file: {file} cannot be read: after line {len(sent)} its gzip data breaks "
        "off.\n"
    )


async def test_a_file_that_cannot_be_imported_is_named(
    service: BatchService, tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "blank").write_bytes(b"\n \n")
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b" + b"no gzip at all")
    for name, code in [
        ("none", "unreadable_file"),
        ("", "unreadable_file"),
        ("empty", "nothing_to_import"),
        ("blank", "nothing_to_import"),
        ("bad.gz", "unreadable_file"),
    ]:
        file = tmp_path / name
        ended = await mahjic("import", str(file))
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert ended.stderr.startswith(f"{code}: {file} ")
    assert service.connections == []
    assert names_in(tmp_path) == ["bad.gz", "blank", "empty"]


async def test_refused_lines_never_overwrite_the_file(service: BatchService, file: Path) -> None:
    ended = await mahjic("import", str(file), "--refused", str(file))
    assert (ended.exit_code, service.connections) == (2, [])
    assert ended.stderr.startswith(f"unwritable_refusals: {file} is the file to import.")
    assert (await mahjic("import", str(file))).rows[1][0] == "2000"


async def test_an_import_needs_a_key(
    service: BatchService, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAHJIC_KEY")
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, service.connections) == (2, [])
    assert ended.stderr.startswith("invalid_settings: MAHJIC_KEY: ")


async def test_a_request_that_is_refused_as_a_whole_is_not_tried_again(
    service: BatchService, file: Path
) -> None:
    problem = {"status": 401, "code": "invalid_key", "detail": "The key is unknown."}
    service.whole = (401, "application/problem+json", json.dumps(problem).encode())
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr == "invalid_key: The key is unknown.\n"
    assert len(service.connections) == 1


async def test_a_service_that_is_not_there_is_told_at_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with BatchService() as gone:
        monkeypatch.setenv("MAHJIC_URL", gone.url)
    monkeypatch.setenv("MAHJIC_KEY", KEY)
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.stdout) == (75, "")
    assert ended.stderr.startswith(f"service_unreachable: {gone.url} cannot be reached: ")
    assert names_in(file.parent) == [file.name]


async def test_an_answer_out_of_order_is_not_believed(service: BatchService, file: Path) -> None:
    service.answering = lambda _: {"line": 7, "status": 202, "replayed": False}
    ended = await mahjic("import", str(file))
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"unexpected_answer: {service.url} answered line 7 when line 1")
    assert not progress_of(file).exists()


async def test_of_a_line_without_end_no_more_than_its_beginning_is_sent(
    service: BatchService, tmp_path: Path
) -> None:
    file = tmp_path / "long.gz"
    file.write_bytes(gzip.compress(claim(1) + b"\n" + b"x" * (30 << 20) + b"\n" + claim(2)))
    service.answering = lambda line: (
        refused("line_too_long", 413) if len(line) > 100_000 else accepted(line)
    )
    ended = await mahjic("import", str(file))
    assert (ended.exit_code, ended.rows[1]) == (1, ["3", "2", "0", "0", "1"])
    assert [len(line) for line in service.lines] == [14, 1 << 20, 14]
    (entry,) = refused_of(file)
    assert (entry["line"], len(entry["claim"])) == (2, 1 << 20)
