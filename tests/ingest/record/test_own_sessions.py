"""A source finds its own sessions by day, player and status, page by page, and nobody else's."""

import random
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pytest

from services.projections.answering.reading import LIVE
from services.projections.sessions.listing import (
    PASSED_MAX,
    READ_ALL,
    READ_ENDED,
    READ_OF_PLAYER,
    READ_STANDING,
)
from tests.ingest.changes.asking import ask, caught_up, correct, player_ids, void
from tests.ingest.claims import a_round, a_session
from tests.log.chances import seeded_chance
from tests.service import RunningService, bearer

PATH = "/v1/sessions"
PEOPLE = ("ada", "bo", "cy", "di")
DAYS = [f"2026-01-{day:02}" for day in range(10, 16)]


@dataclass(frozen=True)
class Known:
    """What the test knows of a session by the answers that it got."""

    session_id: str
    source: str
    day: str
    seq: int
    players: frozenset[str]
    status: str = "rated"


async def listed(
    service: RunningService, key: str, **asked: object
) -> tuple[list[dict[str, Any]], int]:
    """Return all sessions of a list, over all pages, and how many pages there were."""
    rows: list[dict[str, Any]] = []
    pages = 0
    parameters = {name.removesuffix("_"): str(value) for name, value in asked.items()}
    while True:
        answer = await service.client.get(PATH, params=parameters, headers=bearer(key))
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        page = answer.json()
        assert len(page["sessions"]) <= int(parameters.get("limit", 50))
        rows += page["sessions"]
        pages += 1
        if page["next_cursor"] is None:
            return rows, pages
        parameters["cursor"] = page["next_cursor"]


async def refused(service: RunningService, key: str, **asked: str) -> tuple[int, str]:
    answer = await service.client.get(PATH, params=asked, headers=bearer(key))
    return answer.status_code, answer.json()["code"]


async def a_season(
    service: RunningService, keys: dict[str, str], chance: random.Random
) -> list[Known]:
    """Play, void and correct at random, in no order of days."""
    known: list[Known] = []
    for number in range(40):
        source = chance.choice(sorted(keys))
        key = keys[source]
        own = [each for each in known if each.source == source and each.status == "rated"]
        table = chance.sample(PEOPLE, chance.randint(2, 4))
        day = chance.choice(DAYS)
        claim = a_session(a_round({who: number + at for at, who in enumerate(table)}), on=day)
        old = chance.choice(own) if own and chance.random() < 0.4 else None
        if old is None:
            answer = await service.submit(claim, key)
        elif chance.random() < 0.5:
            assert (await void(service, old.session_id, key)).status_code == 201
            known[known.index(old)] = replace(old, status="voided")
            continue
        else:
            claim = {**claim, "reason": "wrong_result"}
            answer = await correct(service, old.session_id, claim, key)
            known[known.index(old)] = replace(old, status="corrected")
        assert answer.status_code == 201, answer.text
        body = answer.json()
        known.append(Known(body["session_id"], source, day, body["seq"], frozenset(table)))
    await caught_up(service)
    return sorted(known, key=lambda each: (each.day, each.seq), reverse=True)


async def test_every_filter_and_every_page_is_that_of_the_model(service: RunningService) -> None:
    chance = seeded_chance()
    keys = {slug: await service.source_key(slug) for slug in ("a-club", "b-club")}
    operator = await service.operator_key()
    known = await a_season(service, keys, chance)
    ids = await player_ids(service)
    for _ in range(60):
        source = chance.choice(sorted(keys))
        first, last = sorted(chance.choices(DAYS, k=2))
        who = chance.choice(PEOPLE)
        status = chance.choice(("rated", "voided", "corrected", "refused", "accepted"))
        asked: dict[str, object] = {"limit": chance.choice((1, 2, 3, 7, 200))}
        expected = [each for each in known if each.source == source]
        if chance.random() < 0.5:
            asked |= {"from": first, "to": last}
            expected = [each for each in expected if first <= each.day <= last]
        if chance.random() < 0.5:
            asked["player"] = ids[who].lower()
            expected = [each for each in expected if who in each.players]
        if chance.random() < 0.5:
            asked["status"] = status
            expected = [each for each in expected if each.status == status]
        by = operator if chance.random() < 0.2 else keys[source]
        if by == operator:
            asked["source"] = source
        rows, _ = await listed(service, by, **asked)
        assert [each["session_id"] for each in rows] == [each.session_id for each in expected]
        for row, each in zip(rows, expected, strict=True):
            told = (row["session_date"], row["status"], row["fact_seq"], row["game_type"])
            assert told == (each.day, each.status, each.seq, "social")
            assert (row["rounds_count"], row["players_count"]) == (1, len(each.players))
            called = None if by == operator else "@"
            assert {one["player_id"] for one in row["players"]} == {
                ids[one] for one in each.players
            }
            assert all(
                (one["player"] or "").count("@") == (called == "@") for one in row["players"]
            )


