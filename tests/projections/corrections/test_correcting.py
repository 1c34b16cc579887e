"""Pages while and after a correction comes in parts: boards, profiles, sources and search."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from services.projections.building.rebuild import build_missing_views, rebuild_view
from services.projections.views import all_views
from shared.events.codec import decode_verdict, encode_verdict
from shared.events.facts import SessionCorrected, SessionSubmitted, SessionsVoided
from shared.events.verdicts import RatingsCorrected
from shared.feed.advancing import advance
from shared.feed.feed import Feed, read_live
from shared.ids import session_id
from tests.conftest import Database
from tests.feed.tally import until_it_shows
from tests.log.chances import seeded_chance
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import LOG_ID, Round, Season
from tests.projections.told import ToldSeason

BOARDS = ("/v1/leaderboard", "/v1/leaderboard/west", "/v1/sources/club/leaderboard")


@pytest.fixture
async def told(database: Database) -> AsyncIterator[World]:
    """A world whose verdicts on the past have two players in a part."""
    season = ToldSeason(database.pool, players_in_part=2)
    async with asked(await a_world(season)) as world:
        yield world


@pytest.fixture(params=["by hand", "by the rater"])
async def either(request: pytest.FixtureRequest, database: Database) -> AsyncIterator[World]:
    """The same, and a world whose verdicts are the rater's."""
    pool = database.pool
    is_by_hand = request.param == "by hand"
    season = ToldSeason(pool, players_in_part=2) if is_by_hand else Season(pool)
    async with asked(await a_world(season)) as world:
        yield world


async def a_night_of_four(world: World) -> tuple[list[str], list[str]]:
    """Let four Verified people play two sessions; return them and the sessions."""
    season = world.season
    club = await season.source("club", region="west")
    people = [await season.player(n, source=club, name=f"Player {n}") for n in range(1, 5)]
    for each in people:
        await season.verify(each)
    sessions = [
        (await season.play(club, table(people, (5, 4, 3, 2)), on="2026-01-10"))[0],
        (await season.play(club, table(people, (4, 6, 2, 1)), on="2026-01-20"))[0],
    ]
    await world.follow()
    return people, sessions


def table(people: list[str], mahjongs: tuple[int, ...]) -> Round:
    return Round(dict(zip(people, mahjongs, strict=True)))


async def one_record(world: World) -> None:
    """Let the views take in one more record and nothing else."""
    views = {view.name: view for view in all_views()}
    builds = await read_live(world.pool, views)
    await advance(world.pool, world.season.log, builds, views, records_max=1)


async def pages(world: World, people: list[str]) -> list[Any]:
    paths = [*BOARDS, *(f"/v1/players/{each}" for each in people)]
    return [await world.get(path) for path in paths]


async def test_pages_say_which_part_of_a_correction_they_are_at(told: World) -> None:
    people, sessions = await a_night_of_four(told)
    assert {page["correcting"] for page in await pages(told, people)} == {None}
    before = {each: await told.get(f"/v1/players/{each}") for each in people}
    fact_seq = await told.season.tell(SessionsVoided((sessions[1],), "not_played"))
    await one_record(told)
    for page in await pages(told, people):
        assert page["correcting"] == {"part": 1, "parts": 2}
    board = await told.get(BOARDS[0])
    assert board["seq"] == fact_seq - 1
    # Those of the first part stand where the correction leaves them, and the others as before.
    half = {each: await told.get(f"/v1/players/{each}") for each in people}
    moved = [each for each in people if half[each]["fact_seq"] == fact_seq]
    assert len(moved) == 2
    for each in people:
        sessions_count, last = (1, "2026-01-10") if each in moved else (2, "2026-01-20")
        assert (half[each]["sessions"], half[each]["last_played"]) == (sessions_count, last)
        assert half[each]["games"] == (14 if each in moved else 27)
        if each not in moved:
            ignored = {"correcting": None, "global_rank": None}
            assert half[each] | ignored == before[each] | ignored
    await one_record(told)
    assert {page["correcting"] for page in await pages(told, people)} == {None}
    assert (await told.get(BOARDS[0]))["seq"] == fact_seq
    for each in people:
        profile = await told.get(f"/v1/players/{each}")
        assert (profile["sessions"], profile["last_played"]) == (1, "2026-01-10")
        assert profile["games"] == 14


