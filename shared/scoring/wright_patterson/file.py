"""Reads rounds of Wright-Patterson from plain text, one line for each thing that happened.

The form is that of docs/scoring.md. A line of four names, East first, begins a game; `round` begins
a round, and the lines below it say what happened in it; `end` ends a game before its time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from shared.scoring.above_games import are_names, date_of, is_date
from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.games import ScoredGames
from shared.scoring.score_file import ScoreFile, unknown_line
from shared.scoring.wright_patterson.rounds import Table, end_game, play
from shared.scoring.wright_patterson.told import FORMS, ToldRound, read_wind

_ROUND: Final = "round"
_END: Final = "end"
_FORMS: Final = f"four names, a line that starts with {', '.join([_ROUND, *FORMS])} or {_END},"


def read_wright_patterson(text: str) -> ScoredGames:
    """Return the rounds of a file, each as one game with what it brought and cost the players.

    Points lie in the pots until someone collects them or the game ends, so it is the rounds of a
    whole game that sum to zero. Raises InvalidScores with all the mistakes found.
    """
    return _WrightPattersonFile().games_of(text)


class _WrightPattersonFile(ScoreFile):
    """What the lines so far have said, of the round that they tell and of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table()
        # After a refused line it is unknown who is East and what is in the pots.
        self.is_table_known = True
        self.told: ToldRound | None = None

    def refuse(self, line: int, refused: AgainstTheRules) -> None:
        super().refuse(line, refused)
        self.is_table_known = False
        if self.told is not None:
            self.told.is_refused = True

    def close(self) -> None:
        """Play the round that the lines before describe, if there is one."""
        told, self.told = self.told, None
        if told is None or told.is_refused:
            return
        try:
            self._play(told)
        except AgainstTheRules as refused:
            self.refuse(told.line, refused)

    def read(self, line: int, words: list[str]) -> None:
        keyword = words[0]
        if keyword in FORMS:
            self._tell(words)
        elif keyword == _ROUND:
            self._begin_round(line, words)
        elif keyword == _END:
            self._end(words)
        elif is_date(words):
            self.close()
            self.day = date_of(words)
        elif are_names(words):
            self.seat(words)
        else:
            raise unknown_line(words, _FORMS)

    def seat(self, names: Sequence[str]) -> None:
        """Begin a game: everyone has 10,000 points, and the first is East."""
        self.close()
        left = self.table.flower_pot + self.table.wall_pot if self.is_table_known else 0
        self.table, self.is_table_known = Table(), True
        super().seat(names)
        if left:
            raise AgainstTheRules(
                "pots_left",
                f"The game above is not over, and there are {left} points in its pots; write "
                "`end` below its last round to split them.",
            )

    def _begin_round(self, line: int, words: list[str]) -> None:
        self.close()
        if self.seated is None:
            raise AgainstTheRules(
                "no_players", "A game starts with its four names, East first; write them above."
            )
        self.told = ToldRound(line, self.seated)
        if len(words) != 2:
            raise AgainstTheRules("wrong_form", "Write `round` and the prevailing wind.")
        self.told.prevailing = read_wind(words[1])

    def _tell(self, words: list[str]) -> None:
        if self.told is not None:
            self.told.take(words)
        elif self.seated is not None or self.is_table_known:
            raise AgainstTheRules(
                "outside_round",
                f"`{words[0]}` belongs to a round; start one with `round` and the prevailing wind.",
            )

    def _play(self, told: ToldRound) -> None:
        played = told.finished()
        if not self.is_table_known:
            return
        before, self.table = self.table, play(self.table, played)
        winner = None if played.win is None else played.win.by
        self.score(told.line, winner, _moved(before, self.table))

    def _end(self, words: list[str]) -> None:
        """End the game; what is left in the pots goes with its last round."""
        self.close()
        if len(words) != 1:
            raise AgainstTheRules("wrong_form", "Write `end` on its own.")
        if not self.is_table_known:
            return
        if self.seated is None or self.table.is_over:
            raise AgainstTheRules("no_game", "There is no game going on here to end.")
        before, self.table = self.table, end_game(self.table)
        if self.games and before.points != self.table.points:
            last = self.games[-1]
            shares = zip(self.seated, _moved(before, self.table), strict=True)
            points = {name: last.points[name] + share for name, share in shares}
            self.games[-1] = replace(last, points=points)


def _moved(before: Table, after: Table) -> Iterator[Fraction]:
    """Yield what each seat gained, below 0 for a loss."""
    return (now - had for had, now in zip(before.points, after.points, strict=True))
