"""Previews are painted as they are drawn, once each, whatever happens to who paints them."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator

import psutil  # type: ignore[import-untyped]
import pytest
import resvg_py

from services.site.previews.making import PictureMaker
from services.site.previews.painter import PreviewPainter, PreviewsBusy
from services.site.previews.subjects import Preview
from tests.site.previews.showing import NAME_BOX, differ, each_kind, player, seen

pytestmark = pytest.mark.starts_servers

PNG = b"\x89PNG\r\n\x1a\n"
OTHERS: list[psutil.Process] = []


class CountingMaker(PictureMaker):
    """Makes pictures of nothing, when it is let, and counts them."""

    def __init__(self, size: int = 1000) -> None:
        super().__init__()
        self.made = 0
        self.size = size
        self.may = asyncio.Event()

    async def png(self, svg: str) -> bytes:
        await self.may.wait()
        self.made += 1
        return svg.encode()[:1] * self.size


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """Leave out the processes that were here before: a server that many tests share keeps one."""
    OTHERS.extend(psutil.Process().children())
    yield
    OTHERS.clear()


@pytest.fixture
async def painter() -> AsyncIterator[PreviewPainter]:
    painter = PreviewPainter()
    yield painter
    await painter.aclose()


def children(module: str = "services.site.previews.child") -> list[psutil.Process]:
    """Return the processes of this test that make pictures. Servers of other tests have theirs."""
    mine = [each for each in psutil.Process().children() if module in each.cmdline()]
    return [each for each in mine if each not in OTHERS]


def child() -> psutil.Process:
    """Return the process that makes pictures."""
    (found,) = children()
    return found


async def test_a_preview_of_each_kind_is_a_small_png_of_the_right_size(
    painter: PreviewPainter,
) -> None:
    for preview in each_kind():
        png = await painter.png(preview)
        assert png.startswith(PNG)
        assert seen(png).size == (1200, 630)
        assert 5_000 < len(png) < 100_000


async def test_the_name_is_seen(painter: PreviewPainter) -> None:
    named, other = [await painter.png(player(name)) for name in ("Barbara Miller", "Alice Chen")]
    assert differ(named, other, NAME_BOX)
    assert not differ(named, other, (0, 300, 1200, 630))
    shades = set(seen(named).crop(NAME_BOX).tobytes())
    assert len(shades) > 20, "Letters have edges in many shades."


async def test_a_chinese_name_is_shown_as_the_mahjic_id(painter: PreviewPainter) -> None:
    chinese, by_id = [await painter.png(player(name)) for name in ("王小明", "MJ-7K3Q9XZM")]
    assert chinese == by_id


async def test_what_is_painted_is_what_is_drawn_with_our_fonts_and_no_others() -> None:
    """A text in a font that is missing would vanish."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630">'
        '<rect width="1200" height="630" fill="#fff"/>'
        '<text x="99" y="99" font-family="{}" font-size="80">Mahjic</text></svg>'
    )
    empty = resvg_py.svg_to_bytes(svg_string=svg.format("Nothing"), skip_system_fonts=True)
    maker = PictureMaker()
    try:
        for family in ("Mahjic Display", "Mahjic Text"):
            assert differ(await maker.png(svg.format(family)), empty, (0, 0, 1200, 630))
    finally:
        await maker.aclose()


async def test_a_picture_is_painted_again_if_its_painter_is_killed_in_the_middle(
    painter: PreviewPainter,
) -> None:
    first = await painter.png(player(seed=1))
    killed = child()
    killed.suspend()
    coming = asyncio.create_task(painter.png(player(seed=2)))
    # It has the picture before it, and will never answer.
    await asyncio.sleep(0)
    os.kill(killed.pid, signal.SIGKILL)
    second = await coming
    assert second.startswith(PNG)
    assert second != first
    assert child().pid != killed.pid