async def test_a_voided_session_leaves_the_counts_of_its_source_and_a_correction_comes_in(
    either: World,
) -> None:
    people, sessions = await a_night_of_four(either)
    ada, bo, cy, drew = people
    await either.season.source("league", kind="league")
    other, _ = await either.season.play("league", Round({ada: 2, bo: 0}), on="2026-01-25")
    await either.follow()
    assert counts(await either.get("/v1/sources/league")) == (1, 1, 2, 2, 0, "2026-01-25")
    board = await either.get("/v1/sources/league/leaderboard", min_games=1)
    assert {row["player_id"] for row in board["players"]} == {ada, bo}
    await either.season.tell(SessionsVoided((other,), "test_entry"))
    await either.season.tell(SessionsVoided((sessions[1], other), "test_entry"))
    await either.follow()
    assert counts(await either.get("/v1/sources/league")) == (0, 0, 0, 0, 1, None)
    assert counts(await either.get("/v1/sources/club")) == (1, 1, 14, 4, 1, "2026-01-10")
    board = await either.get("/v1/sources/league/leaderboard", min_games=1)
    assert board["players"] == []
    # A correction takes the place of the voided session, and it is voided no longer.
    instead = SessionSubmitted(
        session_id(1_770_000_000_000, 77),
        "league",
        "2026-01-05",
        "social",
        (Round({cy: 1, drew: 1}, 1).played(), Round({cy: 0, drew: 1}).played()),
        (),
    )
    await either.season.tell(SessionCorrected(other, "wrong_players", instead))
    await either.follow()
    assert counts(await either.get("/v1/sources/league")) == (1, 2, 4, 2, 0, "2026-01-05")
    board = await either.get("/v1/sources/league/leaderboard", min_games=1)
    assert {row["player_id"] for row in board["players"]} == {cy, drew}
    assert (await either.get(f"/v1/players/{cy}"))["sessions"] == 2


def counts(source: Any) -> tuple[object, ...]:
    names = ("sessions", "rounds", "games", "players", "sessions_voided", "last_session")
    return tuple(source[name] for name in names)


async def assert_nowhere(world: World, player: str, boards: Sequence[str]) -> None:
    """Check that no board shows a player, and that no search finds them."""
    for path in boards:
        page = await world.get(path, min_games=0)
        assert player not in {row["player_id"] for row in page["players"]}
    for words in ("player", player):
        found = (await world.get("/v1/players/search", q=words))["players"]
        assert player not in {row["player_id"] for row in found}


async def test_a_merged_player_is_nowhere_and_the_survivor_wherever_either_was(
    either: World,
) -> None:
    (ada, *others), _ = await a_night_of_four(either)
    await either.season.source("league", kind="league")
    twin = await either.season.player(9, name="Player 9")
    guest = await either.season.player(10, name="Player 10")
    await either.season.verify(guest)
    await either.season.play("league", table([twin, guest], (9, 3)), on="2026-01-27")
    await either.follow()
    every_board = (*BOARDS, "/v1/sources/league/leaderboard")
    before = [await either.get(path) for path in every_board]
    sources = await either.get("/v1/sources")
    assert (await either.get(f"/v1/players/{twin}"))["tier"] == "provisional"

    await either.season.merge(ada, twin)
    await either.follow()
    # Verified because the merged one is, on the boards of the sources of both, with all sessions.
    profile = await either.get(f"/v1/players/{twin}")
    assert (profile["tier"], profile["sessions"]) == ("verified", 3)
    assert (profile["games"], profile["last_played"]) == (27 + 12, "2026-01-27")
    for source in ("club", "league"):
        board = await either.get(f"/v1/sources/{source}/leaderboard", min_games=0)
        assert twin in {row["player_id"] for row in board["players"]}
    await assert_nowhere(either, ada, every_board)
    assert (await either.get("/v1/sources/club"))["players"] == 4
    assert (await either.get("/v1/sources/league"))["players"] == 2
    # What is played by either address while they are one goes back with the unmerge.
    night, _ = await either.season.play("league", Round({ada: 1, others[0]: 0}), on="2026-01-30")
    await either.follow()
    assert (await either.get(f"/v1/players/{twin}"))["sessions"] == 4
    await either.season.unmerge(ada, twin)
    await either.follow()
    mine, theirs = [await either.get(f"/v1/players/{each}") for each in (ada, twin)]
    shown = [(each["sessions"], each["last_played"], each["tier"]) for each in (mine, theirs)]
    assert shown == [(3, "2026-01-30", "verified"), (1, "2026-01-27", "provisional")]
    await either.season.tell(SessionsVoided((night,), "not_played"))
    await either.follow()
    after = [await either.get(path) for path in every_board]
    assert [page["players"] for page in after] == [page["players"] for page in before]
    again = await either.get("/v1/sources")
    assert [dict(each, sessions_voided=0) for each in again["sources"]] == sources["sources"]


