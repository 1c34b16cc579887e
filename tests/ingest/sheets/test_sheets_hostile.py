"""What is no score sheet, too large, or made to hurt is refused in words, and costs little."""

import io
import zipfile
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from prometheus_client import CollectorRegistry

from services.ingest.api import Intake
from services.ingest.changes.asking import ChangeIntake
from services.ingest.claim.checks import CheckedSession
from services.ingest.sheets.api import SHEET_ROUTES
from services.ingest.sheets.reader import SheetReader
from services.ingest.sheets.uploaded import CSV, XLSX, SheetIntake
from services.ingest.submit import Ports
from services.ingest.trials import Trials
from shared.http.application import build_application
from shared.http.callers import Caller
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.routes import add_routes
from shared.settings import Settings
from tests.ingest.answers import problem
from tests.ingest.sheets.test_sheets import NIGHT
from tests.service import UNLIMITED, bearer


def zipped(**files: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            archive.writestr(f"xl/{name}.xml", file)
    return content.getvalue()


# What is told of each mistake.
PARTS = {"sheet", "row", "column", "code", "message"}
# The tests of the room read all of them; these are of every kind.
FILES = {
    name: (Path(__file__).parents[2] / "sheets" / "files" / name).read_bytes()
    for name in (
        "excel-unicode-text.txt",
        "windows-1252.csv",
        "libreoffice.xlsx",
        "libreoffice-errors.xlsx",
        "libreoffice-excel-97.xls",
        "password.xlsx",
    )
}
# None where any words will do.
HOSTILE = {
    "nothing": (b"", "empty_sheet"),
    "zeros": (bytes(1 << 20), "not_a_sheet"),
    "a zip of no workbook": (zipped(a=b"b"), None),
    "half a zip": (zipped(a=b"b" * 1000)[:60], "damaged_file"),
    "a zip bomb": (zipped(workbook=bytes(200 << 20)), "too_large"),
    "an old or encrypted workbook": (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(5000), None),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "not_a_sheet"),
    "a long line": (b"x" * (9 << 20), None),
    "quotes that never end": (b'"' * 999_999, None),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_file_that_is_no_sheet_is_refused_in_words(
    name: str, refusing: httpx.AsyncClient
) -> None:
    content, code = HOSTILE[name]
    answer = await refusing.post("/v1/sheets", content=content, headers={"Content-Type": XLSX})
    body = problem(answer, 422, "invalid_sheet")
    assert code is None or [each["code"] for each in body["errors"]] == [code]
    assert all(each["message"].endswith((".", ")")) for each in body["errors"])


@pytest.mark.parametrize("name", sorted(FILES))
async def test_whatever_real_programs_write_is_read_or_refused_with_a_place(
    name: str, refusing: httpx.AsyncClient
) -> None:
    sent = {"file": (name, FILES[name])}
    answer = await refusing.post("/v1/sheets?dry_run=true", files=sent)
    assert answer.status_code in {200, 422}
    if answer.status_code == 200:
        assert answer.json()["claim"]["rounds"]
    else:
        errors = problem(answer, 422, "invalid_sheet")["errors"]
        assert all(set(each) == PARTS for each in errors)
        # What is wrong with the whole file is alone.
        assert len(errors) == 1 or any(each["row"] for each in errors), errors


async def test_what_is_too_large_or_no_file_is_refused_before_it_is_opened(
    refusing: httpx.AsyncClient,
) -> None:
    sent_bytes = 0

    async def csv_of_50_mb() -> AsyncIterator[bytes]:
        nonlocal sent_bytes
        for _ in range(800):
            sent_bytes += 1 << 16
            yield b"a,b,c,d\n" * (1 << 13)

    headers = {"Content-Type": CSV}
    answer = await refusing.post("/v1/sheets", content=csv_of_50_mb(), headers=headers)
    assert problem(answer, 413, "payload_too_large")["bytes_max"] == 10 << 20
    # No more of it was read than the limit and a piece.
    assert sent_bytes <= (10 << 20) + (1 << 16)
    for kind in ("application/json", "text/html", "application/pdf", ""):
        answer = await refusing.post("/v1/sheets", content=NIGHT, headers={"Content-Type": kind})
        problem(answer, 415, "unsupported_media_type")
    many = [("file", (f"{each}.csv", NIGHT)) for each in range(1000)]
    problem(await refusing.post("/v1/sheets", files=many), 422, "invalid_form")
    bomb = {"file": ("a.csv", b"x" * (11 << 20))}
    problem(await refusing.post("/v1/sheets", files=bomb), 413, "payload_too_large")
    problem(await refusing.post("/v1/sheets", files={"file": b""}), 422, "invalid_sheet")
    field = {"dry_run": (None, "true")}
    problem(await refusing.post("/v1/sheets", files=field), 422, "invalid_form")


class _Untried:
    """Stands in the place of Trials, and tells nothing: what a file says is enough here."""

    def count(self, source: str) -> None:
        assert source

    async def run(self, _session: CheckedSession, *, source: str) -> dict[str, Any]:
        assert source
        return {"warnings": []}


@pytest.fixture(scope="module")
async def refusing() -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of routes that have nothing to record with: all that is sent is refused."""
    app = build_application(
        version="0",
        authenticate=_a_club,
        addresses=ClientAddresses(()),
        limits=RequestLimits(public_per_minute=UNLIMITED, source_per_minute=UNLIMITED),
        registry=CollectorRegistry(),
        checks={},
    )
    settings, nothing, trials = Settings(), cast("Ports", None), cast("Trials", _Untried())
    intake = Intake(nothing, trials, settings, lambda: date(2026, 2, 1))
    no_changes = cast("ChangeIntake", None)
    add_routes(app, SHEET_ROUTES, SheetIntake(intake, no_changes, SheetReader(settings)))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://mahjic.test",
        headers=bearer("mjk_" + "S" * 43),
    ) as client:
        yield client


async def _a_club(_key: str) -> Caller:
    return Caller("source", "a-club", "key_1", None)
