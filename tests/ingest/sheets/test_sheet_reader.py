"""Files are opened in processes of their own: what one of them takes costs its sender alone."""

import asyncio
import io
import signal
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import openpyxl
import psutil  # type: ignore[import-untyped]
import pytest

from services.ingest.sheets.child import ROUNDS_KEPT
from services.ingest.sheets.reader import CHILD, SheetReader, SheetsBusy
from shared.settings import Settings
from shared.sheets.cells import SheetRefused
from shared.sheets.drawn import DRAWN_BYTES_MAX
from shared.sheets.limits import Limits
from shared.sheets.template import template_xlsx
from tests.cli.running import ROOT
from tests.ingest.answers import problem
from tests.ingest.guests import Guest
from tests.ingest.sheets.test_sheets import NIGHT, send
from tests.log.deadlines import deadline, until
from tests.service import bearer

ROUND = "ROUND,Games Played: 1,Wall Games: 1\nPlayer Email,Mahjongs\na@x.org,0\nb@x.org,0\n"
HEAD = "Date: 2026-01-31\nGame Type: Social\n"
# As many rounds as a file has rows that are read.
MANY = (Limits().rows_max - 2) // 4


def reader(**settings: Any) -> SheetReader:
    # A busy machine is not what is tested.
    return SheetReader(Settings(**{"sheet_s_max": 100, **settings}))


def children() -> Iterator[psutil.Process]:
    for each in psutil.Process().children():
        try:
            if CHILD in each.cmdline():
                yield each
        except psutil.Error:
            continue  # It ends just now.


async def codes(reading: SheetReader, content: str) -> list[str]:
    with pytest.raises(SheetRefused) as refused:
        await reading.read(content.encode(), source="a-club", sheet_name=None)
    return [each.code for each in refused.value.mistakes]


async def test_a_reader_that_takes_too_long_is_gone_and_its_sender_may_come_again() -> None:
    # No program has started within three milliseconds.
    with pytest.raises(SheetsBusy):
        await reader(sheet_s_max=0.001).read(NIGHT.encode(), source="a-club", sheet_name=None)
    assert list(children()) == []


async def test_a_reader_that_works_without_end_is_ended() -> None:
    program = "import resource\nfrom shared.machine.children import limit\n"
    program += "limit(resource.RLIMIT_CPU, 1)\nwhile True:\n    pass\n"
    async with deadline():
        endless = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=ROOT)
        assert await endless.wait() < 0


async def test_a_file_that_takes_too_much_memory_is_refused() -> None:
    # The program itself takes most of that.
    line = f"{'x' * 1900}," * 5 + "\n"
    small = reader(sheet_memory_bytes_max=32 << 20)
    assert await codes(small, HEAD + line * 1000) == ["too_large"]
    assert list(children()) == []