async def test_a_private_member_hides_the_survivor_and_an_unmerge_shows_it_again(
    either: World,
) -> None:
    people, _ = await a_night_of_four(either)
    ada = people[0]
    twin = await either.season.player(9, is_private=True)
    await either.season.merge(twin, ada)
    await either.follow()
    assert (await either.ask(f"/v1/players/{ada}")).status_code == 404
    board = await either.get(BOARDS[0], min_games=0)
    assert ada not in {row["player_id"] for row in board["players"]}
    assert (await either.get("/v1/sources/club"))["players"] == 3
    await either.season.change(twin, is_private=False)
    await either.follow()
    assert (await either.get("/v1/sources/club"))["players"] == 4
    await either.season.change(twin, is_private=True)
    await either.follow()
    assert (await either.get("/v1/sources/club"))["players"] == 3
    await either.season.unmerge(twin, ada)
    await either.follow()
    assert (await either.get(f"/v1/players/{ada}"))["sessions"] == 2
    board = await either.get(BOARDS[0], min_games=0)
    assert ada in {row["player_id"] for row in board["players"]}


async def test_a_view_is_rebuilt_while_corrections_come_in_and_between_their_parts(
    told: World,
) -> None:
    people, sessions = await a_night_of_four(told)
    for name in ("profiles", "leaderboards", "sources"):
        night, _ = await told.season.play("club", table(people, (2, 3, 4, 5)))
        await told.season.tell(SessionsVoided((night,), "entered_twice"))
        await told.follow()
        again, _ = await told.season.play("club", table(people, (5, 3, 4, 2)))
        await told.season.tell(SessionsVoided((again,), "entered_twice"))
        await one_record(told)
        await one_record(told)
        (live,) = [
            each
            for each in await read_live(told.pool, {view.name: view for view in all_views()})
            if each.view == name
        ]
        assert live.correcting == (1, 2)
        feed = Feed(told.pool, told.season.log, all_views(), records_max=1)
        rebuilt, _ = await asyncio.gather(
            rebuild_view(name, pool=told.pool, log=told.season.log), feed.step()
        )
        assert rebuilt.rows_equal is True
        await told.follow()
    assert (await told.get(f"/v1/players/{people[0]}"))["sessions"] == 2
    assert len(sessions) == 2


async def test_a_process_that_ends_between_parts_goes_on_with_the_next_one(told: World) -> None:
    people, sessions = await a_night_of_four(told)
    await told.season.tell(SessionsVoided((sessions[0],), "entered_twice"))
    await one_record(told)
    # Another process, which knows nothing but the tables.
    assert not await build_missing_views(all_views(), pool=told.pool, log=told.season.log)
    feed = Feed(told.pool, told.season.log, all_views())
    while await feed.step():
        pass
    for name in ("profiles", "leaderboards", "sources"):
        rebuilt = await rebuild_view(name, pool=told.pool, log=told.season.log)
        assert rebuilt.rows_equal is True
    assert (await told.get(f"/v1/players/{people[0]}"))["sessions"] == 1