async def test_a_row_says_what_it_corrects_and_what_changed_it(service: RunningService) -> None:
    key = await service.source_key()
    old = (await service.submit(a_session(a_round(ada=1, bo=0)), key)).json()["session_id"]
    claim = {
        **a_session(a_round({"ada": 0, "PRIVATE:bo@example.com": 1})),
        "reason": "wrong_result",
    }
    told = (await correct(service, old, claim, key)).json()
    rows, _ = await listed(service, key, min_seq=told["seq"])
    new = told["session_id"]
    assert [(each["session_id"], each["corrects"], each["corrected_by"]) for each in rows] == [
        (new, old, None),
        (old, None, new),
    ]
    assert [(each["status"], each["counts"], each["reason"]) for each in rows] == [
        ("rated", True, None),
        ("corrected", False, "wrong_result"),
    ]
    assert {each["player"] for each in rows[0]["players"]} == {
        "ada@example.com",
        "PRIVATE:bo@example.com",
    }


async def test_only_whose_sessions_they_are_and_the_operator_see_them(
    service: RunningService,
) -> None:
    key, other = await service.source_key("a-club"), await service.source_key("b-club")
    operator, auditor = await service.operator_key(), await service.auditor_key()
    await service.submit(a_session(a_round(ada=1, bo=0)), key)
    await caught_up(service)
    assert (await listed(service, other))[0] == []
    assert len((await listed(service, operator, source="a-club"))[0]) == 1
    assert len((await listed(service, key, source="a-club"))[0]) == 1
    assert await refused(service, other, source="a-club") == (422, "invalid_parameter")
    assert await refused(service, operator) == (422, "invalid_parameter")
    assert await refused(service, operator, source="no-club") == (404, "unknown_source")
    assert await refused(service, auditor, source="a-club") == (403, "not_allowed")
    assert (await service.client.get(PATH)).status_code == 401
    for asked in (
        {"player": "MJ-7K3Q9XZA"},
        {"from": "2026-1-5"},
        {"status": "gone"},
        {"limit": "0"},
        {"cursor": "W10"},
        {"min_seq": "-1"},
        {"form": "2026-01-05"},
    ):
        assert (await refused(service, key, **asked))[0] == 422


async def test_a_cursor_goes_on_with_its_own_list_only(service: RunningService) -> None:
    key = await service.source_key()
    for won in range(3):
        await service.submit(a_session(a_round(ada=won, bo=1)), key)
    page = await service.client.get(PATH, params={"limit": 1}, headers=bearer(key))
    cursor = page.json()["next_cursor"]
    assert await refused(service, key, cursor=cursor, status="voided") == (422, "wrong_cursor")
    rows, _ = await listed(service, key, cursor=cursor, limit=200)
    assert len(rows) == 2


