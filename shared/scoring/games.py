"""Makes the claims of sessions from games that were scored under a rule book."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from shared.scoring.mistakes import ScoreFileMistake


@dataclass(frozen=True, slots=True)
class Game:
    """One game: who sat there, in seating order, who won it if anybody, and what each got.

    `points` has a number for every player, above 0 for what came in; they sum to zero. `line` is
    where the game ends in its file, from 1; it locates what is wrong with the game later.
    """

    players: tuple[str, ...]
    date: date | None
    winner: str | None
    points: Mapping[str, Fraction]
    line: int = 1


@dataclass(frozen=True, slots=True)
class ScoredGames:
    """All games of a file, as every rule book hands them on.

    `players` are all who are named, in order of first appearance, with those who never played.
    `impossible_dates` are lines of dates that no calendar has: they matter to a session alone.
    """

    players: tuple[str, ...]
    games: tuple[Game, ...]
    impossible_dates: tuple[ScoreFileMistake, ...] = ()
