"""Stories of reassigned seats whose numbers are worked out by hand; replays and rater agree.

The sums are those of test_merge_stories.py.
"""

from collections.abc import Sequence

import pytest

from shared.events.facts import FactEvent, PlayersMerged, PlayersUnmerged, SeatsReassigned
from tests.corrections.stories import (
    ADA,
    ADA_2,
    BO,
    CLEO,
    XI,
    YAN,
    ZOE,
    Teller,
    beats,
    corrected,
    voided,
)
from tests.rater.stories import ADOPTED, a_round, a_session

# Ada wins three times, the first time of them 1516 to 1484.
THREE: Sequence[FactEvent] = (
    ADOPTED,
    beats(ADA, ZOE, "s-1"),
    beats(ADA, YAN, "s-2"),
    beats(ADA, XI, "s-3"),
)
# 16, then 15.26 from 16 ahead, then 14.56 from 31.26 ahead.
ALL_OF_ADA = {ADA: 1545_82, ZOE: 1484_00, YAN: 1484_74, XI: 1485_44}
# The middle one was Bo's.
ONE_OF_BO = {ADA: 1531_26, BO: 1516_00, ZOE: 1484_00, YAN: 1484_00, XI: 1484_74}


def reseated(given: str, to: str, *sessions: str) -> SeatsReassigned:
    return SeatsReassigned(given, to, sessions)


async def test_a_seat_is_anothers_as_if_it_had_always_been_and_goes_back(told: Teller) -> None:
    story = await told([*THREE, reseated(ADA, BO, "s-2"), reseated(BO, ADA, "s-2")])
    assert story.ratings(4) == ALL_OF_ADA
    assert story.ratings(5) == ONE_OF_BO
    assert story.shown(5) == {ADA: -14_56, BO: 16_00, YAN: -74, XI: -70}
    assert story.games(5) == {ADA: 2, BO: 1, ZOE: 1, YAN: 1, XI: 1}
    assert story.ratings(6) == ALL_OF_ADA
    assert story.shown(6) == {ADA: 14_56, BO: -16_00, YAN: 74, XI: 70}


async def test_it_goes_through_many_hands_and_back_to_where_each_sat(told: Teller) -> None:
    """Bo has a round of his own in the session, which stays his at the end."""
    both = a_session(a_round({ADA: 1, ZOE: 0}), a_round({BO: 1, YAN: 0}), name="s-1")
    there = [reseated(ADA, BO, "s-1"), reseated(BO, CLEO, "s-1")]
    back = [reseated(CLEO, BO, "s-1"), reseated(BO, ADA, "s-1")]
    story = await told([ADOPTED, both, *there, *back])
    apart = {ADA: 1516_00, ZOE: 1484_00, BO: 1516_00, YAN: 1484_00}
    assert story.ratings(2) == apart
    assert story.ratings(3) == {BO: 1531_26, ZOE: 1484_00, YAN: 1484_74}
    assert story.ratings(4) == {CLEO: 1531_26, ZOE: 1484_00, YAN: 1484_74}
    assert story.ratings(5) == story.ratings(3)
    assert story.ratings(6) == apart


async def test_merges_before_between_and_after_are_read_as_elsewhere(told: Teller) -> None:
    played: list[FactEvent] = [ADOPTED, beats(ADA, ZOE, "s-1"), beats(ADA_2, YAN, "s-2")]
    story = await told(
        [
            *played,
            PlayersMerged(ADA_2, ADA),
            reseated(ADA, BO, "s-1", "s-2"),  # The seats of both ids.
            PlayersMerged(BO, CLEO),
            PlayersUnmerged(ADA_2, ADA),
            reseated(CLEO, ADA, "s-1", "s-2"),  # Each seat to the id that sat there.
            PlayersUnmerged(BO, CLEO),
        ]
    )
    assert story.ratings(4) == {ADA: 1531_26, ZOE: 1484_00, YAN: 1484_74}
    assert story.ratings(5) == {BO: 1531_26, ZOE: 1484_00, YAN: 1484_74}
    assert story.ratings(6) == {CLEO: 1531_26, ZOE: 1484_00, YAN: 1484_74}
    apart = {ADA: 1516_00, ZOE: 1484_00, ADA_2: 1516_00, YAN: 1484_00}
    assert story.ratings(8) == apart
    assert story.ratings(9) == apart


async def test_whoever_never_sat_anywhere_comes_by_a_seat(told: Teller) -> None:
    story = await told([ADOPTED, beats(ADA, ZOE, "s-1"), reseated(ADA, BO, "s-1")])
    assert story.ratings() == {BO: 1516_00, ZOE: 1484_00}
    assert story.shown(3) == {ADA: -16_00, BO: 16_00}


async def test_voids_and_corrections_after_it_are_exact(told: Teller) -> None:
    after: list[FactEvent] = [
        reseated(ADA, BO, "s-2"),
        voided("s-1"),  # Ada has only the third one left.
        corrected("s-2", beats(YAN, ADA, "s-4")),  # A correction brings its own seats.
    ]
    story = await told([*THREE, *after])
    assert story.ratings(6) == {ADA: 1516_00, BO: 1516_00, YAN: 1484_00, XI: 1484_00}
    # Ada lost to Yan, and from 16 behind wins 16.74 from Xi.
    assert story.ratings(7) == {YAN: 1516_00, ADA: 1500_74, XI: 1483_26}


async def test_a_seat_that_was_given_is_the_place_of_a_merge(told: Teller) -> None:
    """Bo's seat is by a reassignment, and a merge of Bo acts from there on."""
    story = await told([*THREE, reseated(ADA, BO, "s-2"), PlayersMerged(BO, CLEO)])
    assert story.ratings(6) == {
        CLEO if player == BO else player: rating for player, rating in ONE_OF_BO.items()
    }


@pytest.mark.parametrize(
    "fact",
    [
        reseated(ADA, ZOE, "s-1"),  # Zoe sits there too.
        reseated(ADA, BO, "s-1", "s-5"),  # Nobody knows that session.
        reseated(ADA, BO, "s-1", "s-4"),  # It does not count.
        reseated(ZOE, BO, "s-1", "s-2"),  # Zoe was not there.
        reseated(ADA, BO),
        reseated(ADA, ADA, "s-1"),
        reseated(ADA, "BOB", "s-1"),
        reseated("AN-NICK", BO, "s-1"),
        reseated(ADA, "AN-NICK", "s-1"),
        reseated(CLEO, BO, "s-1"),  # Nobody knows Cleo.
        reseated(ADA_2, BO, "s-1"),  # She is Ada.
        reseated(ADA, ADA_2, "s-1"),
    ],
)
async def test_what_cannot_be_is_refused_as_a_whole(told: Teller, fact: SeatsReassigned) -> None:
    before = [*THREE, beats(ADA, XI, "s-4"), voided("s-4"), PlayersMerged(ADA_2, ADA)]
    story = await told([*before, fact])
    assert story.refused == {8: "impossible_reseat"}
    assert story.ratings() == ALL_OF_ADA
