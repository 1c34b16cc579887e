"""Records that should not be on the log: each is refused, and the rest goes on without it."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from services.rater.answering import Rater
from shared.events.codec import UnknownEventType, decode_verdict
from shared.events.facts import (
    FactEvent,
    PlayedRound,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.events.verdicts import FactNoted, FactRefused, SessionRated
from shared.log.port import chained
from shared.rating.registry import UnknownFormula
from shared.replay.adoptions import FormulaDiffers
from shared.replay.chronicle import TOGETHER_MIN
from tests.log.adapters import Logs
from tests.rater.histories import histories
from tests.rater.running import a_running_rater, all_verdicts, until_answered
from tests.rater.stories import (
    ADOPTED,
    a_rater,
    a_round,
    a_session,
    answered,
    fact_bodies,
    fact_records,
    time_of,
    verdicts_on,
)

ADA, BO, CLEO, DREW, EVE = "MJ-ADA", "MJ-BO", "MJ-CLEO", "MJ-DREW", "MJ-EVE"
BEFORE: list[FactEvent] = [
    ADOPTED,
    PlayerVerified(ADA),
    PlayerVerified(BO),
    a_session(a_round({ADA: 2, BO: 1}), name="before"),
]
# So many that they are taken in together, with what stands between them.
MANY = [a_session(a_round({ADA: 1, BO: each % 3}), name=f"{each}") for each in range(TOGETHER_MIN)]
AFTER = a_session(a_round({ADA: 0, BO: 1, CLEO: 0}), name="after")


def a_played(
    players: tuple[str, ...] = (ADA, BO),
    mahjongs: tuple[int, ...] = (1, 1),
    *,
    games_played: int = 2,
    wall_games: int = 0,
    points_centi: tuple[int, ...] | None = None,
) -> PlayedRound:
    return PlayedRound(games_played, wall_games, players, mahjongs, points_centi)


IMPOSSIBLE = {
    "one player": a_played((ADA,), (2,)),
    "nobody": a_played((), (), wall_games=2),
    "five players": a_played((ADA, BO, CLEO, DREW, EVE), (1, 1, 0, 0, 0)),
    "somebody twice": a_played((ADA, ADA), (1, 1)),
    "Bob and one more": a_played((ADA, "BOB"), (1, 1)),
    "two Bobs": a_played((ADA, BO, "BOB", "BOB"), (1, 1, 0, 0)),
    "no games": a_played(mahjongs=(0, 0), games_played=0),
    "201 games": a_played(mahjongs=(201, 0), games_played=201),
    "fewer games than wins": a_played(games_played=1),
    "more games than wins": a_played(games_played=3),
    "less than no wins": a_played(mahjongs=(3, -1)),
    "fewer wall games than none": a_played(mahjongs=(2, 1), wall_games=-1),
    "huge numbers": a_played(mahjongs=(2**62, 2**62), games_played=2**63 - 1),
    "points beyond a million": a_played(points_centi=(100_000_001, 0)),
    "points beyond a million below": a_played(points_centi=(0, -100_000_001)),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("game_type", ["social", "league"])
def test_a_session_whose_numbers_cannot_be_is_refused_as_a_whole(name: str, game_type: Any) -> None:
    played = IMPOSSIBLE[name]
    if game_type == "league" and played.points_centi is None:
        played = a_played(
            played.players,
            played.mahjongs,
            games_played=played.games_played,
            wall_games=played.wall_games,
            points_centi=(0,) * len(played.players),
        )
    fine = a_round({ADA: 1, BO: 0}, points_centi=None if game_type == "social" else (0, 0))
    poison = a_session(fine, played, name="poison", game_type=game_type)
    assert_refused(poison, FactRefused("impossible_round", "poison"))


def test_a_league_without_points_is_refused() -> None:
    poison = a_session(a_round({ADA: 1, BO: 0}), name="poison", game_type="league")
    assert_refused(poison, FactRefused("impossible_round", "poison"))


def test_a_session_without_rounds_is_refused() -> None:
    assert_refused(a_session(name="poison"), FactRefused("impossible_round", "poison"))


@pytest.mark.parametrize("player_id", ["BOB", "AN-NICK"])
@pytest.mark.parametrize("kind", [PlayerVerified, PlayerVerificationEnded])
def test_verifying_one_who_can_never_be_is_refused(kind: Any, player_id: str) -> None:
    assert_refused(kind(player_id), FactRefused("impossible_verification", None))


def test_the_extremes_that_can_be_are_rated() -> None:
    biggest = a_played(
        (ADA, BO, CLEO, "BOB"),
        (200, 0, 0, 0),
        games_played=200,
        points_centi=(100_000_000, -100_000_000, 0, 0),
    )
    smallest = a_played((ADA, BO), (0, 0), games_played=1, wall_games=1, points_centi=(0, 0))
    *_, verdict = verdicts_on([ADOPTED, a_session(biggest, smallest)])
    assert isinstance(verdict.event, SessionRated)
    assert len(verdict.event.rounds) == 2


def assert_refused(poison: FactEvent | bytes, refusal: FactRefused) -> None:
    """Check that a record is refused, with an alarm, and that nothing else is different for it."""
    *before, refused, after = verdicts_on([*BEFORE, poison, AFTER])
    *before_without, after_without = verdicts_on([*BEFORE, AFTER])
    assert refused.event == refusal
    assert before == before_without
    assert after.event == after_without.event
    assert isinstance(after.event, SessionRated)
    assert_taken_in_alike([*BEFORE, *MANY, poison, *MANY, AFTER])


def assert_taken_in_alike(facts: list[FactEvent | bytes]) -> None:
    """Check that a rater that takes facts in together stands where one that answered each does."""
    records = fact_records(facts)
    together, one_by_one = a_rater(), a_rater()
    assert [*together.take_in(records)]
    together.settle()
    for record in records:
        one_by_one.answer(record)
    assert together.position == one_by_one.position
    assert together.state.time == one_by_one.state.time
    ours, theirs = (
        {
            each: rater.state.standing(each)
            for each in rater.state.chronicle.player_ids(np.arange(rater.state.chronicle.players))
        }
        for rater in (together, one_by_one)
    )
    assert ours == theirs


# Bytes that are no event.


@pytest.mark.parametrize("poison", [b"", b"\x00\xff", b"{}", b"null", b'{"data": {}}', b"[" * 9999])
def test_bytes_that_are_no_event_are_refused_at_the_time_of_the_fact_before(poison: bytes) -> None:
    assert_refused(poison, FactRefused("unreadable_record", None))
    refused = verdicts_on([*BEFORE, poison])[-1]
    assert (refused.time, refused.subject) == (time_of(4), "fact 5")
    assert refused.answers.fact_seq == 5


def test_the_very_first_record_may_be_poison() -> None:
    first, second = verdicts_on([b"poison", ADOPTED])
    assert first.event == FactRefused("unreadable_record", None)
    assert (first.time, first.answers.formula) == ("1970-01-01T00:00:00.000000Z", "")
    assert isinstance(second.event, FactNoted)


def test_a_refused_fact_sounds_the_alarm_and_tells_nothing_of_what_it_holds() -> None:
    body = fact_bodies([a_session(a_round({ADA: 1, BO: 0}), name="n")])[0]
    poison = body.replace(b'"games_played":1', b'"games_played":"alice@example.com"')
    assert poison != body
    with capture_logs() as logged:
        answered([ADOPTED, poison])
    (alarm,) = [entry for entry in logged if entry["event"] == "fact_refused"]
    assert (alarm["log_level"], alarm["fact_seq"]) == ("error", 2)
    assert "games_played" in alarm["reason"]
    assert "alice" not in str(logged)


async def test_the_running_rater_goes_on_after_poison(logs: Logs) -> None:
    poisons: list[FactEvent | bytes] = [b"", b"\xff", b"{"]
    poisons.append(a_session(IMPOSSIBLE["two Bobs"], name="bad"))
    await logs.facts.append(fact_bodies([*BEFORE, *poisons, AFTER]))
    async with a_running_rater(logs):
        await until_answered(logs, 9)
    types = [verdict.event.TYPE for verdict in await all_verdicts(logs)]
    assert types[4:] == ["fact-refused.v1"] * 4 + ["session-rated.v1"]


# Anything at all.

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def assert_answered_or_stopped(rater: Rater, body: bytes) -> None:
    """Check that a record is answered in a way that can be read, or stops the rater as it must."""
    place = rater.position
    (record,) = chained(place, [body])
    try:
        (body,) = rater.answer(record)
        verdict = decode_verdict(body)
    except (UnknownEventType, UnknownFormula, FormulaDiffers):
        assert rater.position == place
    else:
        assert verdict.answers.fact_seq == record.seq
        assert rater.position.seq == record.seq


@given(st.binary(max_size=40))
def test_any_bytes_are_refused(body: bytes) -> None:
    assert_refused(body, FactRefused("unreadable_record", None))


@given(json_values)
def test_any_json_is_answered_or_stops_the_rater_in_order(value: Any) -> None:
    rater = a_rater()
    answered(BEFORE, rater)
    assert_answered_or_stopped(rater, json.dumps(value).encode())


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the ways to every value inside a JSON value."""
    found = [path] if path else []
    steps: dict[Any, Any] = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        steps = dict(enumerate(value))
    for step, inner in steps.items():
        found += places(inner, (*path, step))
    return found


@settings(max_examples=200)
@given(histories, st.data())
def test_a_fact_with_anything_changed_is_answered_or_stops_the_rater_in_order(
    history: list[FactEvent], data: st.DataObject
) -> None:
    sessions = [event for event in history if isinstance(event, SessionSubmitted)]
    event = data.draw(st.sampled_from([*sessions, *history]))
    fact = json.loads(fact_bodies([event])[0])
    rater = a_rater()
    answered(history, rater)
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(places(fact)))
        inner = fact
        for step in way:
            inner = inner[step]
        if data.draw(st.booleans()):
            inner[last] = data.draw(json_values)
        else:
            del inner[last]
    assert_answered_or_stopped(rater, json.dumps(fact).encode())
    assert_answered_or_stopped(rater, fact_bodies([AFTER])[0])
