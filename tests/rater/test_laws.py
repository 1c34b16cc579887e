"""What holds for every history, whoever plays it, and what a second rater says about it."""

from collections import defaultdict
from fractions import Fraction

from hypothesis import given, settings

from services.rater.decide import decide
from services.rater.state import State
from shared.events.codec import decode_fact
from shared.events.facts import (
    FactEvent,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.events.verdicts import SessionRated
from shared.replay.chronicle import FactAboutNow
from shared.replay.session_rating import Standing
from tests.rater.by_hand import RaterByHand
from tests.rater.histories import ANONYMOUS, PEOPLE, histories
from tests.rater.stories import a_rater, answered, fact_records, verdicts_on

EVERYBODY = (*PEOPLE, ANONYMOUS, "BOB")


def standings(state: State) -> dict[str, Standing]:
    return {player: state.standing(player) for player in EVERYBODY}


@settings(max_examples=150)
@given(histories)
def test_a_second_rater_comes_to_the_same_numbers(history: list[FactEvent]) -> None:
    by_hand = RaterByHand()
    for event, verdict in zip(history, verdicts_on(history), strict=True):
        if isinstance(event, PlayerVerified):
            by_hand.verified.add(event.player_id)
        elif isinstance(event, PlayerVerificationEnded):
            by_hand.verified.discard(event.player_id)
        elif isinstance(event, SessionSubmitted):
            assert isinstance(verdict.event, SessionRated)
            assert rated_numbers(verdict.event) == numbers_by_hand(by_hand, event)


def rated_numbers(session: SessionRated) -> list[list[tuple[object, ...]]]:
    return [
        [
            (
                Fraction(rated.rating_before[seat], 100),
                Fraction(rated.rating_change[seat], 100),
                rated.games_after[seat],
                Fraction(rated.verified_rating_before[seat], 100),
                Fraction(rated.verified_rating_change[seat], 100),
                rated.verified_games_after[seat],
            )
            for seat in range(len(rated.players))
        ]
        for rated in session.rounds
    ]


def numbers_by_hand(
    by_hand: RaterByHand, session: SessionSubmitted
) -> list[list[tuple[object, ...]]]:
    return [
        by_hand.play(
            dict(zip(played.players, played.mahjongs, strict=True)),
            played.games_played,
            None
            if session.game_type == "social"
            else [Fraction(centi, 100) for centi in played.points_centi or ()],
        )
        for played in session.rounds
    ]


@given(histories)
def test_1500_plus_all_changes_is_the_rating_now(history: list[FactEvent]) -> None:
    rater = a_rater()
    total: dict[str, int] = defaultdict(lambda: 150_000)
    verified_total: dict[str, int] = defaultdict(lambda: 150_000)
    games: dict[str, int] = defaultdict(int)
    answered(history, rater)
    for verdict in verdicts_on(history):
        for rated in verdict.event.rounds if isinstance(verdict.event, SessionRated) else ():
            for seat, player in enumerate(rated.players):
                total[player] += rated.rating_change[seat]
                verified_total[player] += rated.verified_rating_change[seat]
                games[player] += 0 if player == "BOB" else rated.games_played
    for player, standing in standings(rater.state).items():
        assert standing.rating_centi == total[player]
        assert standing.verified_rating_centi == verified_total[player]
        assert standing.games == games[player]


@given(histories)
def test_each_round_begins_where_the_one_before_ended(history: list[FactEvent]) -> None:
    last: dict[str, tuple[int, int, int, int]] = defaultdict(lambda: (150_000, 0, 150_000, 0))
    for verdict in verdicts_on(history):
        for rated in verdict.event.rounds if isinstance(verdict.event, SessionRated) else ():
            for seat, player in enumerate(rated.players):
                assert last[player] == (
                    rated.rating_before[seat],
                    rated.games_before[seat],
                    rated.verified_rating_before[seat],
                    rated.verified_games_before[seat],
                )
                last[player] = (
                    rated.rating_before[seat] + rated.rating_change[seat],
                    rated.games_after[seat],
                    rated.verified_rating_before[seat] + rated.verified_rating_change[seat],
                    rated.verified_games_after[seat],
                )


@given(histories)
def test_a_replay_comes_to_the_same_bytes_and_standings(history: list[FactEvent]) -> None:
    live, replayed = a_rater(), a_rater()
    assert answered(history, live) == answered(history, replayed)
    assert standings(live.state) == standings(replayed.state)
    assert live.position == replayed.position


@given(histories)
def test_deciding_changes_nothing_and_gives_the_same_again(history: list[FactEvent]) -> None:
    rater = a_rater()
    for record in fact_records(history):
        before = standings(rater.state)
        event = decode_fact(record.body).event
        assert isinstance(event, FactAboutNow)
        assert decide(rater.state, event) == decide(rater.state, event)
        assert standings(rater.state) == before
        rater.answer(record)


@given(histories)
def test_bob_and_the_anonymous_stay_out_of_what_is_not_theirs(history: list[FactEvent]) -> None:
    rater = a_rater()
    answered(history, rater)
    assert rater.state.standing("BOB") == Standing(150_000, 0, 150_000, 0, is_verified=False)
    nick = rater.state.standing(ANONYMOUS)
    assert (nick.verified_rating_centi, nick.verified_games) == (150_000, 0)
    assert not nick.is_verified


@given(histories)
def test_rounds_in_one_session_or_in_many_come_to_the_same(history: list[FactEvent]) -> None:
    apart: list[FactEvent] = []
    for event in history:
        if isinstance(event, SessionSubmitted):
            apart += [
                SessionSubmitted("part", "club", "2026-01-01", event.game_type, (played,), ())
                for played in event.rounds
            ]
        else:
            apart.append(event)
    together, one_by_one = a_rater(), a_rater()
    answered(history, together)
    answered(apart, one_by_one)
    assert standings(together.state) == standings(one_by_one.state)
