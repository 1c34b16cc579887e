"""Reads one sheet from its first row to its last: what is above the rounds, then the rounds."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from shared.sheets.cells import Sheet
from shared.sheets.draft import Draft
from shared.sheets.rows.all_rounds import SheetRounds
from shared.sheets.rows.dates import read_date
from shared.sheets.rows.headings import read_headings
from shared.sheets.rows.lines import Labeled, Piece, labels_of, pieces_of, round_line
from shared.sheets.rows.numbers import looks_like_a_number
from shared.sheets.rows.unseen import PLAYER, check_hidden, check_swallowed

GAME_TYPES: Final[Mapping[str, str]] = {
    "social": "social",
    "open play": "social",
    "lesson": "social",
    "lessons": "social",
    "league": "league",
    "tournament": "tournament",
}
_TOTALS: Final = frozenset(
    {"total", "totals", "sum", "sums", "subtotal", "subtotals", "grand total", "grand totals"}
)
_OF_ROUNDS: Final = frozenset({"games_played", "wall_games"})
_TITLE: Final = "mahjic score sheet"


def read_session(sheet: Sheet) -> Draft:
    """Return the claim that a sheet makes, with everything that is wrong in it."""
    return _Session(sheet).read()


class _Session:
    """A sheet that is being read row by row."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._draft = Draft(sheet.name)
        self._rounds = SheetRounds(self._draft, is_comma_decimal=sheet.is_comma_decimal)
        # Whether anything but a round says that this is a score sheet.
        self._is_known = False
        # What is above the rounds and cannot be read: it may be what is missing.
        self._unread: list[tuple[int, Piece]] = []

    def read(self) -> Draft:
        """Return what all rows say together."""
        for row, cells in enumerate(self._sheet.rows, start=1):
            pieces = pieces_of(cells)
            filled = [piece for piece in pieces if not piece.cell.is_blank]
            if filled:
                self._read_row(row, pieces, filled)
                check_swallowed(self._draft, row, cells, self._sheet.separator)
        if not (self._rounds or self._is_known or self._unread):
            return self._no_score_sheet()
        self._note_missing()
        self._rounds.finish()
        check_hidden(self._draft, self._sheet)
        return self._draft

    def _no_score_sheet(self) -> Draft:
        """Say only that this is another kind of sheet, and nothing about what it lacks."""
        draft = Draft(self._sheet.name)
        draft.claim["rounds"] = []
        draft.note(
            "not_a_sheet",
            "This is not a score sheet: no line starts a round, and no column has mahjongs. "
            "Fill in the template from `mahjic template night.xlsx` or "
            "/v1/sheets/template.xlsx, and send that.",
            None,
            None,
            "/session_date",
            "/game_type",
            "/rounds",
        )
        return draft

    def _note_missing(self) -> None:
        if not {"/session_date"} & (self._draft.noted | self._draft.places.keys()):
            self._draft.note(
                "date_missing",
                "The date is missing. Write it above the first round, like Date: 2026-01-31",
                None,
                None,
                "/session_date",
            )
        if not {"/game_type"} & (self._draft.noted | self._draft.places.keys()):
            self._draft.note(
                "game_type_missing",
                "The game type is missing. Write Game Type: League above the first round; the "
                "others are Social and Tournament.",
                None,
                None,
                "/game_type",
            )
        told = self._draft.places.keys()
        if not (self._rounds and "/session_date" in told and "/game_type" in told):
            for row, piece in self._unread:
                assert piece.cell.fault is not None, "It is unread because of that."
                self._draft.note(piece.cell.fault.code, piece.cell.fault.message, row, piece.column)

    def _read_row(self, row: int, pieces: Sequence[Piece], filled: Sequence[Piece]) -> None:
        begun = round_line(filled)
        if begun is not None:
            self._rounds.begin(row, begun)
            self._read_labels(row, begun.labeled)
            return
        if any(PLAYER.fullmatch(piece.cell.text.strip()) for piece in filled):
            self._read_player(row, pieces, filled)
            return
        word = filled[0].cell.text.strip(" :\u00a0").casefold()
        if word in _TOTALS:
            self._rounds.check_totals(row, pieces)
            return
        if word == _TITLE and len(filled) == 1:
            self._is_known = True
            return
        headings = read_headings(row, filled, is_among_rounds=bool(self._rounds))
        if headings is not None:
            self._rounds.take_headings(headings)
            self._is_known |= "mahjongs" in headings
            return
        labeled, rest = labels_of(filled)
        fault = filled[0].cell.fault
        has_numbers = any(looks_like_a_number(piece.cell) for piece in rest[1:])
        is_of_round = any(each.label in _OF_ROUNDS for each in labeled) and not has_numbers
        if fault is not None and is_of_round:
            # Nothing but the line of a round says how many games were played.
            self._rounds.begin_unread(row, filled[0], fault)
            return
        if labeled and (not self._rounds or _is_whole(labeled, rest)):
            self._read_labels(row, labeled)
        else:
            self._read_player(row, pieces, filled)

    def _read_player(self, row: int, pieces: Sequence[Piece], filled: Sequence[Piece]) -> None:
        """Read the row of a player; above the first round there is only other text."""
        fault = filled[0].cell.fault
        if self._rounds:
            if fault is not None and len(filled) == 1:
                self._rounds.begin_unread(row, filled[0], fault)
            else:
                self._rounds.read_player(row, pieces)
            return
        self._unread += ((row, piece) for piece in filled if piece.cell.fault is not None)
        has_numbers = any(looks_like_a_number(piece.cell) for piece in filled)
        if has_numbers and any(PLAYER.fullmatch(piece.cell.text.strip()) for piece in filled):
            self._is_known = True
            self._draft.note(
                "outside_round",
                "No line above this player starts a round. Write one, like ROUND 1 | Games "
                "Played: 4 | Wall Games: 0",
                row,
                filled[0].column,
            )

    def _read_labels(self, row: int, labeled: Iterable[Labeled]) -> None:
        for each in labeled:
            if each.label == "date":
                self._read_date(row, each.piece)
            elif each.label == "game_type":
                self._read_game_type(row, each.piece)
            else:
                self._rounds.read_detail(row, each)

    def _read_date(self, row: int, piece: Piece) -> None:
        if piece.cell.is_blank:
            self._draft.note(
                "date_missing",
                "The date is missing here. Write it like 2026-01-31: year, month, day.",
                row,
                piece.column,
                "/session_date",
            )
            return
        day = read_date(piece.cell, is_1904=self._sheet.is_1904)
        if isinstance(day, date):
            self._take(row, piece, "session_date", day.isoformat())
        else:
            self._draft.note(day.code, day.message, row, piece.column, "/session_date")

    def _read_game_type(self, row: int, piece: Piece) -> None:
        game_type = GAME_TYPES.get(" ".join(piece.cell.text.split()).casefold())
        if game_type is not None:
            self._is_known = True
            self._take(row, piece, "game_type", game_type)
            return
        self._draft.note(
            "unknown_game_type",
            "The game type must be Social, League or Tournament.",
            row,
            piece.column,
            "/game_type",
        )

    def _take(self, row: int, piece: Piece, name: str, value: str) -> None:
        """Take in what is said about the session; it may be repeated, but not changed."""
        first = self._draft.claim.setdefault(name, value)
        if first != value:
            self._draft.note(
                "contradiction",
                f"Here it says {value}, but above it says {first}. Delete what is wrong.",
                row,
                piece.column,
                f"/{name}",
            )
        elif f"/{name}" not in self._draft.places:
            self._draft.put(f"/{name}", row, piece.column)


def _is_whole(labeled: Sequence[Labeled], rest: Sequence[Piece]) -> bool:
    """Whether a line among the rounds is about the session or a round, and not about a player."""
    if any(looks_like_a_number(piece.cell) for piece in rest):
        return False
    return not rest or all(each.label in {"date", "game_type"} for each in labeled)
