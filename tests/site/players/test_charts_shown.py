"""The chart of a player and the record beside it, in words and within the bytes of a first view."""

import gzip
import re
from collections.abc import AsyncIterator

import pytest

from tests.conftest import Database
from tests.projections.conftest import a_world, asked
from tests.projections.season import Round, Season, mj
from tests.projections.told_history import Told
from tests.site.players.conftest import READER, SiteWorld, reading

ALICE, BO, CAROL = (mj(number) for number in range(1, 4))
FIRST_VIEW_BYTES_MAX = 60 * 1024
OFTEN = 2_000


class OftenPlayed(Season):
    """One player who has played more sessions than a chart shows as a table beside it."""

    async def open(self) -> "OftenPlayed":
        await super().open()
        await self.source("club")
        people = [await self.player(number, source="club") for number in range(1, 6)]
        for who in people:
            await self.verify(who)
        await self.change(ALICE, name="Alice")
        for night in range(OFTEN):
            won = {who: (night * 7 + at * at * 5) % 4 for at, who in enumerate(people[:4])}
            won[people[night % 4]] += 1
            rounds = [Round(won, night % 3)] * (1 if night < OFTEN - 50 else 4)
            month, day = night // 28 % 12 + 1, night % 28 + 1
            await self.play("club", *rounds, on=f"{2010 + night // 336}-{month:02}-{day:02}")
        return self


@pytest.fixture
async def often(database: Database) -> AsyncIterator[SiteWorld]:
    season = OftenPlayed(database.pool)
    async with asked(await a_world(season)) as world:
        await world.follow()
        async with reading(Told(world, season)) as site:  # type: ignore[arg-type]
            yield site


async def first_view(site: SiteWorld, path: str) -> int:
    """Return the bytes that a first view of a page takes, without fonts and pictures."""
    headers = {**READER, "Accept-Encoding": "gzip"}
    total = 0
    async with site.client.stream("GET", path, headers=headers) as answer:
        html = gzip.decompress(b"".join([part async for part in answer.aiter_raw()]))
        total += int(answer.headers["content-length"])
    for file in set(re.findall(rb"/static/[\w.-]+\.(?:css|js)", html)):
        async with site.client.stream("GET", file.decode(), headers=headers) as answer:
            total += len(b"".join([part async for part in answer.aiter_raw()]))
    return total


async def test_a_player_of_2_000_sessions_is_quick_to_see(often: SiteWorld) -> None:
    page = await often.page(f"/players/{ALICE}")
    # The table of so many points has a page of its own.
    assert not list(page.all("table", class_="chart-table"))
    assert f"/players/{ALICE}/chart" in page.main.links()
    chart = await often.page(f"/players/{ALICE}/chart")
    assert len(chart.one("table", class_="chart-table").rows()) == 1 + OFTEN
    older = page.main.one("a", rel="next").attributes["href"]
    for path in (f"/players/{ALICE}", f"/players/{ALICE}/chart", older, f"/compare/{ALICE}/{BO}"):
        assert await first_view(often, path) < FIRST_VIEW_BYTES_MAX, path


async def test_every_point_is_a_row_of_a_table(site: SiteWorld) -> None:
    first, _ = await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.season.play("club", Round({ALICE: 0, BO: 3}))
    await site.told.void(first)
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    chart = await site.reads.players.chart(ALICE)
    rows = page.one("table", class_="chart-table").rows()[1:]
    assert [int(row[1].split()[0]) for row in rows] == [
        round(point["rating"]) for point in chart["points"]
    ]
    assert [row[2] for row in rows] == [
        "Session, taken back by a correction",
        "Session",
        "Correction",
    ]
    assert {len(list(page.all("svg", class_=size))) for size in ("wide", "narrow")} == {1}
    alone = await site.page(f"/players/{ALICE}/chart")
    assert alone.one("table", class_="chart-table").rows()[1:] == rows


async def test_a_correction_lowers_the_best_rating(site: SiteWorld) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 9, BO: 1}), on="2026-01-02")
    await site.season.play("club", Round({ALICE: 0, BO: 3}), on="2026-01-03")
    await site.follow()
    # 32 x (1 - 0.5) more than where everyone starts.
    assert "Best rating 1516 Jan 2, 2026" in (await site.page(f"/players/{ALICE}")).main.text
    await site.told.correct(session, Round({ALICE: 0, BO: 1}))
    await site.follow()
    text = (await site.page(f"/players/{ALICE}")).one("dl", class_="record").text
    assert "Best rating" in text
    assert "1516" not in text


async def test_a_record_is_of_what_counts(site: SiteWorld) -> None:
    await site.season.play("club", Round({ALICE: 2, BO: 1}, 3), Round({ALICE: 1, BO: 1}))
    session, _ = await site.season.play("club", Round({ALICE: 5, BO: 0}, 5))
    await site.told.void(session)
    await site.follow()
    record = (await site.page(f"/players/{ALICE}")).one("dl", class_="record").text
    assert record.startswith("Games 8 Won 3 38% Wall games 3 Best rating ")
    assert "Sessions 1" in record


async def test_only_a_voided_session_leaves_no_record(site: SiteWorld) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 5, BO: 0}))
    await site.told.void(session)
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    record = page.one("dl", class_="record").text
    assert record.startswith("Games 0 Won 0 Wall games 0 Best rating none yet Sessions 0")
    assert "1500" in page.one("div", class_="hero").text


async def test_two_charts_stand_over_each_other(site: SiteWorld) -> None:
    await site.season.change(ALICE, name="Alice")
    await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.follow()
    card = (await site.page(f"/compare/{ALICE}/{BO}")).one("section", class_="over")
    assert [each.attributes["class"] for each in card.one("svg", class_="wide").all("g")] == [
        "series a",
        "series b",
    ]
    assert "Alice, now 1516" in card.one("figcaption").text
    # Someone who has not played has no line.
    page = await site.page(f"/compare/{CAROL}/{mj(4)}")
    assert not list(page.all("svg", class_="chart"))
