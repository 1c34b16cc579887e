"""A source finds its own sessions again, and nobody else's."""

from typing import Any

from services.projections.sessions.queries import rated_sessions, verdict_on_change
from shared.events.codec import decode_verdict
from shared.events.facts import SessionsVoided
from shared.events.verdicts import RatingsCorrected
from tests.conftest import Database
from tests.projections.conftest import AUDITOR, CLUB, LEAGUE, OPERATOR, World, a_world, asked
from tests.projections.season import Round, mj
from tests.projections.told import ToldSeason
from tests.projections.told_history import Told, a_told_season


async def submitted(
    world: World, session_id: str, fact_seq: int, *seated: str, status: str = "accepted"
) -> None:
    """Note a submission, and who sat there, as ingest does."""
    await world.pool.execute(
        """INSERT INTO mahjic.submissions
        (session_id, source, status, fact_seq, place_seq, content_print, allowed_duplicate,
         submitted_at, session_date)
        VALUES ($1, 'club', $2, $3, $3, 'print', false, now(), '2026-01-31')""",
        session_id,
        status,
        fact_seq,
    )
    await world.pool.execute(
        """INSERT INTO mahjic.seats (player_id, session_date, session_id)
        SELECT player_id, '2026-01-31', $2 FROM unnest($1::text[]) AS player_id""",
        seated,
        session_id,
    )


async def test_a_session_is_accepted_until_it_is_rated(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2, is_private=True)
    session, fact = await world.season.play(
        club, Round({ada: 1, bo: 0}), Round({ada: 1, bo: 0}), new_players=[bo]
    )
    waiting = "ses_" + "0" * 26
    await submitted(world, session, fact, ada, bo)
    await submitted(world, waiting, fact + 1)
    answer = await world.ask(f"/v1/sessions/{waiting}", headers=CLUB)
    assert answer.json()["status"] == "accepted"
    assert answer.json()["results"] == []
    assert await rated_sessions(world.reader, [session]) == {}
    await world.follow()
    answer = await world.ask(f"/v1/sessions/{session}", headers=CLUB)
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    called = {ada: "address-1@example.com", bo: "address-2@example.com"}
    assert body["status"] == "rated"
    assert [
        (each["player_id"], each["player"], each["rating_before"], each["is_new_player"])
        for each in body["results"]
    ] == [(ada, called[ada], 1500.0, False), (bo, called[bo], 1500.0, True)]
    # 16, and then 32 times what is left to 1 from a lead of 32 points (expected 0.545922).
    assert body["results"][0]["rating_after"] == 1530.53
    assert len(body["rounds"]) == 2


