"""Which column holds what: the headings above players, in any order and in several spellings."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from shared.sheets.rows.lines import Piece

Role = Literal["email", "name", "mahjongs", "points", "notes"]

MAHJONGS: Final = frozenset(
    {
        "mahjong",
        "mahjongs",
        "mah jongg",
        "mah jonggs",
        "mahjongg",
        "mahjonggs",
        "maj",
        "majs",
        "win",
        "wins",
        "games won",
    }
)
POINTS: Final = frozenset(
    {"point", "points", "pts", "score", "scores", "total points", "total score"}
)
NOTES: Final = frozenset({"note", "notes", "comment", "comments", "remark", "remarks"})
# Who played. Where there are two such columns, the one named earlier here has the addresses and
# the other one has names.
PLAYERS: Final = (
    frozenset(
        {
            "player email",
            "player e mail",
            "email",
            "e mail",
            "email address",
            "e mail address",
            "player email address",
        }
    ),
    frozenset({"player", "players"}),
    frozenset({"name", "names", "player name", "player names", "full name"}),
)


@dataclass(frozen=True, slots=True)
class Headings:
    """The columns of the players below. `repeated` and `unknown` are headings not allowed."""

    row: int
    roles: Mapping[int, Role]
    columns: Mapping[int, str]
    repeated: tuple[Piece, ...]
    unknown: tuple[Piece, ...]

    def __contains__(self, role: Role) -> bool:
        return role in self.roles.values()


def read_headings(row: int, pieces: Iterable[Piece], *, is_among_rounds: bool) -> Headings | None:
    """Return the headings in a row; None if it is another kind of row.

    Among the rounds, one known heading is enough, so that a slip in another heading does not turn
    the row into a player. Above the rounds people write what they like, so it takes two there.
    """
    filled = [piece for piece in pieces if not piece.cell.is_blank]
    words = {piece.at: _words(piece) for piece in filled}
    ranks = sorted({rank for rank in map(_player_rank, words.values()) if rank is not None})
    roles: dict[int, Role] = {}
    repeated, unknown = [], []
    for piece in filled:
        role = _role(words[piece.at], ranks)
        if role is None:
            unknown.append(piece)
        elif role in roles.values() and role != "notes":
            repeated.append(piece)
        else:
            roles[piece.at] = role
    known = set(roles.values()) - {"notes"}
    if len(known) < (1 if is_among_rounds else 2):
        return None
    columns = {piece.at: piece.column for piece in filled}
    return Headings(row, roles, columns, tuple(repeated), tuple(unknown))


def _role(words: str, ranks: list[int]) -> Role | None:
    rank = _player_rank(words)
    if rank is not None:
        # The third kind of three could only be a second name.
        return "email" if rank == ranks[0] else "name"
    if words in MAHJONGS:
        return "mahjongs"
    if words in POINTS:
        return "points"
    return "notes" if words in NOTES else None


def _player_rank(words: str) -> int | None:
    return next((rank for rank, names in enumerate(PLAYERS) if words in names), None)


def _words(piece: Piece) -> str:
    return re.sub(r"[\W_]+", " ", piece.cell.text).strip().casefold()
