"""Reads rounds of Wright-Patterson from plain text, one line for each thing that happened.

The form is that of docs/scoring.md. A line of four names, East first, begins a game; `round` begins
a round, and the lines below it say what happened in it; `end` ends a game before its time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.dates import date_of, is_date
from shared.scoring.games import Game, ScoredGames
from shared.scoring.lines import foreign_digit, words_by_line
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake
from shared.scoring.names import are_names, four_players
from shared.scoring.wright_patterson.rounds import Table, end_game, play
from shared.scoring.wright_patterson.told import FORMS, ToldRound, read_wind

_ROUND: Final = "round"
_END: Final = "end"


def read_wright_patterson(text: str) -> ScoredGames:
    """Return the rounds of a file, each as one game with what it brought and cost the players.

    Points lie in the pots until somebody collects them or the game ends, so it is the rounds of a
    whole game that sum to zero. Raises InvalidScores with all the mistakes found.
    """
    reading = _Reading()
    for line, words in words_by_line(text):
        reading.take(line, words)
    reading.close_round()
    if reading.mistakes:
        raise InvalidScores(sorted(reading.mistakes, key=lambda mistake: mistake.line or 0))
    return ScoredGames(tuple(reading.players), tuple(reading.games))


class _Reading:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.seated: tuple[str, ...] | None = None
        self.table = Table()
        # After a refused line nobody knows who is East and what lies in the pots.
        self.is_table_known = True
        self.told: ToldRound | None = None
        self.players: dict[str, None] = {}
        self.games: list[Game] = []
        self.mistakes: list[ScoreFileMistake] = []

    def take(self, line: int, words: list[str]) -> None:
        try:
            self._read(line, words)
        except AgainstTheRules as refused:
            self._note(line, refused)

    def close_round(self) -> None:
        """Play the round that the lines before have told, if there is one."""
        told, self.told = self.told, None
        if told is None or told.is_refused:
            return
        try:
            self._play(told)
        except AgainstTheRules as refused:
            self._note(told.line, refused)

    def _read(self, line: int, words: list[str]) -> None:
        keyword = words[0]
        if keyword in FORMS:
            self._tell(words)
        elif keyword == _ROUND:
            self._begin_round(line, words)
        elif keyword == _END:
            self._end(words)
        elif is_date(words):
            self.close_round()
            self.day = date_of(words)
        elif are_names(words):
            self._seat(words)
        else:
            raise AgainstTheRules("unknown_line", _unknown(words))

    def _seat(self, names: list[str]) -> None:
        """Begin a game: everybody has 10,000 points, and the first is East."""
        self.close_round()
        left = self.table.flower_pot + self.table.wall_pot if self.is_table_known else 0
        self.table, self.is_table_known = Table(), True
        self.seated = tuple(names)
        self.players.update(dict.fromkeys(four_players(names)))
        if left:
            raise AgainstTheRules(
                "pots_left",
                f"The game above is not over, and its pots hold {left} points; write `end` below"
                " its last round, so that they are split.",
            )

    def _begin_round(self, line: int, words: list[str]) -> None:
        self.close_round()
        if self.seated is None:
            raise AgainstTheRules(
                "no_players", "A game begins with its four names, East first; write them above."
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
                f"`{words[0]}` belongs to a round; begin one with `round` and the prevailing wind.",
            )

    def _play(self, told: ToldRound) -> None:
        played = told.finished()
        if not self.is_table_known:
            return
        before, self.table = self.table, play(self.table, played)
        winner = None if played.win is None else told.players[played.win.by]
        points = _points(told.players, before, self.table)
        self.games.append(Game(tuple(told.players), self.day, winner, points, told.line))

    def _end(self, words: list[str]) -> None:
        """End the game; what is left in the pots goes with its last round."""
        self.close_round()
        if len(words) != 1:
            raise AgainstTheRules("wrong_form", "Write `end` alone.")
        if not self.is_table_known:
            return
        if self.seated is None or self.table.is_over:
            raise AgainstTheRules("no_game", "No game is going on here that could end.")
        before, self.table = self.table, end_game(self.table)
        if self.games and before.points != self.table.points:
            last = self.games[-1]
            shares = _points(self.seated, before, self.table)
            points = {name: last.points[name] + shares[name] for name in self.seated}
            self.games[-1] = replace(last, points=points)

    def _note(self, line: int, refused: AgainstTheRules) -> None:
        self.mistakes.append(ScoreFileMistake(line, refused.code, refused.message))
        self.is_table_known = False
        if self.told is not None:
            self.told.is_refused = True


def _points(players: Sequence[str], before: Table, after: Table) -> Mapping[str, Fraction]:
    """Return what came in for each player, below 0 for what went out."""
    moved = (now - had for had, now in zip(before.points, after.points, strict=True))
    return dict(zip(players, moved, strict=True))


def _unknown(words: Sequence[str]) -> str:
    digit = foreign_digit(words)
    if digit is not None:
        return f"`{digit}` is not one of the digits 0 to 9; write those."
    return (
        "This is no date (YYYY-MM-DD), not four names, no line that begins with"
        f" {', '.join([_ROUND, *FORMS])} or {_END}, and no comment (#). Names hold no # or *, and"
        " begin with no - or digit."
    )
