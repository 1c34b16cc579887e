"""What stands on record after seats were reassigned, merged and not: by definition, from facts."""

import contextlib
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import asyncpg
import pytest

from services.ingest.changes.changeable import AlreadyCorrected
from services.ingest.changes.linking import PlayersMet
from services.ingest.changes.reseats import (
    AskedReseat,
    NotReseatable,
    NotSeated,
    Reseated,
    SeatTaken,
    reseat_player,
)
from services.ingest.claim.people import read_person
from services.ingest.people.download import everything_about
from services.ingest.people.own_merges import look_at_merge
from services.ingest.record.judging.judgment import Replayed
from services.ingest.record.judging.refusing import DuplicateSession
from services.ingest.record.known.groups import PlayerMerged
from services.ingest.record.waterline import Waterline
from services.operating.proofs.recorded import hold_record
from shared.errors import UnknownPlayer, UnknownSession
from shared.events.facts import PlayedRound, SeatsReassigned, SessionSubmitted
from shared.ids import BOB
from tests.ingest.changes.linking.merges import (
    IDS_AND_TIMES,
    NAMES,
    Links,
    all_on_record,
    check_links,
    check_prints,
    events_on,
    links_after,
    merge,
    outcome,
    session,
    sessions_in,
    submit,
    survivor,
    unmerge,
    void,
)
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import NOW, SOURCES
from tests.log.chances import seeded_chance
from tests.replay_by_hand.history import Sessions, seated

HOME, AWAY = SOURCES


async def reseat(
    pool: asyncpg.Pool, player_id: str, numbers: Sequence[int], email: str
) -> Reseated:
    """Give the player's seats in the sessions of some submissions to an address."""
    text = email if "@" in email else f"{email}@example.com"
    asked = AskedReseat(player_id, tuple(map(session, numbers)), read_person(text))
    async with pool.acquire() as connection, Waterline().writing(connection) as writing:
        return await reseat_player(connection, writing, asked, IDS_AND_TIMES)


async def check_reseats(pool: asyncpg.Pool) -> None:
    """Prints tell what is the same, by whoever was sent and by whoever sits there now."""
    events = await events_on(pool)
    links, now = links_after(events), Sessions([*enumerate(events, start=1)]).of
    same: dict[tuple[bytes, bytes | None], set[Any]] = defaultdict(set)
    for sent in sessions_in(events):
        rows, kept = await _prints_of(pool, sent.session_id)
        rounds = zip(rows, sent.rounds, now[sent.session_id].rounds, strict=True)
        for number, (prints, one, other) in enumerate(rounds, start=1):
            told = [_told(each, links) for each in (one, other)]
            assert (number in kept) == (told[0] != told[1])
            same[prints].add((sent.session_date, told[0]))
            same[kept.get(number, prints)].add((sent.session_date, told[1]))
    assert all(len(each) == 1 for each in same.values())
    assert len(set().union(*same.values())) == len(same)
    await _check_who_sits(pool, sessions_in(events), now)


async def _prints_of(pool: asyncpg.Pool, session_id: str) -> tuple[list[Any], dict[int, Any]]:
    """Return the prints of each round as sent, and those of the rounds with others in them."""
    sent = await pool.fetch(
        "SELECT * FROM mahjic.round_prints WHERE session_id = $1 ORDER BY round_no", session_id
    )
    kept = await pool.fetch(
        "SELECT * FROM mahjic.reseated_prints WHERE session_id = $1", session_id
    )
    return (
        [(row["base_print"], row["points_print"]) for row in sent],
        {row["round_no"]: (row["base_print"], row["points_print"]) for row in kept},
    )


def _told(played: PlayedRound, links: Links) -> Any:
    points = played.points_centi or [None] * len(played.players)
    who = (survivor(each, links) for each in played.players)
    return played.games_played, frozenset(zip(who, played.mahjongs, points, strict=True))


async def _check_who_sits(
    pool: asyncpg.Pool, sent: Sequence[SessionSubmitted], now: Mapping[str, SessionSubmitted]
) -> None:
    seats: set[tuple[Any, ...]] = set()
    for each in sent:
        day = date.fromisoformat(each.session_date)
        was, sits = {*seated(each)} - {BOB}, {*seated(now[each.session_id])} - {BOB}
        seats |= {(who, day, each.session_id, who in was, who in sits) for who in was | sits}
    rows = await pool.fetch(
        "SELECT player_id, session_date, session_id, is_sent, sits FROM mahjic.seats"
    )
    assert set(map(tuple, rows)) == seats
    for row in await pool.fetch("SELECT session_id, seats FROM mahjic.reseats"):
        who = [[seat[0] for seat in table] for table in json.loads(row["seats"])]
        assert who == [[*each.players] for each in now[row["session_id"]].rounds]