class PartedSeason(Season):
    """The rater answers, and tells what moved in parts of two players."""

    async def tell_raw(self, body: bytes) -> int:
        assert self._writer is not None
        (record,) = await self.facts.append([body])
        self._fact_seq = record.seq
        bodies = [part for body in self._rater.answer(record) for part in in_twos(body)]
        await self._writer.append(bodies, fact_seq=record.seq)
        return record.seq


def in_twos(body: bytes) -> list[bytes]:
    """Return the parts of two players that a verdict has, or the verdict as it is."""
    verdict = decode_verdict(body)
    event = verdict.event
    if not isinstance(event, RatingsCorrected):
        return [body]
    columns = [name for name, value in event.to_json().items() if isinstance(value, tuple)]
    starts = range(0, max(1, len(event.players)), 2)
    parts = []
    for part, start in enumerate(starts, start=1):
        cut: dict[str, Any] = {name: getattr(event, name)[start : start + 2] for name in columns}
        if part > 1:
            cut |= {"data": {}, "session": None}
        answers = verdict.answers._replace(part=part, parts=len(starts))
        parts.append(
            encode_verdict(
                replace(event, **cut),
                answers,
                log_id=LOG_ID,
                time=verdict.time,
                subject=verdict.subject,
            )
        )
    return parts


@dataclass
class ChangingPast:
    """A world in which the past changes while boards are read, until it is over.

    Of eight people the first and the last are one, and never meet.
    """

    world: World
    chance: random.Random
    clubs: list[str]
    people: list[str]
    nights: list[str] = field(default_factory=list)
    is_merged: bool = False
    is_over: bool = False

    async def change_the_past(self) -> None:
        while not self.is_over:
            await self._change_something()
            await until_it_shows(self.world.feed, self.world.season._fact_seq - 20)

    async def _change_something(self) -> None:
        season, chance = self.world.season, self.chance
        what, (one, two) = chance.random(), chance.sample(self.people, 2)
        if {one, two} == {self.people[0], self.people[-1]}:
            merge = season.unmerge if self.is_merged else season.merge
            await merge(self.people[-1], self.people[0])
            self.is_merged = not self.is_merged
        elif what < 0.6 or not self.nights:
            played = Round({one: 2, two: 1}, chance.randint(0, 2))
            self.nights.append((await season.play(chance.choice(self.clubs), played))[0])
        elif what < 0.9:
            left_out = tuple(chance.sample(self.nights, min(len(self.nights), 3)))
            await season.tell(SessionsVoided(left_out, "other"))
        else:
            await season.change(one, is_private=chance.random() < 0.5)

    async def read(self) -> None:
        seq = 0
        while not self.is_over:
            page = await self.world.get("/v1/leaderboard", min_games=0)
            assert page["seq"] >= seq
            seq = page["seq"]
            assert page["correcting"] is None or page["correcting"]["part"] >= 1


async def test_views_are_rebuilt_while_the_past_changes_under_load(database: Database) -> None:
    season = PartedSeason(database.pool)
    async with asked(await a_world(season)) as world:
        clubs = [await season.source(slug) for slug in ("club", "league")]
        people = [await season.player(n, source=clubs[0]) for n in range(1, 9)]
        for each in people[:-1]:
            await season.verify(each)
        world.feed = Feed(database.pool, season.log, all_views(), records_max=1)
        past = ChangingPast(world, seeded_chance(), clubs, people)
        feeding = asyncio.create_task(world.feed.run())
        others = [asyncio.create_task(past.change_the_past()), asyncio.create_task(past.read())]
        try:
            for name in ("profiles", "leaderboards", "sources", "profiles"):
                rebuilt = await rebuild_view(name, pool=database.pool, log=season.log)
                assert rebuilt.rows_equal is not False, rebuilt
        finally:
            past.is_over = True
            await asyncio.gather(*others)
            feeding.cancel()
            await asyncio.wait([feeding])
        await world.follow()
        for view in all_views():
            rebuilt = await rebuild_view(view.name, pool=database.pool, log=season.log)
            assert rebuilt.rows_equal is True, rebuilt
        told = await season.log.read(await season.log.beginning(), 1_000_000)
        parts = Counter(decode_verdict(record.body).answers.fact_seq for record in told)
        assert max(parts.values()) > 1, "A past that changes at once proves nothing."