async def test_a_workbook_takes_a_quarter_of_the_memory_that_it_may_take() -> None:
    small = reader(sheet_memory_bytes_max=Settings().sheet_memory_bytes_max // 4)
    sheet = (await small.read(template_xlsx(), source="a-club", sheet_name=None)).sheet
    assert len(sheet.claim["rounds"]) == 2
    assert {each.code for each in sheet.mistakes} == {"example_row"}


async def test_somebody_who_leaves_takes_the_process_along() -> None:
    reading = asyncio.create_task(
        reader().read((HEAD + ROUND * MANY).encode(), source="a-club", sheet_name=None)
    )
    async with deadline():
        while not list(children()):
            await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert list(children()) == []


async def test_files_wait_for_a_place_and_one_source_never_has_them_all() -> None:
    reading = reader(sheet_uploads_max=4)
    free, held = asyncio.Event(), 0

    async def hold(source: str) -> None:
        nonlocal held
        async with reading.taking(source):
            held += 1
            await free.wait()

    async def are_held(most: int) -> bool:
        return held == most

    async with asyncio.TaskGroup() as holders:
        for most, source in ((2, "a-club"), (4, "another-club"), (4, "a-third")):
            for _ in range(5):
                holders.create_task(hold(source))
            await until(partial(are_held, most))
        free.set()
    assert held == 15


async def test_a_file_that_finds_no_place_for_too_long_may_come_again() -> None:
    reading = reader(sheet_uploads_max=2, sheet_s_max=0.01)
    async with reading.taking("a-club"):
        with pytest.raises(SheetsBusy):
            async with reading.taking("a-club"):
                raise AssertionError
        async with reading.taking("another-club"):
            with pytest.raises(SheetsBusy):
                async with reading.taking("a-third"):
                    raise AssertionError
    async with reading.taking("a-club"):
        pass


async def test_of_thousands_of_rounds_no_more_is_carried_on_than_is_refused() -> None:
    read = await reader().read((HEAD + ROUND * MANY).encode(), source="a-club", sheet_name=None)
    sheet = read.sheet
    assert [each.code for each in sheet.mistakes] == ["too_many_rounds"]
    assert len(sheet.claim["rounds"]) <= ROUNDS_KEPT
    assert len(sheet.places) < 12 * ROUNDS_KEPT


async def test_others_are_served_while_a_file_is_read_and_when_its_reader_dies(
    guest: Guest,
) -> None:
    key = await guest.source_key()
    long = asyncio.create_task(send(guest, HEAD + ROUND * MANY, key))
    async with deadline():
        while not (found := list(children())):
            await asyncio.sleep(0)
    found[0].send_signal(signal.SIGSTOP)
    try:
        answer = await guest.client.get("/v1/leaderboard", headers=bearer(key))
        other = await send(guest, NIGHT, await guest.source_key("another-club"))
        assert (answer.status_code, other.status_code) == (200, 201)
        assert not long.done()
    finally:
        found[0].kill()
    body = problem(await long, 422, "invalid_sheet")
    assert [each["code"] for each in body["errors"]] == ["too_large"]
    assert list(children()) == []


async def test_a_child_knows_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAHJIC_KEY", "a secret")
    reading = asyncio.create_task(
        reader().read((HEAD + ROUND * MANY).encode(), source="a-club", sheet_name=None)
    )
    known: dict[str, str] = {}

    async def is_known() -> bool:
        for each in children():
            known.update(each.environ())
        return "PYTHONPATH" in known

    await until(is_known)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert "MAHJIC_KEY" not in known


async def test_cells_that_were_drawn_read_like_the_file_they_come_from() -> None:
    content = template_xlsx()
    drawn = await reader().draw(content, source="a-club")
    again = await reader().read_again(drawn.sheets, source="a-club", sheet_name=None)
    assert again == drawn
    assert [each["name"] for each in drawn.sheets] == ["Score sheet", "Instructions"]
    whole = await reader().read(content, source="a-club", sheet_name=None)
    assert drawn.opened().sheet == whole.sheet


async def test_a_workbook_of_several_nights_is_drawn_although_it_is_refused() -> None:
    book = openpyxl.Workbook()
    for name in ("January", "February"):
        book.create_sheet(name)["A1"] = "ROUND 1"
    content = io.BytesIO()
    book.save(content)
    drawn = await reader().draw(content.getvalue(), source="a-club")
    assert [each.code for each in drawn.refused] == ["several_sheets"]
    assert [each["name"] for each in drawn.sheets] == ["January", "February"]
    nothing = await reader().draw(b"%PDF-1.7", source="a-club")
    assert [each.code for each in nothing.refused] == ["not_a_sheet"]
    assert nothing.sheets == ()


async def test_more_text_than_a_night_has_is_not_drawn() -> None:
    # Each cell is as long as a cell may be.
    note = "x" * Limits().cell_characters_max
    rows = DRAWN_BYTES_MAX // len(note) + 1
    content = (HEAD + ROUND + f",,,{note}\n" * rows).encode()
    drawn = await reader().draw(content, source="a-club")
    assert [each.code for each in drawn.refused] == ["too_large"]
    assert drawn.sheets == ()
    less = (HEAD + ROUND + f",,,{note}\n" * (rows - 10)).encode()
    assert (await reader().draw(less, source="a-club")).sheets