async def check_proof(pool: asyncpg.Pool) -> None:
    """`mahjic verify` works out the same from the facts."""
    assert (await hold_record(pool, lambda *_: None)).differences == ()


async def test_what_is_sent_again_is_recognized_by_both(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    claim = a_session(a_round(ada=1, cy=0), a_round(ada=0, cy=2))
    other = a_session(a_round(dee=1, cy=0), a_round(dee=0, cy=2))
    await submit(pool, 1, claim, IDS_AND_TIMES)
    await reseat(pool, ids["ada"], [1], "dee")
    again = await submit(pool, 2, claim, IDS_AND_TIMES)
    assert isinstance(again, Replayed)
    assert again.session_id == session(1)
    # As it is seated: the source has named everyone in it elsewhere, and nobody is rated twice.
    await submit(pool, 3, a_session(a_round(dee=1, eve=0), on="2026-01-02"), IDS_AND_TIMES)
    seated_now = await submit(pool, 4, other, IDS_AND_TIMES)
    assert isinstance(seated_now, Replayed)
    assert seated_now.session_id == session(1)
    for number, sent in ((5, claim), (6, other)):
        elsewhere = await submit(pool, number, sent, IDS_AND_TIMES, source=AWAY)
        assert isinstance(elsewhere, DuplicateSession), number
    await check_reseats(pool)
    await reseat(pool, ids["dee"], [1], "ada")
    await check_reseats(pool)
    assert (await outcome(pool, 7, other, IDS_AND_TIMES)).startswith("accepted")


async def test_an_address_that_the_source_never_named_is_not_its_own_repeat(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, cy=0)), IDS_AND_TIMES)
    await reseat(pool, ids["ada"], [1], "karen")
    judged = await submit(pool, 2, a_session(a_round(karen=1, cy=0)), IDS_AND_TIMES)
    assert not isinstance(judged, Replayed)
    assert len(sessions_in(await events_on(pool))) == 1


async def test_the_same_again_is_answered_as_before(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    for number in (1, 2, 3):
        day = f"2026-01-0{number}"
        await submit(pool, number, a_session(a_round(ada=1, cy=0), on=day), IDS_AND_TIMES)
    first = await reseat(pool, ids["ada"], [1, 2], "karen")
    assert (first.session_ids, first.skipped) == ((session(1), session(2)), ())
    before = await all_on_record(pool)
    again = await reseat(pool, ids["ada"], [2, 1], "KAREN@example.com")
    assert (again.fact_seq, again.to, again.is_replayed) == (first.fact_seq, first.to, True)
    assert set(again.session_ids) == {session(1), session(2)}
    assert await all_on_record(pool) == before
    more = await reseat(pool, ids["ada"], [1, 3], "karen")
    assert (more.session_ids, more.skipped) == ((session(3),), (session(1),))
    assert await events_on(pool) == [
        *(await events_on(pool))[:-2],
        SeatsReassigned(ids["ada"], first.to, (session(1), session(2))),
        SeatsReassigned(ids["ada"], first.to, (session(3),)),
    ]


async def test_what_cannot_be_is_refused_and_changes_nothing(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    ada, bo = ids["ada"], ids["bo"]
    both = a_session(a_round(ada=1, cy=0), a_round(ada=1, bo=0), a_round(dee=1, bo=0))
    await submit(pool, 1, both, IDS_AND_TIMES)
    await submit(pool, 2, a_session(a_round(ada=1, cy=0), on="2026-01-02"), IDS_AND_TIMES)
    await submit(pool, 3, a_session(a_round(ada=1, cy=0), on="2026-01-03"), IDS_AND_TIMES)
    await submit(pool, 4, a_session(a_round(bo=1, cy=0), on="2026-01-04"), IDS_AND_TIMES)
    anonymous = a_session(a_round({"ANON:Nick": 1, "cy": 0}), on="2026-01-05")
    await submit(pool, 5, anonymous, IDS_AND_TIMES)
    nick = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE nickname IS NOT NULL")
    await void(pool, 3)
    await merge(pool, ids["eve"], ids["dee"], IDS_AND_TIMES)
    before = await all_on_record(pool)
    refused: list[tuple[type[Exception], str, list[int], str]] = [
        (UnknownPlayer, "MJ-00000000", [2], "karen"),
        (NotReseatable, BOB, [2], "karen"),
        (NotReseatable, nick, [5], "karen"),
        (NotReseatable, ada, [2], "ada"),
        (NotReseatable, ids["dee"], [1], "eve"),
        (PlayerMerged, ids["eve"], [1], "karen"),
        (UnknownSession, ada, [2, 99], "karen"),
        (NotSeated, ada, [2, 4], "karen"),
        (NotSeated, ada, [2, 3], "karen"),
        (SeatTaken, ada, [2, 1], "bo"),
        (SeatTaken, bo, [1], "eve"),
    ]
    for error, player_id, numbers, email in refused:
        with pytest.raises(error) as caught:
            await reseat(pool, player_id, numbers, email)
        if error is SeatTaken:
            rounds = [2] if email == "bo" else [3]
            told = [{"session_id": session(1), "rounds": rounds}]
            assert caught.value.extra == {"sessions": told}  # type: ignore[attr-defined]
    assert await all_on_record(pool) == before


async def test_whoever_got_a_seat_has_met_whoever_sat_there(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, cy=0)), IDS_AND_TIMES)
    given = await reseat(pool, ids["ada"], [1], "karen")
    assert given.to not in ids.values()
    assert not (await merge(pool, ids["ada"], ids["cy"], IDS_AND_TIMES)).is_replayed
    await check_reseats(pool)
    # Ada is Cy now, so the seat cannot go back.
    with pytest.raises(SeatTaken):
        await reseat(pool, given.to, [1], "ada")
    await unmerge(pool, ids["ada"], IDS_AND_TIMES)
    await reseat(pool, given.to, [1], "ada")
    await check_reseats(pool)


