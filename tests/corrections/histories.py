"""Histories with every kind of fact, in any order, lawful and unlawful.

A history is read off a list of steps, a few bytes each, so that the same reader serves hypothesis
(which cuts steps out of a history that fails) and long histories from a seed.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from hypothesis import strategies as st

from shared.events.facts import (
    GAME_TYPES,
    REASONS,
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.rating.registry import FORMULAS
from tests.rater.stories import ADOPTED
from tests.replay_by_hand.history import Sessions, merges, seated, survivor
from tests.replay_by_hand.refusals import why_not

STEP_BYTES: Final = 24

# Six people; most have several ids, which are free to be merged as long as they do not meet.
PEOPLE: Final = (
    ("MJ-7K3Q9XZM", "MJ-ABCDEFGG", "MJ-ADA-3"),
    ("MJ-0000001Y", "MJ-BO-2", "MJ-BO-3", "MJ-BO-4"),
    ("MJ-CLEO", "MJ-CLEO-2", "MJ-CLEO-3"),
    ("MJ-DREW", "MJ-DREW-2"),
    ("MJ-EVE",),
    ("AN-NICK", "AN-0000001Y"),
)
PLAYERS: Final = tuple(each for ids in PEOPLE for each in ids)
STRANGERS: Final = ("BOB", "MJ-STRANGER")

Choice = TypeVar("Choice")


class Chances:
    """What one step is made of: choices read off its bytes, the plainest for zeros."""

    def __init__(self, step: bytes) -> None:
        self._left = int.from_bytes(step, "little")

    def below(self, end: int) -> int:
        """Return a number from 0 to `end` - 1."""
        self._left, chosen = divmod(self._left, end)
        return chosen

    def one_of(self, choices: Sequence[Choice]) -> Choice:
        """Return one of the choices."""
        return choices[self.below(len(choices))]


class Scribe:
    """Writes facts one after the other, and knows enough of those before to refer to them."""

    def __init__(self) -> None:
        self.facts: list[FactEvent] = [ADOPTED]
        self._counted: list[tuple[int, FactEvent]] = [(1, ADOPTED)]
        self._sessions: list[SessionSubmitted] = []

    def write(self, step: bytes) -> None:
        """Add the fact that a step says."""
        chances = Chances(step)
        kind = chances.below(256)
        for end, write in self._kinds():
            if kind < end:
                fact = write(chances)
                self.facts.append(fact)
                if why_not(self._counted, fact) is None:
                    self._counted.append((len(self.facts), fact))
                return

    def _kinds(self) -> Iterable[tuple[int, Callable[[Chances], FactEvent]]]:
        """Yield how each kind of fact is written, and the first number beyond its share of 256."""
        yield 110, self._submitted
        yield 132, lambda chances: PlayerVerified(self._player(chances))
        yield 141, lambda chances: PlayerVerificationEnded(self._player(chances))
        yield 158, self._voided
        yield 184, self._corrected
        yield 208, self._players_merged
        yield 220, self._players_unmerged
        yield 245, self._reseated
        yield 251, lambda chances: FormulaAdopted(*self._formula(chances))
        yield 256, lambda chances: FormulaAdoptedFromBeginning(*self._formula(chances))

    def _submitted(self, chances: Chances) -> SessionSubmitted:
        rounds = [a_played_round(chances) for _ in range(1 + chances.below(2))]
        return self._named(chances.one_of(GAME_TYPES), rounds)

    def _named(self, game_type: str, rounds: Iterable[PlayedRound]) -> SessionSubmitted:
        """Return a session with the next name, which later facts may refer to."""
        session = SessionSubmitted(
            session_id=f"s-{len(self._sessions) + 1}",
            source="a-club",
            session_date="2026-03-03",
            game_type=next(each for each in GAME_TYPES if each == game_type),
            rounds=tuple(rounds),
            new_players=(),
        )
        self._sessions.append(session)
        return session

    def _voided(self, chances: Chances) -> SessionsVoided:
        reason = chances.one_of(REASONS)
        count = 1 + (chances.below(4) if chances.below(4) == 1 else 0)
        return SessionsVoided(tuple(self._known(chances) for _ in range(count)), reason)

    def _corrected(self, chances: Chances) -> SessionCorrected:
        corrects, reason = self._known(chances), chances.one_of(REASONS)
        old = next((each for each in self._sessions if each.session_id == corrects), None)
        way = chances.below(4)
        if old is None or way == 0:
            return SessionCorrected(corrects, reason, self._submitted(chances))
        if way == 1:  # Nothing but counted again, or counted in another way.
            game_type = chances.one_of((old.game_type, *GAME_TYPES))
            return SessionCorrected(corrects, reason, self._named(game_type, old.rounds))
        if way == 2:  # Somebody else sat there.
            rounds = [with_another(played, chances) for played in old.rounds]
        else:
            rounds = [won_by_another(played) for played in old.rounds]
        return SessionCorrected(corrects, reason, self._named(old.game_type, rounds))

    def _known(self, chances: Chances) -> str:
        """Return a session: one of the last as often as any, and seldom one that is unknown."""
        last = self._sessions[-5:] if chances.below(2) else self._sessions
        if not last or chances.below(32) == 31:
            return "s-unknown"
        return chances.one_of(last).session_id

    def _players_merged(self, chances: Chances) -> PlayersMerged:
        if chances.below(4) == 3:
            ids = (*PLAYERS, *STRANGERS)
            return PlayersMerged(chances.one_of(ids), chances.one_of(ids))
        merged_into = merges(self._counted)
        people = [[each for each in ids if each not in merged_into] for ids in PEOPLE[:4]]
        ids = tuple(chances.one_of([each for each in people if len(each) > 1] or [PLAYERS]))
        first = chances.below(len(ids))
        return PlayersMerged(ids[first], ids[first - 1])

    def _players_unmerged(self, chances: Chances) -> PlayersUnmerged:
        merged = list(merges(self._counted).items())
        if not merged or chances.below(8) == 7:
            return PlayersUnmerged(self._player(chances), self._player(chances))
        return PlayersUnmerged(*chances.one_of(merged))

    def _reseated(self, chances: Chances) -> SeatsReassigned:
        """Give seats away: mostly someone's who sits there, and often those given away before."""
        earlier = [each for _, each in self._counted if isinstance(each, SeatsReassigned)]
        way = chances.below(8)
        if earlier and way < 3:  # The other way, by any ids that are read as theirs.
            old = chances.one_of(earlier[-4:])
            merged_into = merges(self._counted)
            return SeatsReassigned(survivor(merged_into, old.to), old.from_, old.sessions)
        if way == 7:
            sessions = tuple(self._known(chances) for _ in range(chances.below(3)))
            return SeatsReassigned(self._player(chances), self._player(chances), sessions)
        counting = Sessions(self._counted).live()
        if not counting:
            return SeatsReassigned(self._player(chances), self._player(chances), ("s-unknown",))
        merged_into = merges(self._counted)
        one = chances.one_of(seated(chances.one_of(counting)))
        player = survivor(merged_into, one)
        theirs = [
            each.session_id
            for each in counting
            if player in {survivor(merged_into, somebody) for somebody in seated(each)}
        ]
        count = 1 + chances.below(4)
        sessions = tuple(theirs[-count:] if chances.below(2) else theirs[:count])
        return SeatsReassigned(player, self._player(chances), sessions)

    def _player(self, chances: Chances) -> str:
        return chances.one_of((*PLAYERS, *STRANGERS) if chances.below(16) == 15 else PLAYERS)

    def _formula(self, chances: Chances) -> tuple[str, dict[str, object]]:
        formula = chances.one_of(FORMULAS)
        return formula.name, formula.parameters


