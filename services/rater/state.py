"""What the rater knows: everybody's standing in both pools, and the formula that holds.

Pure, and a cache of the fact log: replaying the log gives it again. A column per quantity, a place
per player.
"""

from array import array
from dataclasses import dataclass, field
from typing import Final

from shared.events.facts import FormulaAdopted, PlayerVerificationEnded, PlayerVerified
from shared.events.verdicts import FactNoted, RatedRound, SessionRated, VerdictEvent
from shared.rating.formulas import START_CENTI, Formula, formula_named


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place in both pools. Ratings in centi."""

    rating_centi: int
    games: int
    verified_rating_centi: int
    verified_games: int
    is_verified: bool


NEWCOMER: Final = Standing(START_CENTI, 0, START_CENTI, 0, is_verified=False)


@dataclass(slots=True)
class State:
    """All standings. `time` is that of the last fact that could be read."""

    formula: Formula | None = None
    time: str = "1970-01-01T00:00:00.000000Z"
    _place: dict[str, int] = field(default_factory=dict)
    _rating_centi: "array[int]" = field(default_factory=lambda: array("q"))
    _games: "array[int]" = field(default_factory=lambda: array("q"))
    _verified_rating_centi: "array[int]" = field(default_factory=lambda: array("q"))
    _verified_games: "array[int]" = field(default_factory=lambda: array("q"))
    _is_verified: bytearray = field(default_factory=bytearray)

    def standing(self, player_id: str) -> Standing:
        """Return a player's standing; somebody unknown, and Bob, stands at 1500 with 0 games."""
        place = self._place.get(player_id)
        if place is None:
            return NEWCOMER
        return Standing(
            self._rating_centi[place],
            self._games[place],
            self._verified_rating_centi[place],
            self._verified_games[place],
            is_verified=bool(self._is_verified[place]),
        )

    def evolve(self, event: VerdictEvent, time: str) -> None:
        """Take in a verdict, which must be the one on the next fact."""
        self.time = time
        if isinstance(event, SessionRated):
            for rated in event.rounds:
                self._take_in(rated)
        elif isinstance(event, FactNoted):
            self._note(event)

    def _take_in(self, rated: RatedRound) -> None:
        for seat, player_id in enumerate(rated.players):
            place = self._place_of(player_id)
            self._rating_centi[place] = rated.rating_before[seat] + rated.rating_change[seat]
            self._games[place] = rated.games_after[seat]
            self._verified_rating_centi[place] = (
                rated.verified_rating_before[seat] + rated.verified_rating_change[seat]
            )
            self._verified_games[place] = rated.verified_games_after[seat]

    def _note(self, event: FactNoted) -> None:
        if event.fact_type == PlayerVerified.TYPE:
            self._is_verified[self._place_of(event.data["player_id"])] = True
        elif event.fact_type == PlayerVerificationEnded.TYPE:
            self._is_verified[self._place_of(event.data["player_id"])] = False
        elif event.fact_type == FormulaAdopted.TYPE:
            self.formula = formula_named(event.data["formula"])

    def _place_of(self, player_id: str) -> int:
        place = self._place.get(player_id)
        if place is None:
            place = self._place[player_id] = len(self._place)
            self._rating_centi.append(START_CENTI)
            self._games.append(0)
            self._verified_rating_centi.append(START_CENTI)
            self._verified_games.append(0)
            self._is_verified.append(False)
        return place
