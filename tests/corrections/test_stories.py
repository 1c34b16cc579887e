"""Stories of corrections whose numbers are worked out by hand; the replays and the rater agree.

All rounds here are of two players with fewer than 30 games (K = 32) unless it is said otherwise.
Who is d points ahead wins with E(d) = 1 / (1 + 10^(-d / 400)) and gains K * (S - E). The sums:

    d =   0.00   E = 0.500000   a win +16.00   a loss -16.00   a tie 0
    d =  16.00   E = 0.523010   a win +15.26   a loss -16.74   a tie -0.74
    d = -16.00   E = 0.476990   a win +16.74   a loss -15.26   a tie +0.74
    d =  32.00   E = 0.545922   a win +14.53   a loss -17.47
    d = -32.00   E = 0.454078   a win +17.47   a loss -14.53
    d =  31.26   E = 0.544866   a win +14.56   a loss -17.44

What one of two gains the other loses.
"""

from collections.abc import Sequence

from shared.events.facts import (
    FactEvent,
    PlayerVerificationEnded,
    PlayerVerified,
)
from tests.corrections.stories import (
    ADA,
    BO,
    CLEO,
    DREW,
    XI,
    YAN,
    ZOE,
    Teller,
    adopted_from_beginning,
    adopted_now,
    beats,
    corrected,
    tie,
    voided,
)
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.replay_by_hand.formulas import ELO, SCALED

# Ada beats Bo: 1516 and 1484. Bo, 16 behind, beats Cleo: 1484 + 16.74 and 1500 - 16.74.
TWO_SESSIONS: Sequence[FactEvent] = (ADOPTED, beats(ADA, BO, "s-1"), beats(BO, CLEO, "s-2"))
AFTER_TWO = {ADA: 1516_00, BO: 1500_74, CLEO: 1483_26}


# Voids and corrections.


async def test_a_void_changes_what_those_won_who_met_the_players_later(told: Teller) -> None:
    story = await told([*TWO_SESSIONS, voided("s-1")])
    assert story.ratings(3) == AFTER_TWO
    # Bo and Cleo met as equals, then. "The old change subtracted" would leave Bo at 1516.74.
    assert story.ratings() == {BO: 1516_00, CLEO: 1484_00}
    assert story.games() == {BO: 1, CLEO: 1}
    assert story.shown(4) == {ADA: -16_00, BO: 15_26, CLEO: 74}


async def test_a_void_and_a_correction_that_says_the_same_again_leave_no_trace(
    told: Teller,
) -> None:
    again = corrected("s-1", beats(ADA, BO, "s-1b"))
    story = await told([*TWO_SESSIONS, voided("s-1"), again])
    assert story.ratings() == AFTER_TWO
    assert story.shown(5) == {ADA: 16_00, BO: -15_26, CLEO: -74}


async def test_a_correction_is_corrected_and_every_one_takes_the_first_place(
    told: Teller,
) -> None:
    story = await told(
        [
            *TWO_SESSIONS,
            corrected("s-1", tie(ADA, BO, "s-1b")),
            corrected("s-1b", beats(BO, ADA, "s-1c")),
        ]
    )
    # Equals tie: nobody moves. Bo meets Cleo as an equal.
    assert story.ratings(4) == {ADA: 1500_00, BO: 1516_00, CLEO: 1484_00}
    assert story.games(4) == {ADA: 2, BO: 3, CLEO: 1}
    # Bo beats Ada, and then Cleo from 16 ahead: 1516 + 15.26, and Cleo 1500 - 15.26.
    assert story.ratings(5) == {ADA: 1484_00, BO: 1531_26, CLEO: 1484_74}
    assert story.shown(5) == {ADA: -16_00, BO: 15_26, CLEO: 74}


async def test_a_session_in_the_place_of_another_is_rated_there(told: Teller) -> None:
    # Had s-3 its own place, Drew would meet Bo after s-2, at 1500.74, and not at 1500.
    story = await told([*TWO_SESSIONS, corrected("s-1", beats(DREW, BO, "s-3"))])
    assert story.ratings() == {DREW: 1516_00, BO: 1500_74, CLEO: 1483_26}
    assert story.shown(4) == {ADA: -16_00, DREW: 16_00}