async def test_a_painter_that_hangs_is_ended_and_the_next_picture_comes() -> None:
    painter = PreviewPainter(PictureMaker(picture_s_max=30.0))
    try:
        await painter.png(player(seed=1))
        hanging = child()
        hanging.suspend()
        painter._maker._picture_s_max = 0.05
        with pytest.raises(PreviewsBusy):
            await painter.png(player(seed=2))
        assert not psutil.pid_exists(hanging.pid)
        painter._maker._picture_s_max = 30.0
        assert (await painter.png(player(seed=2))).startswith(PNG)
    finally:
        await painter.aclose()


async def test_a_painter_that_always_fails_is_told_as_busy() -> None:
    failing = "tests.site.previews.failing"
    painter = PreviewPainter(PictureMaker(child=failing))
    with pytest.raises(PreviewsBusy) as raised:
        await painter.png(player())
    assert raised.value.headers == {"Retry-After": "5"}
    assert children(failing) == []


async def test_whoever_leaves_takes_no_picture_from_others(painter: PreviewPainter) -> None:
    leaving = asyncio.create_task(painter.png(player()))
    staying = asyncio.create_task(painter.png(player()))
    await asyncio.sleep(0)
    leaving.cancel()
    assert (await staying).startswith(PNG)


async def test_a_picture_that_many_ask_for_is_painted_once_and_then_kept() -> None:
    maker = CountingMaker()
    painter = PreviewPainter(maker)
    asked = [asyncio.create_task(painter.png(player())) for _ in range(200)]
    await asyncio.sleep(0)
    maker.may.set()
    assert len({id(png) for png in await asyncio.gather(*asked)}) == 1
    await painter.png(player())
    assert maker.made == 1
    await painter.png(player("Someone else"))
    assert maker.made == 2


async def test_only_so_many_pictures_wait_and_then_there_is_room_again() -> None:
    maker = CountingMaker()
    painter = PreviewPainter(maker, waiting_max=3)
    waiting = [asyncio.create_task(painter.png(player(seed=seed))) for seed in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(PreviewsBusy):
        await painter.png(player(seed=9))
    # Who asks for one of those that are coming takes no place.
    same = asyncio.create_task(painter.png(player(seed=0)))
    maker.may.set()
    await asyncio.gather(*waiting, same)
    assert await painter.png(player(seed=9))
    assert maker.made == 4


async def test_pictures_are_kept_up_to_a_limit_and_those_asked_for_longest_ago_go_first() -> None:
    maker = CountingMaker(size=1000)
    maker.may.set()
    painter = PreviewPainter(maker, kept_bytes_max=3500)
    ada, bea, cam, dot = (player(name) for name in ("Ada", "Bea", "Cam", "Dot"))

    async def made_by(preview: Preview) -> int:
        before = maker.made
        await painter.png(preview)
        return maker.made - before

    assert [await made_by(each) for each in (ada, bea, cam, ada, dot)] == [1, 1, 1, 0, 1]
    assert [await made_by(each) for each in (ada, cam, dot, bea)] == [0, 0, 0, 1]
    assert sum(map(len, painter._kept.values())) <= 3500
    maker.size = 5000
    await painter.png(player("Too large to be kept"))
    assert sum(map(len, painter._kept.values())) == painter._kept_bytes == 0


async def test_making_pictures_takes_bounded_memory_and_none_of_our_secrets(
    painter: PreviewPainter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_ADMIN_KEY", "secret")
    await painter.png(player(seed=0))
    maker = child()
    assert set(maker.environ()) == {"PYTHONPATH"} | ({"LC_CTYPE"} & set(maker.environ()))
    before = maker.memory_info().rss
    for seed in range(1, 25):
        await painter.png(player(seed=seed))
    assert child().pid == maker.pid
    assert maker.memory_info().rss < before * 1.5
    assert maker.rlimit(psutil.RLIMIT_AS) == (256 << 20, 256 << 20)
    assert maker.rlimit(psutil.RLIMIT_CPU)[0] <= maker.cpu_times().user + 7


async def test_nothing_is_left_when_a_painter_is_stopped() -> None:
    painter = PreviewPainter()
    running = asyncio.create_task(painter.run())
    await painter.png(player())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert children() == []
