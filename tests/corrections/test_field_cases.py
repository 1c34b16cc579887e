"""Corrections that went wrong in comparable public systems, and what becomes of them here.

Small ones have their numbers by hand, as in test_stories.py; there also stand those of merges that
must be refused, of undoing them, and of K changing with the games.
"""

from collections import Counter
from dataclasses import replace
from statistics import median

from shared.events.facts import FactEvent, PlayersMerged, PlayerVerified, SessionSubmitted
from shared.events.verdicts import SessionRated
from tests.corrections.rating import Parts, all_shown, assert_one_as_by_hand, rated
from tests.corrections.seasons import a_season
from tests.corrections.stories import Teller, beats, corrected, tie, voided
from tests.log.adapters import new_memory_logs
from tests.rater.stories import ADOPTED, a_session
from tests.replay_by_hand.replay import Answer, last_answer

ADA, BO, CAROL, DREW, KAREN = "MJ-ADA", "MJ-BO", "MJ-CAROL", "MJ-DREW", "MJ-KAREN"


async def test_a_void_between_two_rounds_is_shown_by_itself(told: Teller) -> None:
    # A game annulled between two games made the next visible step go the wrong way.
    story = await told(
        [
            ADOPTED,
            beats(ADA, BO, "s-1"),
            beats(ADA, CAROL, "s-5"),
            voided("s-5"),
            beats(ADA, DREW, "s-9"),
        ]
    )
    # 16 ahead she won 15.26, which is taken back; 16 ahead again she wins 15.26 from Drew.
    assert [story.ratings(seq)[ADA] for seq in (2, 3, 4, 5)] == [
        1516_00,
        1531_26,
        1516_00,
        1531_26,
    ]
    assert story.shown(4) == {ADA: -15_26, CAROL: 15_26}
    assert story.ratings()[DREW] == 1484_74


async def test_what_a_banned_source_sent_leaves_no_trace_and_all_sums_hold(told: Teller) -> None:
    # A refund that was capped and partial left differences that did not add up.
    season = [
        replace(session, source="banned" if number % 3 == 1 else "a-club")
        for number, session in enumerate(a_season(24, rounds=60, players=12))
    ]
    banned = [session.session_id for session in season if session.source == "banned"]
    story = await told([ADOPTED, PlayerVerified("MJ-P001"), *season, voided(*banned)])
    never = await told(
        [ADOPTED, PlayerVerified("MJ-P001"), *(each for each in season if each.source != "banned")]
    )
    # What the rater tells are 1500.00 and the sums of all changes that it showed.
    assert story.ratings() == never.ratings()
    assert story.games() == never.games()
    assert len(banned) == 20


async def test_who_is_verified_today_was_not_when_last_month_is_rated_anew(told: Teller) -> None:
    # A recompute read a flag as it is now, and not as it was at the time of play.
    story = await told(
        [
            ADOPTED,
            PlayerVerified(BO),
            beats(ADA, BO, "s-1"),
            beats(ADA, BO, "s-2"),
            PlayerVerified(ADA),
            voided("s-1"),
        ]
    )
    assert story.verified() == {}
    assert story.ratings() == {ADA: 1516_00, BO: 1484_00}


async def test_the_rounds_of_before_the_claim_count_with_those_of_the_verified_account(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            beats(CAROL, BO, "s-1"),
            tie(CAROL, DREW, "s-2", games=3),
            PlayerVerified(KAREN),
            PlayerVerified(DREW),
            beats(KAREN, DREW, "s-3"),
            PlayersMerged(CAROL, KAREN),
        ]
    )
    # Carol: 1516, and from 16 ahead of Drew a tie costs 0.74: 1515.26. Karen: from 0.74 behind
    # Drew E = 1 / (1 + 10^0.00185) = 0.498935, and 32 * 0.501065 = 16.03.
    assert story.ratings(6) == {CAROL: 1515_26, BO: 1484_00, DREW: 1484_71, KAREN: 1516_03}
    # As one, 14.52 ahead of Drew: E = 1 / (1 + 10^-0.0363) = 0.520884, and 32 * 0.479116 = 15.33.
    assert story.ratings() == {BO: 1484_00, DREW: 1485_41, KAREN: 1530_59}
    assert story.games() == {BO: 1, DREW: 4, KAREN: 5}
    assert story.verified() == {KAREN: (1516_00, 1), DREW: (1484_00, 1)}


