"""Runs the rater over histories, and holds what it says against the replays by hand."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from services.rater.saving import Pace
from services.rater.worker import run_rater
from shared.events.codec import Verdict, decode_verdict
from shared.events.facts import (
    FactEvent,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import (
    FactNoted,
    FactRefused,
    RatedRound,
    RatingsCorrected,
    SessionRated,
)
from tests.log.adapters import Logs
from tests.log.deadlines import deadline
from tests.projections.told import reseated
from tests.rater.running import all_bodies, canceled
from tests.rater.stories import ENGINE, fact_bodies
from tests.replay_by_hand.replay import Answer, RoundRated, Standing, replay

Parts = list[Verdict]

# Short histories are saved as often as long ones, and have their checkpoints.
OFTEN = Pace(save_facts=4, gap_facts=2, saving_share=1.0)


async def rated(
    logs: Logs,
    facts: Sequence[FactEvent],
    *,
    starts: Sequence[int] = (),
    folder: Path | None = None,
) -> list[Parts]:
    """Let the rater answer facts, and return the parts of each answer.

    It is stopped and started anew when as many facts are answered as each of `starts` says.
    """
    bodies = fact_bodies(facts)
    stops = sorted({0, *starts, len(bodies)})
    for begin, end in pairwise(stops):
        await logs.facts.append(bodies[begin:end])
        rater = asyncio.create_task(
            run_rater(
                logs.facts,
                logs.verdicts,
                holder="one",
                engine=ENGINE,
                folder=folder,
                pace=OFTEN,
            )
        )
        try:
            await _until_answered(logs, end, rater)
        finally:
            await canceled(rater)
    return in_parts([decode_verdict(body) for body in await all_bodies(logs.verdicts)])


async def _until_answered(logs: Logs, fact_seq: int, rater: asyncio.Task[None]) -> None:
    async with deadline():
        while True:
            last = await logs.verdicts.last()
            if last is not None:
                answers = decode_verdict(last.body).answers
                if answers.fact_seq == fact_seq and answers.part == answers.parts:
                    return
            if rater.done():
                await rater  # It left, and says why.
            await logs.verdicts.wait_beyond(0 if last is None else last.seq, 0.5)


def in_parts(verdicts: Sequence[Verdict]) -> list[Parts]:
    """Return the verdicts by the fact that they answer."""
    return [list(parts) for _, parts in groupby(verdicts, lambda each: each.answers.fact_seq)]


def assert_as_by_hand(facts: Sequence[FactEvent], answers: Sequence[Parts]) -> None:
    """Compare everything that was said of every fact with what a full replay comes to.

    That is: every number of every verdict, and for each player after each fact that 1500.00 and all
    that was shown since make the rating of then, in both pools, and likewise for the games.
    """
    shown: dict[str, Standing] = defaultdict(Standing)
    by_hand = replay(enumerate(facts, start=1))
    for fact, expected, parts in zip(facts, by_hand, answers, strict=True):
        for verdict in parts:
            take_in(shown, verdict)
        assert_one_as_by_hand(fact, expected, parts, shown)


def assert_one_as_by_hand(
    fact: FactEvent, expected: Answer, parts: Parts, shown: Mapping[str, Standing]
) -> None:
    """Compare what was said of one fact, and what was shown in all until then."""
    where = f"fact {expected.seq}: {fact}"
    _assert_in_order(expected.seq, parts)
    assert _told(parts) == _expected(fact, expected, parts), where
    assert {each.answers.formula for each in parts} == {expected.formula}, where
    standings = {each: shown.get(each, Standing()) for each in expected.standings}
    assert standings == expected.standings, where


def all_shown(answers: Iterable[Parts]) -> dict[str, Standing]:
    """Return what all the answers together show of each player."""
    shown: dict[str, Standing] = defaultdict(Standing)
    for parts in answers:
        for verdict in parts:
            take_in(shown, verdict)
    return shown


def _assert_in_order(fact_seq: int, parts: Parts) -> None:
    assert [(each.answers.fact_seq, each.answers.part, each.answers.parts) for each in parts] == [
        (fact_seq, part, len(parts)) for part in range(1, len(parts) + 1)
    ]


def _told(parts: Parts) -> object:
    """Return what was said, apart from whom it answers."""
    first = parts[0].event
    if isinstance(first, RatingsCorrected):
        moved = [each for part in parts for each in players_of(part)]
        rounds = None if first.session is None else _rated(first.session)
        return first.fact_type, first.data, first.moved, moved, rounds, first.reseated
    assert len(parts) == 1
    if isinstance(first, SessionRated):
        return _rated(first)
    if isinstance(first, FactNoted):
        return first.fact_type, first.data
    return first.reason, first.session_id


def _expected(fact: FactEvent, answer: Answer, parts: Parts) -> object:
    """Return the same by the replays."""
    if answer.refused is not None:
        return answer.refused, _about(fact, parts)
    data = _as_read(fact.to_json())
    if answer.moved is not None:
        moved = [(each.player, each.before, each.after) for each in answer.moved]
        if isinstance(fact, SessionCorrected):
            del data["session"]
            rounds = _expected_rated(fact.session, answer.rounds)
            return fact.TYPE, data, len(moved), moved, rounds, None
        return fact.TYPE, data, len(moved), moved, None, reseated(answer)
    if isinstance(fact, SessionSubmitted):
        return _expected_rated(fact, answer.rounds)
    return fact.TYPE, data


def _about(fact: FactEvent, parts: Parts) -> str | None:
    """Return which session a refusal must name: its own, or any that it cannot void."""
    if isinstance(fact, SessionsVoided):
        event = parts[0].event
        assert isinstance(event, FactRefused)
        assert event.session_id in fact.session_ids
        return event.session_id
    if isinstance(fact, SeatsReassigned):
        event = parts[0].event
        assert isinstance(event, FactRefused)
        assert event.session_id in {None, *fact.sessions}
        return event.session_id
    return fact.subject if isinstance(fact, SessionSubmitted | SessionCorrected) else None


def _as_read(data: dict[str, object]) -> dict[str, object]:
    """Return what JSON makes of an event's data."""
    return {key: list(each) if isinstance(each, tuple) else each for key, each in data.items()}


