"""Reads the rounds of a sheet: the line that begins each, the headings, and a row for a player."""

from collections.abc import Sequence

from shared.limits import ROUNDS_MAX, SEATS_MAX
from shared.sheets.cells import Fault
from shared.sheets.draft import Draft
from shared.sheets.example import is_example
from shared.sheets.rows.headings import Headings
from shared.sheets.rows.lines import Labeled, Piece, RoundLine
from shared.sheets.rows.order import Sums, check_order, check_totals
from shared.sheets.rows.round import EXAMPLE, WORDS, SheetRound
from shared.sheets.rows.seats import note_stray, read_count, read_seat


class SheetRounds:
    """All rounds of a sheet; false until the first has begun."""

    def __init__(self, draft: Draft, *, is_comma_decimal: bool) -> None:
        self._draft = draft
        self._is_comma_decimal = is_comma_decimal
        self._headings: Headings | None = None
        self._rounds: list[SheetRound] = []
        # Headings that have players below them and no column for points.
        self._without_points: dict[int, list[str]] = {}
        self._sums: Sums = {}
        # A sheet with too many rounds or players is refused, so its totals are not checked.
        self._is_beyond = False

    def __bool__(self) -> bool:
        return bool(self._rounds)

    def begin(self, row: int, begun: RoundLine) -> None:
        """Begin the round of this line; its labels are read like those of other lines."""
        self._rounds.append(SheetRound(row, len(self._rounds), begun.number))
        self._sums.clear()
        self._is_beyond |= len(self._rounds) > ROUNDS_MAX
        self._draft.put(self._rounds[-1].pointer, row)
        for piece in begun.stray:
            if (fault := piece.cell.fault) is not None:
                # It may be the label that is missing.
                self._draft.note(fault.code, fault.message, row, piece.column)
            else:
                note_stray(self._draft, row, piece)

    def begin_unread(self, row: int, piece: Piece, fault: Fault) -> None:
        """Begin a round whose line cannot be read, so its players do not join the one before."""
        current = SheetRound(row, len(self._rounds), None)
        self._rounds.append(current)
        self._draft.put(current.pointer, row)
        current.said.update({"games_played": row, "wall_games": row})
        absent = [f"{current.pointer}/{label}" for label in current.said]
        self._draft.note(fault.code, fault.message, row, piece.column, *absent)

    def take_headings(self, headings: Headings) -> None:
        """Use these headings for the players below, until others come."""
        self._headings = headings
        note, row = self._draft.note, headings.row
        if self._rounds and self._rounds[-1].player_rows:
            note(
                "round_line_missing",
                "These headings come after players, with no line that starts a round. Write "
                f"one above them, like {EXAMPLE}, or delete the headings.",
                row,
                None,
            )
        for piece in headings.repeated:
            note("heading_repeated", "Another column has the same heading.", row, piece.column)
        for piece in headings.unknown:
            note(
                "unknown_heading",
                f'Unknown heading: "{piece.cell.text.strip()[:40]}". The known ones are '
                "Player Email, Name, Mahjongs, Points and Notes.",
                row,
                piece.column,
            )
        for role, words in (("email", "Player Email"), ("mahjongs", "Mahjongs")):
            if role not in headings.roles.values():
                note("heading_missing", f"No column has the heading {words}.", row, None)

    def read_detail(self, row: int, labeled: Labeled) -> None:
        """Read what a labeled value says about the latest round."""
        label, piece = labeled
        if not self._rounds or label not in WORDS:
            return
        current = self._rounds[-1]
        first = current.said.setdefault(label, row)
        pointer = f"{current.pointer}/{label}"
        if pointer in self._draft.places:
            self._draft.note(
                "contradiction",
                f"Row {first} already says {WORDS[label]} for this round. Delete one of the two.",
                row,
                piece.column,
            )
            return
        self._draft.put(pointer, row, piece.column)
        value = self._ref(piece) if label == "ref" else self._games(piece, WORDS[label])
        if isinstance(value, Fault):
            self._draft.note(value.code, value.message, row, piece.column, pointer)
        elif label == "games_played":
            assert isinstance(value, int), "Games are counted."
            current.games_played = value
        elif value is not None:
            current.claim[label] = value

    def read_player(self, row: int, pieces: Sequence[Piece]) -> None:
        """Read one player's row in the latest round."""
        current, headings = self._rounds[-1], self._headings
        if headings is None:
            if not current.player_rows:
                self._draft.note(
                    "heading_missing",
                    "There are no headings above this row. Write Player Email, Mahjongs and "
                    "Points above the players.",
                    row,
                    None,
                )
            current.add(self._draft, row, None)
            return
        pointer = f"{current.pointer}/players/{len(current.players)}"
        absent = [role for role in ("email", "mahjongs", "points") if role not in headings]
        self._draft.noted.update(f"{pointer}/{role}" for role in absent if role != "points")
        if "points" in absent:
            self._without_points.setdefault(headings.row, []).append(f"{pointer}/points")
        is_comma_decimal = self._is_comma_decimal
        player = read_seat(
            self._draft, row, pointer, headings, pieces, is_comma_decimal=is_comma_decimal
        )
        current.add(self._draft, row, player)
        self._sums.clear()
        self._is_beyond |= len(current.players) > SEATS_MAX

    def check_totals(self, row: int, pieces: Sequence[Piece]) -> None:
        """Check a row of totals against the rows above it."""
        if self._headings is not None and self._rounds and not self._is_beyond:
            check_totals(
                self._draft,
                row,
                pieces,
                self._headings,
                self._rounds,
                sums=self._sums,
                is_comma_decimal=self._is_comma_decimal,
            )

    def finish(self) -> None:
        """Check what only the whole sheet shows, and put the rounds into the claim."""
        draft = self._draft
        draft.claim["rounds"] = [each.claim for each in self._rounds]
        for current in self._rounds:
            current.finish(draft)
            self._check_example(current)
        check_order(draft, self._rounds)
        if draft.claim.get("game_type") in {"league", "tournament"}:
            for row, pointers in self._without_points.items():
                message = "League and tournament games need a column with the heading Points."
                draft.note("heading_missing", message, row, None, *pointers)
        if not self._rounds:
            message = (
                f"There is no line that starts a round. Write one above the players, like {EXAMPLE}"
            )
            draft.note("no_rounds", message, None, None, "/rounds")
        elif len(self._rounds) > ROUNDS_MAX:
            draft.note(
                "too_many_rounds",
                f"This is round {ROUNDS_MAX + 1} of {len(self._rounds)}, and a session has at most "
                f"{ROUNDS_MAX}. Split the sheet into several files.",
                self._rounds[ROUNDS_MAX].row,
                None,
                "/rounds",
            )

    def _check_example(self, current: SheetRound) -> None:
        for number, player in enumerate(current.players):
            if is_example(player):
                place = self._draft.places[f"{current.pointer}/players/{number}"]
                self._draft.note(
                    "example_row",
                    "This row is still the example from the template. Replace it with one of "
                    "your players, or delete it.",
                    place.row,
                    None,
                    f"{current.pointer}/players/{number}",
                )

    def _games(self, piece: Piece, words: str) -> int | Fault:
        what = f"how many games there were ({words})"
        return read_count(piece.cell, what, is_comma_decimal=self._is_comma_decimal)

    def _ref(self, piece: Piece) -> str | Fault | None:
        if piece.cell.kind in {"blank", "text"}:
            return None if piece.cell.is_blank else piece.cell.text
        return Fault(
            "wrong_type",
            "The spreadsheet may have turned this ref into another number or a date. Write it "
            "after the label in one cell, like Ref: 0012",
        )