async def test_a_voided_correction_leaves_the_place_empty_until_it_is_corrected(
    told: Teller,
) -> None:
    story = await told(
        [
            *TWO_SESSIONS,
            corrected("s-1", beats(BO, ADA, "s-1b")),
            voided("s-1b"),
            corrected("s-1b", beats(ADA, BO, "s-1c")),
        ]
    )
    assert story.ratings(5) == {BO: 1516_00, CLEO: 1484_00}
    assert story.ratings(6) == AFTER_TWO


async def test_only_the_newest_of_a_place_can_be_voided_or_corrected(told: Teller) -> None:
    story = await told(
        [
            *TWO_SESSIONS,
            corrected("s-1", beats(BO, ADA, "s-1b")),
            voided("s-1"),
            corrected("s-1", tie(ADA, BO, "s-1c")),
            voided("s-2", "s-1"),
            voided("s-unknown"),
            corrected("s-unknown", tie(ADA, BO, "s-1d")),
        ]
    )
    assert story.refused == dict.fromkeys(range(5, 10), "impossible_correction")
    assert story.ratings() == {ADA: 1484_00, BO: 1531_26, CLEO: 1484_74}


async def test_what_is_voided_already_is_voided_once(told: Teller) -> None:
    story = await told([*TWO_SESSIONS, voided("s-1"), voided("s-1"), voided("s-1", "s-2", "s-2")])
    assert story.refused == {}
    assert story.shown(5) == {}
    assert story.shown(6) == {BO: -16_00, CLEO: 16_00}
    assert story.ratings() == {}


async def test_many_sessions_are_voided_at_once(told: Teller) -> None:
    # Cleo, whose only session was against somebody who has none left, has none left either.
    story = await told([*TWO_SESSIONS, beats(DREW, ADA, "s-3"), voided("s-1", "s-2")])
    # Drew, 16 behind, beat Ada: 1516.74. Now they met as equals.
    assert story.ratings(4) == {ADA: 1499_26, BO: 1500_74, CLEO: 1483_26, DREW: 1516_74}
    assert story.ratings() == {ADA: 1484_00, DREW: 1516_00}


async def test_a_correction_whose_numbers_cannot_be_leaves_the_old_session(told: Teller) -> None:
    nobody_won = a_session(a_round({ADA: 0, BO: 0}), name="s-1b")
    story = await told([*TWO_SESSIONS, corrected("s-1", nobody_won)])
    assert story.refused == {4: "impossible_round"}
    assert story.ratings() == AFTER_TWO


# Verification.


async def test_a_void_from_before_a_verification_leaves_the_verified_pool(told: Teller) -> None:
    story = await told(
        [
            ADOPTED,
            beats(ADA, BO, "s-1"),
            PlayerVerified(ADA),
            PlayerVerified(BO),
            beats(BO, ADA, "s-2"),
            voided("s-1"),
        ]
    )
    # From 32 behind 17.47; among the verified it is their first game.
    assert story.ratings(5) == {ADA: 1498_53, BO: 1501_47}
    assert story.verified(5) == {BO: (1516_00, 1), ADA: (1484_00, 1)}
    assert story.ratings() == {ADA: 1484_00, BO: 1516_00}
    assert story.verified() == story.verified(5)


async def test_a_session_in_a_place_before_a_verification_is_not_among_the_verified(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            PlayerVerified(BO),
            beats(CLEO, BO, "s-1"),
            PlayerVerified(ADA),
            PlayerVerificationEnded(BO),
            corrected("s-1", beats(ADA, BO, "s-1b")),
            corrected("s-1b", beats(CLEO, BO, "s-1c")),
            PlayerVerified(BO),
            beats(ADA, BO, "s-2"),
            corrected("s-2", beats(BO, ADA, "s-2b")),
        ]
    )
    assert story.ratings(6) == {ADA: 1516_00, BO: 1484_00}
    assert story.verified(6) == {}
    # What is corrected in its place among the verified moves them there.
    assert story.verified(9) == {ADA: (1516_00, 1), BO: (1484_00, 1)}
    assert story.verified(10) == {ADA: (1484_00, 1), BO: (1516_00, 1)}


# Formulas. With three at a table, mahjic-elo/2-scaled halves the sum over both opponents.