async def test_results_that_were_given_to_the_wrong_person_move_to_the_right_one(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            beats(CAROL, BO, "s-1"),
            beats(BO, DREW, "s-2"),
            beats(KAREN, DREW, "s-3"),
            corrected("s-1", beats(KAREN, BO, "s-1b"), reason="wrong_players"),
        ]
    )
    # Bo, 16 behind, beat Drew: 16.74. Karen, 16.74 ahead of him, wins
    # 15.23: E = 1 / (1 + 10^-0.04185) = 0.524072, and 32 * 0.475928.
    assert story.ratings(4) == {CAROL: 1516_00, BO: 1500_74, DREW: 1468_03, KAREN: 1515_23}
    # Karen had Carol's 16, and is 32.74 ahead: E = 1 / (1 + 10^-0.08185) = 0.546978; 14.50.
    assert story.ratings() == {KAREN: 1530_50, BO: 1500_74, DREW: 1468_76}
    assert story.games() == {KAREN: 2, BO: 2, DREW: 2}
    assert story.shown(5) == {CAROL: -16_00, KAREN: 15_27, DREW: 73}


async def test_round_100_of_8000_is_corrected_to_the_digit_for_all_whom_it_reaches() -> None:
    # Judged too hard elsewhere, because a change reaches everyone who was met later.
    season = the_season()
    old = season[99].rounds[0]
    other_way_round = old._replace(mahjongs=old.mahjongs[::-1])
    assert other_way_round != old
    fact = corrected("s-100", a_session(other_way_round, name="s-100-again"))
    by_hand, answers = await after_a_season(season, fact)
    assert_one_as_by_hand(fact, by_hand, answers[-1], all_shown(answers))
    moved = moved_by(by_hand)
    # Most of 500 players move, most of them by hundredths, and nobody by more than some points.
    assert len(moved) > 300
    assert 0 < median(abs(change) for change in moved.values()) <= 10
    assert max(abs(change) for change in moved.values()) < 20_00


async def test_round_7900_of_8000_is_left_out_and_not_subtracted() -> None:
    # To subtract the old change is not the same as never to have played.
    season = the_season()
    fact = voided("s-7900")
    by_hand, answers = await after_a_season(season, fact)
    assert_one_as_by_hand(fact, by_hand, answers[-1], all_shown(answers))
    moved = moved_by(by_hand)
    (left_out,) = answers[7_900]  # The fact before the first session adopts the formula.
    assert isinstance(left_out.event, SessionRated)
    (played,) = left_out.event.rounds
    subtracted = Counter(dict(zip(played.players, played.rating_change, strict=True)))
    assert set(subtracted) < set(moved)
    assert any(moved[player] != -subtracted[player] for player in subtracted)


def the_season() -> list[SessionSubmitted]:
    return a_season(23, rounds=8_000, players=500)


async def after_a_season(
    season: list[SessionSubmitted], fact: FactEvent
) -> tuple[Answer, list[Parts]]:
    """Return what the replays say of a fact after a season, and what the rater said of all."""
    facts = [ADOPTED, *season, fact]
    by_hand = last_answer(list(enumerate(facts, start=1)))
    return by_hand, await rated(new_memory_logs(), facts)


def moved_by(by_hand: Answer) -> dict[str, int]:
    """Return by how much a correction moved each rating, in hundredths."""
    assert by_hand.moved is not None
    return {
        each.player: each.after.rating_centi - each.before.rating_centi for each in by_hand.moved
    }
