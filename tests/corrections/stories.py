"""Tells stories of few facts, by the replays by hand or by the rater, and what came of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    Reason,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import FactRefused, RatingsCorrected
from shared.rating.registry import formula_named
from tests.corrections.rating import Parts, players_of, rated, take_in
from tests.log.adapters import new_memory_logs
from tests.rater.stories import a_round, a_session
from tests.replay_by_hand.replay import Standing, replay

ADA, ADA_2, ADA_3, BO, CLEO, DREW = "MJ-ADA", "MJ-ADA-2", "MJ-ADA-3", "MJ-BO", "MJ-CLEO", "MJ-DREW"
XI, YAN, ZOE = "MJ-XI", "MJ-YAN", "MJ-ZOE"


@dataclass(frozen=True, slots=True)
class Told:
    """What came of each fact of a story; facts are counted from 1. Ratings in hundredths."""

    refused: dict[int, str]
    moves: dict[int, dict[str, tuple[Standing, Standing]]]
    standings: list[dict[str, Standing]]

    def ratings(self, seq: int = 0) -> dict[str, int]:
        """Return the rating of everybody with games, after a fact or after the last one."""
        return {each: standing.rating_centi for each, standing in self._playing(seq).items()}

    def games(self, seq: int = 0) -> dict[str, int]:
        """Return the games of everybody who has any."""
        return {each: standing.games for each, standing in self._playing(seq).items()}

    def verified(self, seq: int = 0) -> dict[str, tuple[int, int]]:
        """Return rating and games in the verified pool, of everybody with games there."""
        return {
            each: (standing.verified_rating_centi, standing.verified_games)
            for each, standing in self._playing(seq).items()
            if standing.verified_games
        }

    def shown(self, seq: int) -> dict[str, int]:
        """Return by how much a fact about the past moved the rating of each whom it moved."""
        return {
            player: after.rating_centi - before.rating_centi
            for player, (before, after) in self.moves[seq].items()
        }

    def _playing(self, seq: int) -> dict[str, Standing]:
        return {each: at for each, at in self.standings[seq - 1].items() if at.games}


class Teller(Protocol):
    """Says what comes of a story."""

    async def __call__(self, facts: Sequence[FactEvent]) -> Told: ...


async def told_by_hand(facts: Sequence[FactEvent]) -> Told:
    """Tell a story by full replays."""
    answers = replay(enumerate(facts, start=1))
    return Told(
        refused={each.seq: each.refused for each in answers if each.refused is not None},
        moves={
            each.seq: {moved.player: (moved.before, moved.after) for moved in each.moved}
            for each in answers
            if each.moved is not None
        },
        standings=[each.standings for each in answers],
    )


async def told_by_the_rater(facts: Sequence[FactEvent]) -> Told:
    """Tell a story by what the rater shows: the standings are sums of changes."""
    told = Told({}, {}, [])
    shown: dict[str, Standing] = defaultdict(Standing)
    for seq, parts in enumerate(await rated(new_memory_logs(), facts), start=1):
        for part in parts:
            take_in(shown, part)
        told.standings.append(dict(shown))
        _note(told, seq, parts)
    return told


def _note(told: Told, seq: int, parts: Parts) -> None:
    first = parts[0].event
    if isinstance(first, FactRefused):
        told.refused[seq] = first.reason
    elif isinstance(first, RatingsCorrected):
        told.moves[seq] = {
            player: (before, after) for part in parts for player, before, after in players_of(part)
        }


TELLERS = {"by hand": told_by_hand, "by the rater": told_by_the_rater}


def beats(winner: str, loser: str, name: str) -> SessionSubmitted:
    """Return a session of one game of two, which the first one wins."""
    return a_session(a_round({winner: 1, loser: 0}), name=name)


def tie(one: str, other: str, name: str, *, games: int = 2) -> SessionSubmitted:
    """Return a session of two who win as often as each other."""
    won, wall_games = divmod(games, 2)
    return a_session(a_round({one: won, other: won}, wall_games=wall_games), name=name)


def voided(*names: str, reason: Reason = "not_played") -> SessionsVoided:
    """Return that sessions are left out."""
    return SessionsVoided(names, reason)


def corrected(old: str, new: SessionSubmitted, reason: Reason = "wrong_result") -> SessionCorrected:
    """Return that a session takes the place of another."""
    return SessionCorrected(old, reason, new)


def adopted_now(name: str) -> FormulaAdopted:
    """Return that a formula holds from here on."""
    formula = formula_named(name)
    return FormulaAdopted(formula.name, formula.parameters)


def adopted_from_beginning(name: str) -> FormulaAdoptedFromBeginning:
    """Return that a formula holds for all that was played."""
    formula = formula_named(name)
    return FormulaAdoptedFromBeginning(formula.name, formula.parameters)