THREE_AT_A_TABLE = a_session(a_round({ADA: 2, BO: 1, CLEO: 0}), name="s-1")


async def test_a_formula_from_the_beginning_and_back_leaves_no_trace(told: Teller) -> None:
    story = await told(
        [
            ADOPTED,
            THREE_AT_A_TABLE,
            beats(CLEO, ADA, "s-2"),
            adopted_from_beginning(SCALED),
            adopted_from_beginning(ELO),
        ]
    )
    # Ada beats two equals: 16 + 16. Bo beats one and loses to one.
    assert story.ratings(2) == {ADA: 1532_00, BO: 1500_00, CLEO: 1468_00}
    # Cleo is 64 behind: E = 1 / (1 + 10^0.16) = 1 / 2.445440 = 0.408924, 32 * 0.591076 = 18.91.
    assert story.ratings(3) == {ADA: 1513_09, BO: 1500_00, CLEO: 1486_91}
    # Scaled, Ada had 16 and Cleo -16: 32 apart, and Cleo wins 17.47; one opponent halves nothing.
    assert story.ratings(4) == {ADA: 1498_53, BO: 1500_00, CLEO: 1501_47}
    assert story.shown(4) == {ADA: -14_56, CLEO: 14_56}
    assert story.ratings(5) == story.ratings(3)


async def test_a_formula_from_now_on_leaves_the_past_also_when_that_is_corrected(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            THREE_AT_A_TABLE,
            adopted_now(SCALED),
            a_session(a_round({DREW: 2, XI: 1, YAN: 0}), name="s-2"),
            corrected("s-1", a_session(a_round({BO: 2, ADA: 1, CLEO: 0}), name="s-1b")),
            voided("s-2"),
            corrected("s-2", a_session(a_round({YAN: 2, XI: 1, DREW: 0}), name="s-2b")),
        ]
    )
    scaled = {DREW: 1516_00, XI: 1500_00, YAN: 1484_00}
    assert story.ratings(4) == {ADA: 1532_00, BO: 1500_00, CLEO: 1468_00, **scaled}
    assert story.ratings(5) == {BO: 1532_00, ADA: 1500_00, CLEO: 1468_00, **scaled}
    assert story.ratings(7)[YAN] == 1516_00


async def test_a_formula_from_the_beginning_ends_what_was_adopted_before(told: Teller) -> None:
    story = await told(
        [
            ADOPTED,
            THREE_AT_A_TABLE,
            adopted_now(SCALED),
            a_session(a_round({DREW: 2, XI: 1, YAN: 0}), name="s-2"),
            adopted_from_beginning(ELO),
            adopted_now(SCALED),
            a_session(a_round({"MJ-A": 2, "MJ-B": 1, "MJ-C": 0}), name="s-3"),
        ]
    )
    assert story.shown(5) == {DREW: 16_00, YAN: -16_00}
    assert [story.ratings()[each] for each in (ADA, DREW, "MJ-A")] == [1532_00, 1532_00, 1516_00]


# Games and K.


async def test_a_void_that_takes_somebody_below_30_games_raises_k_in_later_rounds(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            tie(ADA, ZOE, "s-1", games=4),
            tie(ADA, YAN, "s-2", games=27),
            beats(ADA, XI, "s-3"),
            beats(BO, ADA, "s-4"),
            voided("s-1"),
        ]
    )
    # With 31 games behind her Ada has K = 24: half of it for a win over an equal. Xi has 32.
    assert (story.ratings(4)[ADA], story.ratings(4)[XI]) == (1512_00, 1484_00)
    # Bo is 12 behind: E = 1 / (1 + 10^0.03) = 1 / 2.071519 = 0.482737; 32 * 0.517263 = 16.55 for
    # Bo, and 24 * 0.517263 = 12.41 from Ada.
    assert (story.ratings(5)[ADA], story.ratings(5)[BO]) == (1499_59, 1516_55)
    # With 27 and 28 games both rounds have K = 32: 16.00, then from 16 behind Bo takes 16.74.
    assert (story.ratings(6)[ADA], story.ratings(6)[BO]) == (1499_26, 1516_74)
    assert story.games(5)[ADA] == 33
    assert story.games(6)[ADA] == 29
    assert story.shown(6) == {ADA: -33, ZOE: 0, BO: 19}