async def test_after_any_reseats_and_merges_the_record_is_what_the_facts_say(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    chance, reseated = seeded_chance(), 0
    for number in range(70):
        which = chance.random()
        if which < 0.4 or number < 5:
            rounds = [
                a_round(
                    dict(
                        zip(chance.sample(NAMES, 2), chance.choice([(1, 0), (1, 1)]), strict=True)
                    ),
                    points=chance.choice([(1, -1), (2, -2)]),
                )
                for _ in range(chance.randint(1, 2))
            ]
            claim = a_session(
                *rounds,
                on=chance.choice(["2026-01-01", "2026-01-02"]),
                game_type=chance.choice(["social", "league"]),
                allow_duplicate=True,
            )
            await submit(pool, number, claim, IDS_AND_TIMES, source=chance.choice(SOURCES))
        elif which < 0.6:
            await _merge_or_not(pool, sorted(ids.values()), chance)
        else:
            reseated += await _reseat_or_not(pool, ids, number, chance)
        await check_reseats(pool)
        await check_prints(pool)
    assert reseated > 5
    await check_links(pool)
    await check_proof(pool)


def _a_round(chance: random.Random) -> Claim:
    won = chance.choice([(1, 0), (1, 1)])
    points = chance.choice([(1, -1), (2, -2)])
    return a_round(dict(zip(chance.sample(NAMES, 2), won, strict=True)), points=points)


async def _merge_or_not(
    pool: asyncpg.Pool, player_ids: Sequence[str], chance: random.Random
) -> None:
    player_id, into = chance.sample(player_ids, 2)
    with contextlib.suppress(Exception):
        if chance.random() < 0.5:
            await unmerge(pool, player_id, IDS_AND_TIMES)
        else:
            await merge(pool, player_id, into, IDS_AND_TIMES)


async def _reseat_or_not(
    pool: asyncpg.Pool, ids: dict[str, str], until: int, chance: random.Random
) -> int:
    """Give away the seats of somebody who sits somewhere, or a few that mostly do not."""
    known = sessions_in(await events_on(pool))
    which = chance.choice(known)
    number = next(each for each in range(until) if session(each) == which.session_id)
    events = await events_on(pool)
    now = Sessions([*enumerate(events, start=1)]).of[which.session_id]
    player_id = survivor(chance.choice(seated(now)), links_after(events))
    with contextlib.suppress(
        NotSeated, NotReseatable, SeatTaken, PlayerMerged, UnknownSession, AlreadyCorrected
    ):
        found = await reseat(pool, player_id, [number], chance.choice(NAMES))
        return int(not found.is_replayed)
    return 0


async def test_what_people_are_told_about_themselves_goes_by_who_sits_there(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    for number, day in ((1, "2026-01-01"), (2, "2026-01-02")):
        await submit(pool, number, a_session(a_round(ada=1, cy=0), on=day), IDS_AND_TIMES)
    await reseat(pool, ids["ada"], [2], "dee")
    expected = {"ada": [session(1)], "dee": [session(2)], "cy": [session(1), session(2)]}
    for name, sessions in expected.items():
        pieces = [each async for each in await everything_about(pool, [ids[name]], now=NOW)]
        (player,) = json.loads(b"".join(pieces))["players"]
        told = player["sessions"]
        assert [each["session_id"] for each in told] == sessions
        assert [len(each["rounds"]) for each in told] == [1] * len(sessions)
    async with pool.acquire() as connection:
        preview = await look_at_merge(connection, ids["ada"], ids["eve"])
        assert (preview.rounds, preview.sessions, preview.why_not) == (1, 1, None)
        # Dee sat with Cy, and so did Ada, but no longer there.
        assert (await look_at_merge(connection, ids["dee"], ids["ada"])).why_not is None
        met = await look_at_merge(connection, ids["dee"], ids["cy"])
        assert isinstance(met.why_not, PlayersMet)