def a_played_round(chances: Chances) -> PlayedRound:
    """Return a round of 2 to 4 people, by any of their ids; one in 16 does not add up."""
    people = list(PEOPLE)
    table = [
        chances.one_of(people.pop(chances.below(len(people)))) for _ in range(2 + chances.below(3))
    ]
    if chances.below(5) == 4:
        somebody = ("BOB", "MJ-ADA-3", "MJ-BO-2")[max(0, chances.below(16) - 13)]
        table[chances.below(len(table))] = somebody
    # Up to 44 games, so that many histories pass 30 and 100 of them.
    won = [chances.below(11) for _ in table]
    wall_games = chances.below(4) + (0 if any(won) else 1)
    points_max = (2_000, 60_000, 100_000_000)[chances.below(8) // 6 + chances.below(16) // 15]
    return PlayedRound(
        games_played=sum(won) + wall_games + chances.below(16) // 15,
        wall_games=wall_games,
        players=tuple(table),
        mahjongs=tuple(won),
        points_centi=tuple(chances.below(2 * points_max + 1) - points_max for _ in table),
    )


def with_another(played: PlayedRound, chances: Chances) -> PlayedRound:
    """Return the round with another player in one of the seats."""
    players = list(played.players)
    players[chances.below(len(players))] = chances.one_of(PLAYERS)
    return PlayedRound(
        played.games_played,
        played.wall_games,
        tuple(players),
        played.mahjongs,
        played.points_centi,
    )


def won_by_another(played: PlayedRound) -> PlayedRound:
    """Return the round with what everybody won given to the next seat."""
    won = played.mahjongs
    return PlayedRound(
        played.games_played,
        played.wall_games,
        played.players,
        (*won[1:], *won[:1]),
        played.points_centi,
    )


def facts_of(steps: Iterable[bytes]) -> list[FactEvent]:
    """Return the history that these steps tell."""
    scribe = Scribe()
    for step in steps:
        scribe.write(step)
    return scribe.facts


def a_long_history(chance: random.Random, steps: int) -> list[FactEvent]:
    """Return a history of so many steps by chance."""
    return facts_of(chance.randbytes(STEP_BYTES) for _ in range(steps))


def histories() -> st.SearchStrategy[list[FactEvent]]:
    """Return a strategy for histories of none to 250 steps."""
    step = st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES)
    return (
        st.sampled_from((0, 30, 60, 120))
        .flatmap(lambda steps_min: st.lists(step, min_size=steps_min, max_size=2 * steps_min + 10))
        .map(facts_of)
    )