def _rated(session: SessionRated) -> object:
    played_as = [each.played_as for each in session.rounds]
    return _played(session), played_as, seats_of(session.rounds)


def _expected_rated(session: SessionSubmitted, rounds: Sequence[RoundRated]) -> object:
    played_as = [
        None if tuple(seat.player for seat in seats) == played.players else played.players
        for played, seats in zip(session.rounds, rounds, strict=True)
    ]
    return _played(session), played_as, _expected_seats(rounds)


def _played(session: SessionSubmitted | SessionRated) -> object:
    """Return what a session was, apart from who sat there; points are told where they count."""
    rounds = [
        (
            each.games_played,
            each.wall_games,
            each.mahjongs,
            None if session.game_type == "social" else each.points_centi,
        )
        for each in session.rounds
    ]
    told = (session.session_id, session.source, session.session_date, session.game_type)
    return *told, session.new_players, rounds


def players_of(part: Verdict) -> list[tuple[str, Standing, Standing]]:
    event = part.event
    assert isinstance(event, RatingsCorrected)
    return [
        (player, Standing(*before), _after(before, rating, games, verified_rating, verified_games))
        for player, before, rating, games, verified_rating, verified_games in zip(
            event.players,
            zip(
                event.rating_before,
                event.games_before,
                event.verified_rating_before,
                event.verified_games_before,
                strict=True,
            ),
            event.rating_change,
            event.games_after,
            event.verified_rating_change,
            event.verified_games_after,
            strict=True,
        )
    ]


def seats_of(rounds: Sequence[RatedRound]) -> list[list[tuple[str, Standing, Standing, int]]]:
    return [
        [
            (
                player,
                Standing(*before),
                _after(before, rating, games, verified_rating, verified_games),
                is_verified,
            )
            for player, before, rating, games, verified_rating, verified_games, is_verified in zip(
                played.players,
                zip(
                    played.rating_before,
                    played.games_before,
                    played.verified_rating_before,
                    played.verified_games_before,
                    strict=True,
                ),
                played.rating_change,
                played.games_after,
                played.verified_rating_change,
                played.verified_games_after,
                played.is_verified,
                strict=True,
            )
        ]
        for played in rounds
    ]


def _expected_seats(
    rounds: Sequence[RoundRated],
) -> list[list[tuple[str, Standing, Standing, int]]]:
    return [
        [(seat.player, seat.before, seat.after, int(seat.is_verified)) for seat in played]
        for played in rounds
    ]


def _after(
    before: tuple[int, int, int, int],
    change: int,
    games: int,
    verified_change: int,
    verified_games: int,
) -> Standing:
    rating, _, verified_rating, _ = before
    return Standing(rating + change, games, verified_rating + verified_change, verified_games)


def take_in(shown: dict[str, Standing], verdict: Verdict) -> None:
    """Add what a verdict shows of each player to what was shown before."""
    event = verdict.event
    if isinstance(event, RatingsCorrected):
        for player, before, after in players_of(verdict):
            shown[player] = plus(shown[player], before, after)
    elif isinstance(event, SessionRated):
        for played in seats_of(event.rounds):
            for player, before, after, _ in played:
                shown[player] = plus(shown[player], before, after)
    else:
        assert isinstance(event, FactNoted | FactRefused)


def plus(shown: Standing, before: Standing, after: Standing) -> Standing:
    return Standing(*(a + c - b for a, b, c in zip(shown, before, after, strict=True)))
