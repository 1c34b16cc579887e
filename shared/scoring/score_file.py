"""What the score files of all rule books share: lines are read one by one, and all mistakes are
reported at once.

A rule book says what its lines mean; a line that it refuses is noted, and the next ones are read.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from typing import Final

from shared.scoring.above_games import four_players
from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.games import Game, ScoredGames
from shared.scoring.lines import foreign_digit, words_by_line
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

NAMES_HOLD: Final = "Names may not contain # or *, or start with - or a digit."


class ScoreFile(ABC):
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.seated: tuple[str, ...] | None = None
        self.players: dict[str, None] = {}
        self.games: list[Game] = []
        self.mistakes: list[ScoreFileMistake] = []
        # The table needs no date, and a rule book may score games of such dates; sessions do.
        self.impossible_dates: list[ScoreFileMistake] = []

    def games_of(self, text: str) -> ScoredGames:
        """Return the games of a whole file. Raises InvalidScores with all the mistakes found."""
        for line, words in words_by_line(text):
            try:
                self.read(line, words)
            except AgainstTheRules as refused:
                self.refuse(line, refused)
        self.close()
        if self.mistakes:
            raise InvalidScores(sorted(self.mistakes, key=lambda mistake: mistake.line or 0))
        return ScoredGames(tuple(self.players), tuple(self.games), tuple(self.impossible_dates))

    @abstractmethod
    def read(self, line: int, words: list[str]) -> None:
        """Take what a line says. Raises AgainstTheRules."""

    def refuse(self, line: int, refused: AgainstTheRules) -> None:
        """Note what is wrong with a line."""
        self.mistakes.append(mistake_on(line, refused))

    def close(self) -> None:  # noqa: B027 - In most rule books each line stands alone.
        """Take what the last lines have said together."""

    def seat(self, names: Sequence[str]) -> None:
        """Let four players begin. Raises AgainstTheRules when one is named twice.

        They are seated even then, so that nothing below is refused for lack of players.
        """
        self.seated = tuple(names)
        self.players.update(dict.fromkeys(four_players(names)))

    def score(self, line: int, winner: int | None, moved: Iterable[Fraction | int]) -> None:
        """Record a game: who won it, if anyone, and what each seat gained or lost."""
        assert self.seated is not None, "No one plays before the players are named."
        name = None if winner is None else self.seated[winner]
        points = dict(zip(self.seated, map(Fraction, moved), strict=True))
        self.games.append(Game(self.seated, self.day, name, points, line))


def mistake_on(line: int, refused: AgainstTheRules) -> ScoreFileMistake:
    """Return what is wrong, with its line."""
    return ScoreFileMistake(line, refused.code, refused.message)


def unknown_line(words: Sequence[str], forms: str) -> AgainstTheRules:
    """Return the refusal of a line that has none of the forms, which are listed after the date."""
    digit = foreign_digit(words)
    if digit is not None:
        what = f"`{digit}` is not one of the digits 0 to 9; use those."
    else:
        what = f"This is not a date (YYYY-MM-DD), {forms} or a comment (#). {NAMES_HOLD}"
    return AgainstTheRules("unknown_line", what)
