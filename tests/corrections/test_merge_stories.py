"""Stories of merges whose numbers are worked out by hand; the replays and the rater agree.

The sums are those of test_stories.py.
"""

from collections.abc import Sequence

import pytest

from shared.events.facts import (
    FactEvent,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
)
from tests.corrections.stories import (
    ADA,
    ADA_2,
    ADA_3,
    BO,
    CLEO,
    DREW,
    XI,
    YAN,
    ZOE,
    Teller,
    beats,
    corrected,
    voided,
)
from tests.rater.stories import ADOPTED

# Ada plays under three ids, each time against somebody else, and wins.

THREE_IDS: Sequence[FactEvent] = (
    ADOPTED,
    beats(ADA, ZOE, "s-1"),
    beats(ADA_2, YAN, "s-2"),
    beats(ADA_3, XI, "s-3"),
)
APART = {
    ADA: 1516_00,
    ZOE: 1484_00,
    ADA_2: 1516_00,
    YAN: 1484_00,
    ADA_3: 1516_00,
    XI: 1484_00,
}
# The first two are one: 1516, and from 16 ahead 15.26 more.
FIRST_TWO = {ZOE: 1484_00, ADA_2: 1531_26, YAN: 1484_74, ADA_3: 1516_00, XI: 1484_00}
# All are one: 1531.26, and from 31.26 ahead 14.56 more.
ALL_THREE = {ZOE: 1484_00, YAN: 1484_74, ADA_3: 1545_82, XI: 1485_44}
# The last two are one.
LAST_TWO = {ADA: 1516_00, ZOE: 1484_00, YAN: 1484_00, ADA_3: 1531_26, XI: 1484_74}


async def test_a_chain_of_merges_is_one_player(told: Teller) -> None:
    story = await told([*THREE_IDS, PlayersMerged(ADA, ADA_2), PlayersMerged(ADA_2, ADA_3)])
    assert story.ratings(4) == APART
    assert story.ratings(5) == FIRST_TWO
    assert story.shown(5) == {ADA: -16_00, ADA_2: 15_26, YAN: 74}
    assert story.ratings(6) == ALL_THREE
    assert story.shown(6) == {ADA_2: -31_26, ADA_3: 29_82, XI: 1_44}
    assert story.games() == {ZOE: 1, YAN: 1, ADA_3: 3, XI: 1}


async def test_a_chain_is_undone_from_its_end(told: Teller) -> None:
    story = await told(
        [
            *THREE_IDS,
            PlayersMerged(ADA, ADA_2),
            PlayersMerged(ADA_2, ADA_3),
            PlayersUnmerged(ADA_2, ADA_3),
            PlayersUnmerged(ADA, ADA_2),
        ]
    )
    assert story.ratings(7) == FIRST_TWO
    assert story.shown(7) == {ADA_2: 31_26, ADA_3: -29_82, XI: -1_44}
    assert story.ratings(8) == APART


async def test_a_chain_is_undone_from_its_beginning(told: Teller) -> None:
    story = await told(
        [
            *THREE_IDS,
            PlayersMerged(ADA, ADA_2),
            PlayersMerged(ADA_2, ADA_3),
            PlayersUnmerged(ADA, ADA_2),
            PlayersUnmerged(ADA_2, ADA_3),
        ]
    )
    assert story.ratings(7) == LAST_TWO
    # Ada is back with her 16; the last id had 1500 + 45.82, and has 1500 + 31.26.
    assert story.shown(7) == {ADA: 16_00, ADA_3: -14_56, YAN: -74, XI: -70}
    assert story.ratings(8) == APART


async def test_what_is_played_under_a_merged_id_is_the_survivors(told: Teller) -> None:
    story = await told(
        [
            *THREE_IDS[:3],
            PlayersMerged(ADA, ADA_2),
            beats(ADA, DREW, "s-4"),
            PlayersUnmerged(ADA, ADA_2),
        ]
    )
    # From 31.26 ahead of Drew, 14.56 more.
    assert story.ratings(5) == {ZOE: 1484_00, ADA_2: 1545_82, YAN: 1484_74, DREW: 1485_44}
    # It was Ada who played: 1516 + 15.26, and Drew 1500 - 15.26.
    assert story.ratings() == {
        ADA: 1531_26,
        ZOE: 1484_00,
        ADA_2: 1516_00,
        YAN: 1484_00,
        DREW: 1484_74,
    }


