"""Writes a history as it should have been at once, so that nothing in it needs a correction."""

from collections.abc import Sequence
from dataclasses import replace

from shared.events.facts import (
    FactEvent,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from tests.corrections.stories import adopted_now
from tests.replay_by_hand.history import adoptions, in_order, merges, survivor
from tests.replay_by_hand.refusals import why_not


def as_it_should_have_been(facts: Sequence[FactEvent]) -> list[FactEvent]:
    """Return the same history without voids, corrections, merges and formulas of the past.

    Each session that counts stands in its place, under the ids that everybody is read as now, and
    they are verified as long as one of the ids that are read as theirs is.
    """
    counted: list[tuple[int, FactEvent]] = []
    for seq, fact in enumerate(facts, start=1):
        if why_not(counted, fact) is None:
            counted.append((seq, fact))
    formulas = [(since, adopted_now(formula)) for since, formula in adoptions(counted)]
    happened: list[tuple[int, FactEvent]] = [*formulas, *in_order(counted)]
    return _under_one_id(merges(counted), sorted(happened, key=lambda placed: placed[0]))


def _under_one_id(
    merged_into: dict[str, str], happened: Sequence[tuple[int, FactEvent]]
) -> list[FactEvent]:
    plain: list[FactEvent] = []
    flagged: set[str] = set()
    for _, fact in happened:
        if isinstance(fact, SessionSubmitted):
            plain.append(_renamed(merged_into, fact))
        elif isinstance(fact, PlayerVerified | PlayerVerificationEnded):
            if isinstance(fact, PlayerVerified):
                flagged.add(fact.player_id)
            else:
                flagged.discard(fact.player_id)
            one = survivor(merged_into, fact.player_id)
            is_verified = one in {survivor(merged_into, each) for each in flagged}
            plain.append(PlayerVerified(one) if is_verified else PlayerVerificationEnded(one))
        else:
            plain.append(fact)
    return plain


def _renamed(merged_into: dict[str, str], session: SessionSubmitted) -> SessionSubmitted:
    return replace(
        session,
        rounds=tuple(
            played._replace(players=tuple(survivor(merged_into, each) for each in played.players))
            for played in session.rounds
        ),
    )
