"""What the pages read is what follows from the facts by the shortest way there is.

MAHJIC_SEED repeats the histories of a run, MAHJIC_HISTORIES multiplies how many are tried.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from typing import Any

import orjson
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from services.projections.pages.board_pages import MOVED_DAYS
from services.projections.together.meetings import PAGE_ROUNDS
from services.projections.together.queries import OPPONENTS_MAX
from services.projections.views import all_views
from services.site.reads import SiteReads
from shared.db.server.embedded import EmbeddedServer
from shared.errors import UnknownPlayer
from shared.events.facts import FactEvent, SessionCorrected, SessionSubmitted
from shared.feed.feed import Feed
from tests.conftest import TEMPLATE, fresh_database
from tests.corrections.histories import facts_of
from tests.projections.conftest import TODAY, World, a_world, asked
from tests.projections.corrections.test_correction_laws import (
    LAWFUL,
    SEED,
    TIMES,
    parts,
    sizes,
    steps,
    with_lawful_ids,
)
from tests.projections.pages.conftest import reads_of
from tests.projections.told import ToldSeason
from tests.projections.told_history import whole_history
from tests.replay_by_hand.history import Sessions, merges, survivor
from tests.replay_by_hand.replay import Standing, last_answer

DAYS = 2 * MOVED_DAYS
PEOPLE = sorted(each for each in LAWFUL.values() if each.startswith("MJ"))
MET = ("rounds", "games", "won", "lost", "wall_games")
hidden_people = st.sets(st.sampled_from(PEOPLE), max_size=4)


@dataclass
class Played:
    """A world with a history, who is hidden in it, and what follows from its facts."""

    world: World
    season: ToldSeason
    pages: SiteReads
    hidden: Collection[str]
    days: dict[int, date]

    def __post_init__(self) -> None:
        self.links = merges(self.season.counted)

    def is_public(self, who: str) -> bool:
        """Return whether an id is a player whom everyone may see, with all who are merged in."""
        members = {each for each in PEOPLE if survivor(self.links, each) == who}
        return who in PEOPLE and who not in self.links and not members & set(self.hidden)

    def rounds(self) -> Iterator[tuple[tuple[int, int], str, dict[str, int], int, int]]:
        """Yield the rounds that count: place, session, who won how many, games, wall games."""
        seqs = {
            fact.session_id if isinstance(fact, SessionSubmitted) else fact.session.session_id: seq
            for seq, fact in self.season.counted
            if isinstance(fact, SessionSubmitted | SessionCorrected)
        }
        for session in Sessions(self.season.counted).live():
            for number, played in enumerate(session.rounds, start=1):
                won = {
                    survivor(self.links, each): mahjongs
                    for each, mahjongs in zip(played.players, played.mahjongs, strict=True)
                }
                place = (seqs[session.session_id], number)
                yield place, session.session_id, won, played.games_played, played.wall_games


@asynccontextmanager
async def a_played_world(
    server: EmbeddedServer,
    facts: Sequence[FactEvent],
    hidden: Collection[str],
    *,
    part: int | None,
    batch: int,
) -> AsyncIterator[Played]:
    """Tell all facts over as many days, and let all views follow in batches of so many verdicts."""
    async with fresh_database(server, template=TEMPLATE) as database:
        season = ToldSeason(database.pool, players_in_part=part)
        world = await a_world(season)
        world.feed = Feed(database.pool, season.log, all_views(), records_max=batch)
        async with asked(world):
            await season.source("a-club")
            for number, who in enumerate(LAWFUL.values(), start=1):
                if who.startswith("AN"):
                    await season.anonymous(number, "a-club")
                else:
                    await season.player(number, is_private=who in hidden)
            days = {}
            for number, fact in enumerate(facts[1:]):  # The season itself adopts the formula.
                day = TODAY - timedelta(days=DAYS - DAYS * number // len(facts))
                season.time = f"{day}T12:00:00.000000Z"
                days[await season.tell(fact)] = day
            await world.follow()
            yield Played(world, season, reads_of(world), hidden, days)


@seed(SEED)
@settings(max_examples=6 * TIMES)
@given(steps, parts, sizes, hidden_people)
async def test_all_that_pages_read_is_what_follows_from_the_facts(
    postgres_server: EmbeddedServer,
    steps: list[bytes],
    part: int | None,
    batch: int,
    hidden: set[str],
) -> None:
    print(f"MAHJIC_SEED={SEED}")  # noqa: T201 - pytest shows it with a failure.
    facts = with_lawful_ids(facts_of(steps))
    async with a_played_world(postgres_server, facts, hidden, part=part, batch=batch) as played:
        for who in PEOPLE:
            if played.is_public(who):
                await assert_met_as_counted(played, who)
                await assert_all_changes_by_session(played, who)
            else:
                await assert_hidden(played, who)
        await assert_together_as_counted(played)
        await assert_moved_as_rated(played)


async def assert_met_as_counted(played: Played, who: str) -> None:
    counted: dict[str, Counter[str]] = {}
    for _, _, won, games, wall_games in played.rounds():
        for other in won:
            if who in won and other != who and played.is_public(other):
                met = counted.setdefault(other, Counter())
                met.update(rounds=1, games=games, won=won[who], lost=won[other])
                met.update(wall_games=wall_games)
    most = sorted(
        counted, key=lambda each: (-counted[each]["rounds"], -counted[each]["games"], each)
    )
    answer = await played.pages.players.head_to_head(who)
    assert answer["opponents"] == [
        {"player_id": other, "name": other, **{name: counted[other][name] for name in MET}}
        for other in most[:OPPONENTS_MAX]
    ]
    assert answer["is_whole"]


async def assert_all_changes_by_session(played: Played, who: str) -> None:
    history = await whole_history(played.world, who)
    items = await all_sessions(played, who)
    told: list[Any] = []
    for item in items:
        told += [item] if item["type"] == "correction" else item["rounds"]
    assert as_wire(sorted(told, key=place_of)) == sorted(history, key=place_of)
    for item in items:
        if item["type"] == "session":
            for pool in ("mahjic", "verified"):
                first, last = item["rounds"][0][pool], item["rounds"][-1][pool]
                assert item[pool]["rating_before"] == first["rating_before"]
                assert item[pool]["rating_after"] == last["rating_after"]
                assert item[pool]["games_after"] == last["games_after"]


async def all_sessions(played: Played, who: str) -> list[Any]:
    """Return the items of all pages of a player's sessions."""
    page = await played.pages.players.sessions(who)
    items = [*page["items"]]
    while page["older_cursor"] is not None:
        page = await played.pages.players.sessions(who, cursor=page["older_cursor"])
        items += page["items"]
    return items