async def test_a_verdict_is_given_back_as_it_stands_on_the_log(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    session, _ = await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.follow()
    record = await world.season.log.last()
    assert record is not None
    found = await rated_sessions(world.reader, [session, "ses_" + "0" * 26])
    assert found == {session: decode_verdict(record.body).event}


async def test_a_session_is_shown_to_its_source_the_operator_and_auditors_alone(
    world: World,
) -> None:
    club = await world.season.source("club")
    session, fact = await world.season.play(club, Round({mj(1): 1, mj(2): 0}))
    await submitted(world, session, fact)
    await world.follow()
    for headers in (CLUB, AUDITOR, OPERATOR):
        answer = await world.ask(f"/v1/sessions/{session}", headers=headers)
        assert answer.status_code == 200
    bodies = []
    for path, headers in (
        (session, LEAGUE),
        ("ses_" + "0" * 26, LEAGUE),
        ("ses_" + "0" * 26, OPERATOR),
        ("nonsense", CLUB),
    ):
        answer = await world.ask(f"/v1/sessions/{path}", headers=headers)
        assert answer.status_code == 404
        bodies.append(answer.json() | {"instance": ""})
    assert all(body == bodies[0] for body in bodies)
    assert (await world.ask(f"/v1/sessions/{session}")).status_code == 401


async def test_a_refused_fact_and_a_voided_session_say_so(world: World) -> None:
    club = await world.season.source("club")
    refused, refused_fact = await world.season.play(club, Round({mj(1): -1, mj(2): 2}))
    voided, voided_fact = await world.season.play(club, Round({mj(1): 1, mj(2): 0}))
    await submitted(world, refused, refused_fact)
    await submitted(world, voided, voided_fact, status="voided")
    await world.follow()
    for session, status in ((refused, "refused"), (voided, "voided")):
        answer = await world.ask(f"/v1/sessions/{session}", headers=CLUB)
        assert answer.json()["status"] == status
    assert await rated_sessions(world.reader, [refused]) == {}


async def test_a_poisoned_record_that_names_a_rated_session_leaves_it_as_it_was(
    world: World,
) -> None:
    club = await world.season.source("club")
    session, _ = await world.season.play(club, Round({mj(1): 1, mj(2): 0}))
    facts = await world.season.facts.read(await world.season.facts.beginning(), 10)
    await world.season.tell_raw(facts[-1].body.replace(b'"mahjongs":[1,0]', b'"mahjongs":[9,0]'))
    await world.follow()
    rated = (await rated_sessions(world.reader, [session]))[session]
    assert rated is not None
    assert rated.rounds[0].mahjongs == (1, 0)


async def look_up(told: Told, session_id: str, headers: dict[str, str]) -> Any:
    answer = await told.world.ask(f"/v1/sessions/{session_id}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_session_and_its_correction_name_each_other_and_what_it_did(
    database: Database,
) -> None:
    async with a_told_season(database) as told:
        old, first = await told.season.play("club", Round({mj(1): 1, mj(2): 0}))
        await told.season.play("club", Round({mj(1): 1, mj(3): 0}))
        new, fact = await told.correct(old, Round({mj(1): 0, mj(2): 1}))
        await told.world.follow()
        was, now = await look_up(told, old, CLUB), await look_up(told, new, CLUB)
        assert (was["status"], was["corrects"], was["corrected_by"]) == ("corrected", None, new)
        assert (now["status"], now["corrects"], now["corrected_by"]) == ("rated", old, None)
        assert (was["fact_seq"], was["place_seq"]) == (first, first)
        assert (now["fact_seq"], now["place_seq"]) == (fact, first)
        assert (was["ended"]["fact_seq"], was["ended"]["reason"]) == (fact, "wrong_result")
        # The numbers of each are those that it was rated with: the new one in its place.
        assert [each["rating_change"] for each in was["results"]] == [16.0, -16.0]
        assert [each["rating_change"] for each in now["results"]] == [-16.0, 16.0]
        # Of whom else it moved a source learns that there is one.
        for effect in (was["ended"]["effect"], now["effect"]):
            assert {each["player_id"] for each in effect["changes"]} == {mj(1), mj(2)}
            assert (effect["players_moved"], effect["others_moved"]) == (3, 1)
        for headers in (OPERATOR, AUDITOR):
            effect = (await look_up(told, new, headers))["effect"]
            assert (len(effect["changes"]), effect["others_moved"]) == (3, 0)


async def test_a_voided_session_says_by_what_and_keeps_its_numbers(database: Database) -> None:
    async with a_told_season(database) as told:
        session, _ = await told.season.play("club", Round({mj(1): 1, mj(2): 0}))
        fact = await told.void(session)
        await told.world.follow()
        found = await look_up(told, session, CLUB)
        assert (found["status"], found["corrected_by"]) == ("voided", None)
        assert found["ended"] == {
            "fact_seq": fact,
            "reason": "entered_twice",
            "note": None,
            "effect": found["ended"]["effect"],
        }
        moved = {each["player_id"]: each for each in found["ended"]["effect"]["changes"]}
        assert moved[mj(1)]["rating_change"] == -16.0
        assert (moved[mj(2)]["rating_after"], moved[mj(2)]["games_after"]) == (1500.0, 0)
        assert found["results"][0]["rating_after"] == 1516.0


async def test_a_source_is_shown_its_own_players_wherever_they_stand_in_a_large_verdict(
    database: Database,
) -> None:
    season = ToldSeason(database.pool, players_in_part=2)
    async with asked(await a_world(season)) as world:
        for slug in ("club", "league"):
            await season.source(slug)
        tables = {"club": (mj(1), mj(2)), "league": (mj(3), mj(4))}
        for number in range(1, 5):
            await season.player(number)
        nights = {
            source: (await season.play(source, Round(dict(zip(table, (1, 0), strict=True)))))[0]
            for source, table in tables.items()
        }
        told = Told(world, season)
        await told.void(*nights.values())
        await world.follow()
        for source, headers in (("club", CLUB), ("league", LEAGUE)):
            effect = (await look_up(told, nights[source], headers))["ended"]["effect"]
            changes = {each["player_id"]: each["rating_change"] for each in effect["changes"]}
            assert changes == dict(zip(tables[source], (-16.0, 16.0), strict=True))
            assert (effect["players_moved"], effect["others_moved"]) == (4, 2)


async def test_a_verdict_on_the_past_is_kept_with_its_first_players(database: Database) -> None:
    async with a_told_season(database) as told:
        session, _ = await told.season.play("club", Round({mj(1): 1, mj(2): 0}))
        assert await verdict_on_change(told.world.reader, 3) is None
        fact = await told.void(session)
        refused = await told.season.tell(SessionsVoided(("ses_" + "0" * 26,), "other"))
        await told.world.follow()
        verdict = await verdict_on_change(told.world.reader, fact)
        assert isinstance(verdict, RatingsCorrected)
        assert (verdict.moved, verdict.data["session_ids"]) == (2, [session])
        assert await verdict_on_change(told.world.reader, refused) is not None