async def test_those_who_met_are_merged_only_once_that_session_is_voided(told: Teller) -> None:
    story = await told(
        [
            *THREE_IDS[:3],
            beats(ADA, ADA_2, "s-met"),
            PlayersMerged(ADA, ADA_2),
            voided("s-met"),
            PlayersMerged(ADA, ADA_2),
            corrected("s-met", beats(ADA, ADA_2, "s-met-again")),
            PlayersUnmerged(ADA, ADA_2),
            corrected("s-met", beats(ADA, ADA_2, "s-met-at-last")),
        ]
    )
    assert story.refused == {5: "impossible_merge", 8: "impossible_round"}
    assert story.ratings(7) == {ZOE: 1484_00, ADA_2: 1531_26, YAN: 1484_74}
    assert story.ratings() == {ADA: 1532_00, ADA_2: 1500_00, ZOE: 1484_00, YAN: 1484_00}


async def test_those_whose_other_ids_met_are_not_merged(told: Teller) -> None:
    story = await told(
        [
            ADOPTED,
            beats(ADA, BO, "s-1"),
            PlayersMerged(BO, DREW),
            PlayersMerged(DREW, ADA),
            corrected("s-1", beats(ADA, CLEO, "s-1b")),
            PlayersMerged(DREW, ADA),
        ]
    )
    assert story.refused == {4: "impossible_merge"}
    assert story.ratings() == {ADA: 1516_00, CLEO: 1484_00}


@pytest.mark.parametrize(
    "merge",
    [
        PlayersMerged(ADA, ADA),
        PlayersMerged("BOB", ADA),
        PlayersMerged(ADA, "BOB"),
        PlayersMerged("AN-NICK", ADA),
        PlayersMerged(ADA, "AN-NICK"),
        PlayersMerged(ADA_3, YAN),
        PlayersMerged(ADA_2, ADA_3),
        PlayersUnmerged(ADA_2, ADA_3),
        PlayersUnmerged(ADA, ADA_2),
    ],
    ids=str,
)
async def test_what_cannot_be_merged_or_undone_is_refused(told: Teller, merge: FactEvent) -> None:
    story = await told([*THREE_IDS, PlayersMerged(ADA_3, ADA_2), merge])
    assert story.refused == {6: "impossible_merge"}
    assert story.standings[5] == story.standings[4]


async def test_the_rounds_of_a_merged_pair_count_among_the_verified_from_then_on(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            PlayerVerified(BO),
            beats(ADA_2, BO, "s-1"),
            PlayerVerified(ADA),
            beats(ADA_2, BO, "s-2"),
            PlayersMerged(ADA_2, ADA),
            PlayersUnmerged(ADA_2, ADA),
            PlayersMerged(ADA, ADA_2),
        ]
    )
    # From 32 ahead 14.53 more.
    assert story.ratings(5) == {ADA_2: 1530_53, BO: 1469_47}
    assert story.verified(5) == {}
    # Ada was verified by the time of s-2, and not of s-1; among the verified they met as equals.
    assert story.ratings(6) == {ADA: 1530_53, BO: 1469_47}
    assert story.verified(6) == {ADA: (1516_00, 1), BO: (1484_00, 1)}
    assert story.verified(7) == {}
    # It does not matter which of the two ids goes on.
    assert story.ratings(8) == {ADA_2: 1530_53, BO: 1469_47}
    assert story.verified(8) == {ADA_2: (1516_00, 1), BO: (1484_00, 1)}
    assert story.shown(6) == {ADA_2: -30_53, ADA: 30_53, BO: 0}


async def test_a_merged_pair_is_verified_until_the_verification_of_both_has_ended(
    told: Teller,
) -> None:
    story = await told(
        [
            ADOPTED,
            PlayerVerified(BO),
            PlayerVerified(ADA),
            PlayerVerified(ADA_2),
            PlayersMerged(ADA_2, ADA),
            PlayerVerificationEnded(ADA),
            beats(ADA, BO, "s-1"),
            PlayerVerificationEnded(ADA_2),
            beats(ADA, BO, "s-2"),
        ]
    )
    assert story.verified(7) == {ADA: (1516_00, 1), BO: (1484_00, 1)}
    assert story.verified(9) == story.verified(7)
    assert story.ratings() == {ADA: 1530_53, BO: 1469_47}
