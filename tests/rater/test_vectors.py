"""All 400 rounds of tests/vectors/rating_history.json, through every layer of the rater."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.events.codec import decode_verdict
from shared.events.facts import (
    FactEvent,
    PlayedRound,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.events.verdicts import RatedRound, SessionRated
from tests.log.adapters import Logs
from tests.rater.running import a_running_rater, all_bodies, until_answered
from tests.rater.stories import ADOPTED, a_session, answered, fact_bodies, verdicts_on

HISTORY = Path(__file__).parents[1] / "vectors/rating_history.json"
STEPS: list[dict[str, Any]] = json.loads(HISTORY.read_text(encoding="utf-8"))["steps"]
ROUNDS = [step for step in STEPS if step["op"] == "round"]


def played_round(step: dict[str, Any]) -> PlayedRound:
    seats = step["players"]
    has_points = step["game_type"] != "social"
    return PlayedRound(
        games_played=step["games_played"],
        wall_games=step["wall_games"],
        players=tuple(seat["player"] for seat in seats),
        mahjongs=tuple(seat["mahjongs"] for seat in seats),
        points_centi=tuple(seat["points_centi"] for seat in seats) if has_points else None,
    )


def facts_of(steps: list[dict[str, Any]], rounds_per_session_max: int = 1) -> list[FactEvent]:
    """Return the steps as facts, rounds of one type that follow each other in one session."""
    facts: list[FactEvent] = [ADOPTED]
    for step in steps:
        if step["op"] == "verify":
            facts.append(PlayerVerified(step["player"]))
        elif step["op"] == "unverify":
            facts.append(PlayerVerificationEnded(step["player"]))
        elif goes_on(facts[-1], step, rounds_per_session_max):
            last = facts.pop()
            assert isinstance(last, SessionSubmitted)
            rounds = (*last.rounds, played_round(step))
            facts.append(a_session(*rounds, game_type=step["game_type"]))
        else:
            facts.append(a_session(played_round(step), game_type=step["game_type"]))
    return facts


def goes_on(last: FactEvent, step: dict[str, Any], rounds_per_session_max: int) -> bool:
    return (
        isinstance(last, SessionSubmitted)
        and last.game_type == step["game_type"]
        and len(last.rounds) < rounds_per_session_max
    )


def told(rated: RatedRound) -> Iterator[dict[str, int]]:
    """Return what the vectors tell of each seat."""
    for seat in range(len(rated.players)):
        before, change = rated.rating_before[seat], rated.rating_change[seat]
        verified_before = rated.verified_rating_before[seat]
        verified_change = rated.verified_rating_change[seat]
        yield {
            "rating_before": before,
            "rating_change": change,
            "rating_after": before + change,
            "games_total": rated.games_after[seat],
            "verified_rating_before": verified_before,
            "verified_rating_change": verified_change,
            "verified_rating_after": verified_before + verified_change,
            "verified_games_total": rated.verified_games_after[seat],
        }


def assert_as_expected(rated_rounds: list[RatedRound]) -> None:
    assert len(rated_rounds) == len(ROUNDS) == 400
    for number, (rated, step) in enumerate(zip(rated_rounds, ROUNDS, strict=True)):
        assert list(told(rated)) == step["expect"], f"round {number}"


def rounds_in(bodies: list[bytes]) -> list[RatedRound]:
    events = [decode_verdict(body).event for body in bodies]
    return [each for event in events if isinstance(event, SessionRated) for each in event.rounds]


def test_the_vectors_hold_what_makes_them_worth_trying() -> None:
    tables = [{seat["player"] for seat in step["players"]} for step in ROUNDS]
    assert sum("BOB" in table for table in tables) == 68
    assert {len(table) for table in tables} == {2, 3, 4}
    assert {step["op"] for step in STEPS} == {"round", "verify", "unverify"}


def test_every_number_of_every_round_comes_out() -> None:
    events = [verdict.event for verdict in verdicts_on(facts_of(STEPS))]
    assert_as_expected(
        [each for event in events if isinstance(event, SessionRated) for each in event.rounds]
    )


def test_every_number_comes_out_when_rounds_share_a_session() -> None:
    facts = facts_of(STEPS, rounds_per_session_max=5)
    assert len(facts) < len(STEPS)
    assert_as_expected(rounds_in(answered(facts)))


async def test_every_number_comes_out_of_the_running_rater(logs: Logs) -> None:
    bodies = fact_bodies(facts_of(STEPS))
    await logs.facts.append(bodies[:200])
    async with a_running_rater(logs):
        await until_answered(logs, 200)
        await logs.facts.append(bodies[200:])
        await until_answered(logs, len(bodies))
    assert_as_expected(rounds_in(await all_bodies(logs.verdicts)))