async def test_whom_only_the_operator_named_is_found_by_the_operator_alone(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    elsewhere = await service.source_key("b-club")
    await service.submit(a_session(a_round({"PRIVATE:eve@example.com": 1, "di": 0})), elsewhere)
    old = (await service.submit(a_session(a_round(ada=1, bo=0)), key)).json()["session_id"]
    claim = {**a_session(a_round(ada=1, eve=0)), "reason": "wrong_players"}
    assert (await correct(service, old, claim, operator)).status_code == 201
    await caught_up(service)
    eve = (await player_ids(service))["eve"]
    assert (await listed(service, key, player=eve))[0] == []
    assert len((await listed(service, operator, player=eve, source="a-club"))[0]) == 1
    rows, _ = await listed(service, key)
    assert rows[0]["players_count"] == 2
    assert [each["player"] for each in rows[0]["players"]] == ["ada@example.com"]
    assert eve not in str(rows)


async def test_of_merged_players_a_source_learns_nothing_that_it_does_not_see(
    service: RunningService,
) -> None:
    key, operator = await service.source_key(), await service.operator_key()
    other = await service.source_key("b-club")
    first = (await service.submit(a_session(a_round(ada=1, bo=0)), key)).json()
    await service.submit(a_session(a_round({"PRIVATE:mine@example.com": 1, "di": 0})), other)
    await service.submit(a_session(a_round({"PRIVATE:twin@example.com": 1, "di": 0})), other)
    ids = await player_ids(service)
    for moved, into in (("ada", "mine"), ("twin", "mine")):
        path = f"/v1/admin/players/{ids[moved]}/merge"
        answer = await ask(service, path, {"into": ids[into]}, operator)
        assert answer.status_code == 201, answer.text
    await caught_up(service)
    # Its own answers call Ada by the id she is read as; what else is read so they do not say.
    for name, found in (("ada", 1), ("mine", 1), ("twin", 0), ("bo", 1), ("di", 0)):
        rows, _ = await listed(service, key, player=ids[name])
        assert [each["session_id"] for each in rows] == [first["session_id"]] * found, name
    assert len((await listed(service, other, player=ids["mine"]))[0]) == 2
    # Nor does a list name the id of an address that is read as another, or a session by itself.
    rows, _ = await listed(service, key)
    assert {one["player"]: one["player_id"] for one in rows[0]["players"]} == {
        "ada@example.com": ids["mine"],
        "bo@example.com": ids["bo"],
    }
    await service.stop_rating()
    await service.submit(a_session(a_round(ada=1, bo=0), on="2026-02-01"), key, prefer="wait=0")
    rows, _ = await listed(service, key)
    told = (await service.client.get(f"{PATH}/{rows[0]['session_id']}", headers=bearer(key))).json()
    for each in (told, *rows):
        assert {one["player_id"] for one in each["players"]} == {ids["mine"], ids["bo"]}
    assert ids["ada"] not in f"{told}{rows}"


FILL = """
INSERT INTO mahjic.submissions (session_id, source, status, fact_seq, place_seq, session_date,
    content_print, allowed_duplicate, submitted_at)
SELECT 'ses_' || lpad(n::text, 26, '0'), 'a-club',
    CASE WHEN n % 1000 = 7 THEN 'voided' ELSE 'accepted' END, n + 1000, n + 1000,
    date '2020-01-01' + (n % 2000), 'print', false, now()
FROM generate_series($1::int, $2::int) AS n
"""
SEAT = """
INSERT INTO mahjic.seats (player_id, session_date, session_id)
SELECT 'MJ-0000001Y', s.session_date, s.session_id FROM mahjic.submissions AS s
WHERE s.session_id >= 'ses_' || lpad($1::int::text, 26, '0')
    AND s.session_id <= 'ses_' || lpad($2::int::text, 26, '0') AND s.fact_seq % 5 = 0
"""
LIMIT = 51
ARGUMENTS = f"'a-club', 'infinity', {(1 << 63) - 1}, '-infinity'"
QUERIES = {
    "all": (READ_ALL, f"{ARGUMENTS}, {LIMIT}"),
    "rated": (READ_STANDING, f"{ARGUMENTS}, {PASSED_MAX}"),
    "voided": (READ_ENDED["voided"], f"{ARGUMENTS}, {LIMIT}"),
    "corrected": (READ_ENDED["corrected"], f"{ARGUMENTS}, {LIMIT}"),
    "player": (
        READ_OF_PLAYER,
        f"{ARGUMENTS}, {LIMIT}, ARRAY['MJ-0000001Y'], {PASSED_MAX}, 'infinity'",
    ),
}


@pytest.mark.parametrize("name", sorted(QUERIES))
async def test_a_page_of_ten_times_as_many_sessions_reads_as_many_pages_of_the_disk(
    service: RunningService, name: str
) -> None:
    """So that a source with a million sessions waits no longer than one with a hundred."""
    await service.source_key()
    counted = []
    for first, last in ((1, 10_000), (10_001, 100_000)):
        await service.pool.execute(FILL, first, last)
        await service.pool.execute(SEAT, first, last)
        await service.pool.execute("VACUUM ANALYZE mahjic.submissions")
        await service.pool.execute("VACUUM ANALYZE mahjic.seats")
        counted.append(await buffers(service, *QUERIES[name]))
    assert counted[1] <= 1.5 * counted[0] + 50, counted


async def buffers(service: RunningService, query: str, arguments: str) -> int:
    """Return how many pages of tables and indexes a query touches, planned for whatever comes."""
    schema = await service.pool.fetchval(
        "SELECT live_schema FROM mahjic.views WHERE name = 'sessions'"
    )
    text = query.format(live=LIVE.format(schemas=f"'{schema}'", count=1), sessions=schema)
    async with service.pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE planned AS {text}")
        told = await connection.fetchval(
            f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE planned({arguments})"
        )
        await connection.execute("DEALLOCATE planned")
    plan = orjson.loads(told)[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
