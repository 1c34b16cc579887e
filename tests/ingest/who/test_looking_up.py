"""A source looks up whom it had, by what it called them; of everybody else it is told nothing."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.conftest import Database
from tests.ingest.answers import problem
from tests.ingest.changes.asking import ask, caught_up, player_ids, void
from tests.ingest.claims import Claim, a_round, a_session
from tests.service import RunningService, bearer, running_service

HILDA = "PRIVATE:hilda@example.com"
NUMBERS = ("rating", "games", "verified_rating", "verified_games")


def named(claim: Claim, **names: str) -> Claim:
    """Give seats of a round the names that the source sends beside their addresses."""
    for seat in claim["players"]:
        for who, name in names.items():
            if seat["email"].startswith((who, f"PRIVATE:{who}", f"ANON:{who}")):
                seat["name"] = name
    return claim


@dataclass
class Two:
    """Two clubs, each with players of its own and some that both had; ours played first."""

    service: RunningService
    ours: str
    theirs: str
    operator: str
    first: str
    ids: dict[str, str]

    async def who(self, key: str, **asked: Any) -> list[dict[str, Any]]:
        answer = await ask(self.service, "/v1/people/lookup", asked, key)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        people: list[dict[str, Any]] = answer.json()["people"]
        return people


@pytest.fixture
async def two(database: Database) -> AsyncIterator[Two]:
    async with running_service(database) as service:
        ours, theirs = await service.source_key(), await service.source_key("b-club")
        mine = named(
            a_round({"ada": 3, HILDA: 1, "ANON:Lucky Luke": 0}), ada="Ada Brown", hilda="Hildé"
        )
        first = await service.submit(a_session(mine), ours)
        assert first.status_code == 201
        other = named(
            a_round({"ada": 1, "hilda": 3, "zoe": 2}), ada="Auntie", hilda="Hilly", zoe="Zoe Brown"
        )
        assert (await service.submit(a_session(other, on="2026-02-01"), theirs)).status_code == 201
        await caught_up(service)
        operator = await service.operator_key()
        ids = await player_ids(service)
        yield Two(service, ours, theirs, operator, first.json()["session_id"], ids)


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("ada@example.com", ["ada@example.com"]),
        (" ADA@Example.com", ["ada@example.com"]),
        ("PRIVATE:ada@example.com", ["ada@example.com"]),
        ("hilda@example.com", [HILDA]),
        ("ANON:lucky LUKE", ["ANON:Lucky Luke"]),
        ("brown", ["ada@example.com"]),
        ("rOw", ["ada@example.com"]),
        ("hilde", [HILDA]),
        ("luke", ["ANON:Lucky Luke"]),
        # Only they call them so, or have them.
        ("Auntie", []),
        ("Hilly", []),
        ("Zoe", []),
        ("zoe@example.com", []),
        ("nobody@example.com", []),
        ("ANON:Nobody", []),
        ("bob@mahjic.org", []),
        ("...", []),
        ("%", []),
    ],
)
async def test_a_source_finds_whom_it_had_by_what_it_called_them(
    two: Two, who: str, expected: list[str]
) -> None:
    assert [each["player"] for each in await two.who(two.ours, who=who)] == expected


async def test_of_public_players_it_is_told_the_present_and_of_others_its_own_last_numbers(
    two: Two,
) -> None:
    (ada,) = await two.who(two.ours, who="ada@example.com")
    profile = (await two.service.client.get(f"/v1/players/{two.ids['ada']}")).json()
    assert (ada["privacy"], ada["name"]) == ("public", "Ada Brown")
    assert [ada[name] for name in NUMBERS] == [profile[name] for name in NUMBERS]
    assert ada["games"] == 10
    (hilda,) = await two.who(two.ours, who="hilda@example.com")
    session = await two.service.client.get(f"/v1/sessions/{two.first}", headers=bearer(two.ours))
    (told,) = [each for each in session.json()["results"] if each["player"] == HILDA]
    assert hilda == {
        "player_id": two.ids["hilda"],
        "mahjic_id": two.ids["hilda"],
        "player": HILDA,
        "name": "Hildé",
        "privacy": "private",
        "last_session": {"session_id": two.first, "session_date": "2026-01-31"},
        "rating": told["rating_after"],
        "games": 4,
        "verified_rating": 1500,
        "verified_games": 0,
        "is_verified": None,
        "named_by": [],
    }
    (lucky,) = await two.who(two.ours, who="Luke")
    assert (lucky["privacy"], lucky["mahjic_id"], lucky["games"]) == ("anonymous", None, 4)
    # The other source hid nobody, and its numbers are those of its own night.
    (theirs,) = await two.who(two.theirs, who="hilda@example.com")
    assert (theirs["player"], theirs["name"]) == ("hilda@example.com", "Hilly")
    assert (theirs["privacy"], theirs["games"]) == ("private", 10)
    # What was voided gives no numbers.
    assert (await void(two.service, two.first, two.ours)).status_code == 201
    (hilda,) = await two.who(two.ours, who="hilda@example.com")
    assert (hilda["rating"], hilda["last_session"]) == (None, None)


async def test_a_look_up_registers_nobody_and_tells_of_a_stranger_what_it_tells_of_nobody(
    two: Two,
) -> None:
    tables = ("players", "people", "acquaintances", "people_changes", "facts", "private_words")

    async def rows() -> list[Any]:
        return [
            [tuple(row) for row in await two.service.pool.fetch(f"SELECT * FROM mahjic.{table}")]
            for table in tables
        ]

    before = await rows()
    asked: list[dict[str, Any]] = [
        {"who": "zoe@example.com"},
        {"who": "PRIVATE:nobody@example.com"},
        {"player_ids": [two.ids["zoe"]]},
        {"player_ids": ["MJ-0000001Y"]},
    ]
    answers = [await ask(two.service, "/v1/people/lookup", each, two.ours) for each in asked]
    assert len({each.text for each in answers}) == 1
    assert await rows() == before


async def test_who_is_merged_is_told_by_the_survivor_and_by_no_other_address(two: Two) -> None:
    path = f"/v1/admin/players/{two.ids['ada']}/merge"
    # They sat at one table, so not Hilda: somebody of theirs alone.
    voided = await two.service.pool.fetch("SELECT session_id FROM mahjic.submissions")
    for each in voided:
        if each["session_id"] != two.first:
            assert (await void(two.service, each["session_id"], two.theirs)).status_code == 201
    merged = await ask(two.service, path, {"into": two.ids["zoe"]}, two.operator)
    assert merged.status_code == 201, merged.text
    await caught_up(two.service)
    for asked in ({"who": "ada@example.com"}, {"player_ids": [two.ids["zoe"]]}):
        (ada,) = await two.who(two.ours, **asked)
        assert (ada["player_id"], ada["player"]) == (two.ids["zoe"], "ada@example.com")
        assert ada["games"] == 4
    assert await two.who(two.ours, who="zoe@example.com") == []


async def test_an_id_that_is_read_as_another_leads_only_who_may_see_it_to_the_rest(
    two: Two,
) -> None:
    for number, hidden in enumerate(("PRIVATE:twin@example.com", "PRIVATE:mine@example.com")):
        claim = a_session(a_round({hidden: 1, "di": 0}), on=f"2026-02-0{number + 2}")
        assert (await two.service.submit(claim, two.theirs)).status_code == 201
    # Whoever ours had as Kim is read as Twin, who is read as Mine.
    kim = a_session(a_round(kim=1, di=0), on="2026-02-09")
    assert (await two.service.submit(kim, two.ours)).status_code == 201
    ids = await player_ids(two.service)
    for moved, into in (("kim", "twin"), ("twin", "mine")):
        path = f"/v1/admin/players/{ids[moved]}/merge"
        assert (await ask(two.service, path, {"into": ids[into]}, two.operator)).status_code == 201
    await caught_up(two.service)
    for name, found in (("kim", True), ("mine", True), ("twin", False), ("zoe", False)):
        people = await two.who(two.ours, player_ids=[ids[name]])
        told = [(each["player"], each["player_id"]) for each in people]
        assert told == ([("kim@example.com", ids["mine"])] if found else []), name
    everybody = await two.who(two.operator, player_ids=[ids["mine"]])
    assert len(everybody) == 3


async def test_a_forgotten_player_is_found_by_nothing(two: Two) -> None:
    path = f"/v1/admin/players/{two.ids['ada']}/personal-data"
    gone = await two.service.client.delete(path, headers=bearer(two.operator))
    assert gone.status_code == 204
    for key, words in ((two.ours, "brown"), (two.theirs, "auntie"), (two.operator, "auntie")):
        assert await two.who(key, who="ada@example.com") == []
        assert two.ids["ada"] not in json.dumps(await two.who(key, who=words))
    kept = await two.service.pool.fetch("SELECT name FROM mahjic.acquaintances")
    assert {row["name"] for row in kept} == {None, "Hildé", "Hilly", "Zoe Brown"}


async def test_the_operator_finds_anybody_and_that_is_logged_without_the_address(
    two: Two,
) -> None:
    with capture_logs() as logs:
        (hilda,) = await two.who(two.operator, who="hilda@example.com")
    assert (hilda["player"], hilda["privacy"], hilda["games"]) == (
        "hilda@example.com", "private", 10,
    )  # fmt: skip
    assert hilda["named_by"] == [
        {"source": "a-club", "name": "Hildé"},
        {"source": "b-club", "name": "Hilly"},
    ]
    (line,) = [each for each in logs if each["event"] == "operator_looked_up"]
    assert line["players"] == [two.ids["hilda"]]
    assert "example.com" not in json.dumps(logs)
    assert [each["player"] for each in await two.who(two.operator, who="auntie")] == [
        "ada@example.com"
    ]
    # A nickname is its own source's alone.
    assert await two.who(two.operator, who="ANON:Lucky Luke") == []
    assert await two.who(two.operator, who="Luke") == []
    problem(
        await ask(two.service, "/v1/people/lookup", {"who": "x"}, await two.service.auditor_key()),
        403,
        "not_allowed",
    )


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({}, "/who"),
        ({"who": "ada", "player_ids": ["MJ-0000001Y"]}, "/who"),
        ({"who": "carol@"}, "/who"),
        ({"who": "ANON:"}, "/who"),
        ({"player_ids": ["MJ-0000001X"]}, "/player_ids/0"),
        ({"name": "ada"}, "/name"),
        ({"who": ""}, "/who"),
    ],
)
async def test_a_look_up_that_means_nobody_says_where_it_is_wrong(
    two: Two, asked: dict[str, Any], pointer: str
) -> None:
    body = problem(
        await ask(two.service, "/v1/people/lookup", asked, two.ours), 422, "claim_refused"
    )
    assert pointer in {each["pointer"] for each in body["errors"]}


async def test_what_was_submitted_is_said_before_it_is_rated_to_its_source_alone(
    service: RunningService,
) -> None:
    ours, theirs = await service.source_key(), await service.source_key("b-club")
    await service.stop_rating()
    claim = a_session(a_round({"Ada@example.com": 3, HILDA: 1, "ANON:Lucky": 0}))
    answer = await service.submit(claim, ours, prefer="respond-async")
    assert answer.status_code == 202
    players = answer.json()["players"]
    assert [each["player"] for each in players] == ["Ada@example.com", HILDA, "ANON:Lucky"]
    assert [each["mahjic_id"] is None for each in players] == [False, False, True]
    path = answer.headers["Location"]
    later = (await service.client.get(path, headers=bearer(ours))).json()
    kept = ["ada@example.com", HILDA, "ANON:Lucky"]
    assert [each["player"] for each in later["players"]] == kept
    assert [each["player_id"] for each in later["players"]] == [
        each["player_id"] for each in players
    ]
    operators = await service.client.get(path, headers=bearer(await service.operator_key()))
    assert {each["player"] for each in operators.json()["players"]} == {None}
    assert (await service.client.get(path, headers=bearer(theirs))).status_code == 404
    await service.start_rating()
    again = await service.submit(claim, ours)
    await caught_up(service)
    rated = (await service.client.get(path, headers=bearer(ours))).json()
    assert rated["players"] == again.json()["players"] == []
    assert [each["player"] for each in rated["results"]] == kept
    assert "example.com" not in operators.text