async def assert_together_as_counted(played: Played) -> None:
    public = [each for each in PEOPLE if played.is_public(each)]
    histories = {
        who: {each["change_id"]: each for each in await whole_history(played.world, who)}
        for who in public
    }
    for one, other in combinations(public, 2):
        await assert_pair_as_counted(played, one, other, histories)
        await assert_pair_as_counted(played, other, one, histories)


async def assert_pair_as_counted(
    played: Played, one: str, other: str, histories: dict[str, dict[str, Any]]
) -> None:
    together = (await played.pages.players.comparison(one, other))["together"]
    assert together is not None
    expected = sorted(
        (place, session, games, won[one], won[other], wall_games)
        for place, session, won, games, wall_games in played.rounds()
        if one in won and other in won
    )[::-1]
    assert together["record"] == {
        "rounds": len(expected),
        "games": sum(each[2] for each in expected),
        "won": sum(each[3] for each in expected),
        "lost": sum(each[4] for each in expected),
        "wall_games": sum(each[5] for each in expected),
    }
    found = [
        (each["session_id"], each["round_number"], each["games"], each["won"], each["lost"])
        for each in together["rounds"]
    ]
    assert found == [(each[1], each[0][1], *each[2:5]) for each in expected[:PAGE_ROUNDS]]
    for (place, *_), each in zip(expected, together["rounds"], strict=False):
        assert_change_as_published(place, each, histories[one], histories[other])


def assert_change_as_published(
    place: tuple[int, int], told: Any, own: dict[str, Any], theirs: dict[str, Any]
) -> None:
    """Check what a round tells of both players: the change at its place in each history, if any."""
    for side, history in (("", own), ("other_", theirs)):
        ids = [each for each in history if each.endswith(f".{place[0]}.{place[1]}")]
        assert told[f"{side}change_id"] == (ids[0] if ids else None)
        if not ids:
            assert told[f"{side}rating_change"] is None
            assert told[f"{side}verified_rating_change"] is None
            continue
        change = history[ids[0]]
        assert told[f"{side}rating_change"] == change["mahjic"]["rating_change"]
        pool = change["verified"]
        counted = pool["games_after"] > pool["games_before"]
        expected = pool["rating_change"] if counted else None
        assert told[f"{side}verified_rating_change"] == expected


async def assert_moved_as_rated(played: Played) -> None:
    since = TODAY - timedelta(days=MOVED_DAYS)
    earlier = [each for each in played.season.counted if played.days.get(each[0], date.min) < since]
    before = last_answer(earlier).standings
    now = played.season.standings
    answer = await played.pages.boards.leaderboard(min_games=0, limit=200)
    shown = [each["player_id"] for each in answer["board"]["players"]]
    assert answer["changes"] == {
        who: (now[who].verified_rating_centi - before.get(who, Standing()).verified_rating_centi)
        / 100
        for who in shown
    }


async def assert_hidden(played: Played, who: str) -> None:
    """Check that there is nobody: the same error, whatever is asked, as for an unknown id."""
    players = played.pages.players
    public = next((each for each in PEOPLE if played.is_public(each)), None)
    asked: list[Awaitable[object]] = [
        players.profile(who),
        players.sessions(who),
        players.head_to_head(who),
    ]
    for read in asked:
        with pytest.raises(UnknownPlayer):
            await read
    if public is not None:
        for pair in ((who, public), (public, who)):
            with pytest.raises(UnknownPlayer):
                await players.comparison(*pair)


def as_wire(changes: list[Any]) -> list[Any]:
    """Return changes as /v1 sends them."""
    wire: list[Any] = orjson.loads(orjson.dumps(changes))
    return wire


def place_of(change: Any) -> tuple[int, str]:
    return change["fact_seq"], change["change_id"]
