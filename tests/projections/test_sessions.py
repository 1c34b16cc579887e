"""A source finds its own sessions again, and nobody else's."""

from services.projections.sessions.queries import rated_session
from shared.events.codec import decode_verdict
from tests.projections.conftest import AUDITOR, CLUB, LEAGUE, OPERATOR, World
from tests.projections.season import Round, mj


async def submitted(world: World, session_id: str, fact_seq: int, status: str = "accepted") -> None:
    """Note a submission as ingest does."""
    await world.pool.execute(
        """INSERT INTO mahjic.submissions
        (session_id, source, status, fact_seq, place_seq, content_print, allowed_duplicate,
         submitted_at)
        VALUES ($1, 'club', $2, $3, $3, 'print', false, now())""",
        session_id,
        status,
        fact_seq,
    )


async def test_a_session_is_accepted_until_the_view_shows_its_ratings(world: World) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2, is_private=True)
    session, fact = await world.season.play(
        club, Round({ada: 1, bo: 0}), Round({ada: 1, bo: 0}), new_players=[bo]
    )
    await submitted(world, session, fact)
    answer = await world.ask(f"/v1/sessions/{session}", headers=CLUB)
    assert answer.json()["status"] == "accepted"
    assert answer.json()["results"] == []
    assert await rated_session(world.reader, session) is None
    await world.follow()
    answer = await world.ask(f"/v1/sessions/{session}", headers=CLUB)
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.json()
    assert body["status"] == "rated"
    assert [
        (each["player_id"], each["player"], each["rating_before"], each["is_new_player"])
        for each in body["results"]
    ] == [(ada, None, 1500.0, False), (bo, None, 1500.0, True)]
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
    assert await rated_session(world.reader, session) == decode_verdict(record.body).event
    assert await rated_session(world.reader, "ses_" + "0" * 26) is None


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
    assert await rated_session(world.reader, refused) is None


async def test_a_poisoned_record_that_names_a_rated_session_leaves_it_as_it_was(
    world: World,
) -> None:
    club = await world.season.source("club")
    session, _ = await world.season.play(club, Round({mj(1): 1, mj(2): 0}))
    facts = await world.season.facts.read(await world.season.facts.beginning(), 10)
    await world.season.tell_raw(facts[-1].body.replace(b'"mahjongs":[1,0]', b'"mahjongs":[9,0]'))
    await world.follow()
    rated = await rated_session(world.reader, session)
    assert rated is not None
    assert rated.rounds[0].mahjongs == (1, 0)
