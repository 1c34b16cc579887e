"""The table for a file of scores: one line per player, and one for everyone together."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from shared.scoring.games import ScoredGames

COLUMNS: Final = (
    "name",
    "game_count",
    "win_count",
    "win_fraction",
    "net_score",
    "net_score_per_game",
)
EVERYBODY: Final = "*"
DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class TableRow:
    """What one player has done; the averages of someone without games are None."""

    name: str
    game_count: int
    win_count: int
    net_score: Fraction

    @property
    def win_fraction(self) -> Fraction | None:
        """The part of the games that was won."""
        return Fraction(self.win_count, self.game_count) if self.game_count else None

    @property
    def net_score_per_game(self) -> Fraction | None:
        """The mean score of a game."""
        return self.net_score / self.game_count if self.game_count else None


def table_of(scored: ScoredGames) -> list[TableRow]:
    """Return the rows, best average first, then by name; those without games, then `*`, last.

    The row of all together counts a game once for each of its players.
    """
    games = dict.fromkeys(scored.players, 0)
    wins = dict.fromkeys(scored.players, 0)
    scores = dict.fromkeys(scored.players, Fraction(0))
    for game in scored.games:
        for name in game.players:
            games[name] += 1
            scores[name] += game.points[name]
        if game.winner is not None:
            wins[game.winner] += 1
    rows = [TableRow(name, games[name], wins[name], scores[name]) for name in scored.players]
    rows.sort(key=_place)
    everybody = TableRow(
        EVERYBODY, sum(games.values()), sum(wins.values()), sum(scores.values(), Fraction(0))
    )
    return [*rows, everybody]


def table_tsv(rows: Iterable[TableRow]) -> str:
    """Return the table as tab-separated lines, each with its end."""
    lines = [COLUMNS, *map(table_cells, rows)]
    return "".join("\t".join(map(_quoted, line)) + "\n" for line in lines)


def table_cells(row: TableRow) -> tuple[str, ...]:
    """Return what a row says under each of the columns."""
    return (
        row.name,
        str(row.game_count),
        str(row.win_count),
        short_decimal(row.win_fraction),
        short_decimal(row.net_score),
        short_decimal(row.net_score_per_game),
    )


def short_decimal(number: Fraction | None) -> str:
    """Return a number with at most 4 decimals, half to even, without zeros at the end; or nan."""
    if number is None:
        return "nan"
    scaled = round(number * 10**DECIMALS)
    whole, decimals = divmod(abs(scaled), 10**DECIMALS)
    text = f"{whole}.{decimals:0{DECIMALS}}".rstrip("0").rstrip(".")
    return f"-{text}" if scaled < 0 else text


def _place(row: TableRow) -> tuple[bool, Fraction, str]:
    average = row.net_score_per_game
    return average is None, -(average or Fraction(0)), row.name


def _quoted(cell: str) -> str:
    """Return a cell as readers of such tables expect it: a name may hold quotation marks."""
    return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell
