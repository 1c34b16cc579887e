"""A row of a sheet as pieces: cells, or the parts of one cell that pipes separate.

People write `ROUND 1 | Games Played: 4 | Wall Games: 0` into one cell as often as into three, and
a label with its value into one cell or into two. From here on it makes no difference.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from shared.sheets.cells import Cell, letters, text_cell

Label = Literal["date", "game_type", "games_played", "wall_games", "ref"]

_LABELS: Final[tuple[tuple[Label, str], ...]] = (
    ("date", r"(?:session |played |game )?date|date (?:of play|played)"),
    ("game_type", r"(?:game |session )?type"),
    ("games_played", r"(?:number of )?games(?: played)?"),
    ("wall_games", r"wall(?: games?|s)?"),
    ("ref", r"ref"),
)
_LABEL: Final = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _LABELS) + r")\s*:",
    re.IGNORECASE,
)
# A label in a cell of its own needs no colon.
_BARE: Final = re.compile(
    r"(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _LABELS) + r")",
    re.IGNORECASE,
)
_REF: Final = re.compile(r"\s*ref\s*:", re.IGNORECASE)
_ROUND: Final = re.compile(
    r"\s*(?:round|rd)(?![^\W\d_])[.:]?\s*(?:no\.?|number|#)?\s*(?P<number>[0-9]{1,6})?\s*[:.,;-]*\s*",
    re.IGNORECASE,
)
_TABLE: Final = re.compile(r"\s*table\b.{0,20}", re.IGNORECASE)
# No one reads more columns than these; what comes after the last stays one piece, and is stray.
_PIPES_MAX: Final = 30
_EDGES: Final = " \t\r\n\u00a0,;|"


class Piece(NamedTuple):
    """A cell, or a part of one: `at` counts columns and pipes, `column` is where people see it."""

    at: int
    column: str
    cell: Cell


class Labeled(NamedTuple):
    """A label with its value; `piece` holds the value and is blank if there is none."""

    label: Label
    piece: Piece


class RoundLine(NamedTuple):
    """The line that begins a round. `stray` are pieces that mean nothing here."""

    number: int | None
    labeled: Sequence[Labeled]
    stray: Sequence[Piece]


def pieces_of(row: Sequence[Cell]) -> Sequence[Piece]:
    """Return the pieces of a row, blank ones too; pipes count if a cell holds the whole row."""
    filled = [at for at, cell in enumerate(row) if not cell.is_blank]
    is_piped = len(filled) == 1 or (filled and _ROUND.match(row[filled[0]].text) is not None)
    return [
        piece
        for at, cell in enumerate(row)
        for piece in _split(Piece(at, letters(at), cell), is_piped=bool(is_piped))
    ]


def labels_of(pieces: Sequence[Piece]) -> tuple[Sequence[Labeled], Sequence[Piece]]:
    """Return all labels of a row with their values, and the pieces that belong to none of them."""
    found: list[Labeled] = []
    rest: list[Piece] = []
    filled = [piece for piece in pieces if not piece.cell.is_blank]
    follows = False
    for piece in filled:
        inside = list(_labels_in(piece))
        if inside:
            found += inside
            if not _starts_with_label(piece):
                rest.append(piece)
            follows = inside[-1].piece.cell.is_blank
        elif follows:
            found[-1] = Labeled(found[-1].label, piece)
            follows = False
        else:
            rest.append(piece)
    return found, rest


def round_line(pieces: Sequence[Piece]) -> RoundLine | None:
    """Return what a line says about the round that it starts; None if it starts none."""
    filled = [piece for piece in pieces if not piece.cell.is_blank]
    begun = _ROUND.match(filled[0].cell.text) if filled else None
    if begun is None:
        return None
    labeled, rest = labels_of(filled)
    text = filled[0].cell.text
    label = _LABEL.search(text)
    head = text[begun.end() : label.start() if label else None].strip(_EDGES)
    has_games = any(each.label in {"games_played", "wall_games"} for each in labeled)
    if head and not has_games:
        return None
    stray = [piece for piece in rest if piece is not filled[0] and not _is_table(piece.cell.text)]
    number = int(begun["number"]) if begun["number"] else None
    if number is None and stray and stray[0].cell.text.strip().isdecimal():
        number = int(stray.pop(0).cell.text.strip()[:6])
    if head and not _is_table(head):
        stray.insert(0, filled[0])
    return RoundLine(number, labeled, stray)


def _is_table(text: str) -> bool:
    return _TABLE.fullmatch(text) is not None


def _split(piece: Piece, *, is_piped: bool) -> Iterator[Piece]:
    text = piece.cell.text
    if not is_piped or piece.cell.kind != "text" or "|" not in text or _REF.match(text):
        yield piece
        return
    for number, part in enumerate(text.split("|", _PIPES_MAX)):
        yield Piece(piece.at + number, piece.column, text_cell(part.strip()))


def _starts_with_label(piece: Piece) -> bool:
    text = piece.cell.text.strip()
    return _LABEL.match(text) is not None or _BARE.fullmatch(text) is not None


def _labels_in(piece: Piece) -> Iterator[Labeled]:
    if piece.cell.kind != "text":
        return
    text = piece.cell.text
    if (ref := _REF.match(text)) is not None:
        yield Labeled("ref", piece._replace(cell=text_cell(text[ref.end() :].removeprefix(" "))))
        return
    bare = _BARE.fullmatch(text.strip())
    found = [bare] if bare else list(_LABEL.finditer(text))
    for label, following in zip_longest(found, found[1:]):
        value = text[label.end() : following.start() if following else None].strip(_EDGES)
        name = next(name for name, _ in _LABELS if label[name] is not None)
        yield Labeled(name, piece._replace(cell=text_cell(value)))
