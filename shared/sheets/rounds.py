"""Reads the rounds of a sheet: the line that begins each, the headings, and a row for a player."""

import re
from collections.abc import Sequence
from typing import Any, Final

from shared.sheets.cells import BLANK, Cell, Fault
from shared.sheets.draft import Draft
from shared.sheets.headings import Headings, Role
from shared.sheets.lines import Label, Labelled, Piece, RoundLine
from shared.sheets.numbers import looks_like_a_number, read_points, read_whole

ROUNDS_MAX: Final = 100
PLAYERS_MIN: Final = 2
PLAYERS_MAX: Final = 4
_BREAKS: Final = re.compile(r"\s*[\r\n]+\s*")
_WORDS: Final = {"games_played": "Games Played", "wall_games": "Wall Games"}


class _Round:
    """A round that is being read."""

    def __init__(self, row: int, place: int, number: int | None) -> None:
        self.row = row
        self.pointer = f"/rounds/{place}"
        self.number = number
        self.headings: Headings | None = None
        self.said: dict[Label, tuple[int, str]] = {}
        self.games_played: int | None = None
        self.player_rows: list[int] = []
        self.players: list[dict[str, Any]] = []
        self.claim: dict[str, Any] = {"players": self.players}


class Rounds:
    """All rounds of a sheet; false until the first has begun."""

    def __init__(self, draft: Draft, *, is_comma_decimal: bool) -> None:
        self._draft = draft
        self._is_comma_decimal = is_comma_decimal
        self._headings: Headings | None = None
        self._rounds: list[_Round] = []

    def __bool__(self) -> bool:
        return bool(self._rounds)

    def begin(self, row: int, begun: RoundLine) -> None:
        """Begin the round of this line."""
        self._rounds.append(_Round(row, len(self._rounds), begun.number))
        self._draft.put(self._rounds[-1].pointer, row)
        for labelled in begun.labelled:
            self.read_detail(row, labelled)
        for piece in begun.stray:
            self._note_stray(row, piece)

    def take_headings(self, headings: Headings) -> None:
        """Read the players below by these headings, until others come."""
        self._headings = headings
        note, row = self._draft.note, headings.row
        for piece in headings.repeated:
            note("heading_repeated", "Another column has this heading too.", row, piece.column)
        for piece in headings.unknown:
            note(
                "unknown_heading",
                f'"{piece.cell.text.strip()[:40]}" is no known heading. Known are Player Email, '
                "Name, Mahjongs, Points and Notes.",
                row,
                piece.column,
            )
        for role, words in (("email", "Player Email"), ("mahjongs", "Mahjongs")):
            if role not in headings.roles.values():
                note("heading_missing", f"No column has the heading {words}.", row, None)

    def read_detail(self, row: int, labelled: Labelled) -> None:
        """Read what a labelled value says of the round that is being read."""
        if not self._rounds or labelled.label not in {"games_played", "wall_games", "ref"}:
            return
        current, (label, piece) = self._rounds[-1], labelled
        if label in current.said:
            self._draft.note(
                "contradiction",
                f"This round has a value for {_WORDS.get(label, 'Ref')} already, in row "
                f"{current.said[label][0]}. Leave one of them.",
                row,
                piece.column,
            )
            return
        current.said[label] = (row, piece.column)
        pointer = f"{current.pointer}/{label}"
        if label == "ref":
            self._read_ref(current, row, piece)
            return
        whole = self._whole(piece.cell, f"how many games there were ({_WORDS[label]})")
        if isinstance(whole, Fault):
            self._draft.note(whole.code, whole.message, row, piece.column, pointer)
        elif label == "games_played":
            current.games_played = whole
        else:
            current.claim["wall_games"] = whole
        self._draft.put(pointer, row, piece.column)

    def read_player(self, row: int, pieces: Sequence[Piece]) -> None:
        """Read one player's row in the round that has begun last."""
        current, headings = self._rounds[-1], self._headings
        if headings is None:
            if current.headings is None and not current.player_rows:
                self._draft.note(
                    "heading_missing",
                    "No headings stand above this row. Write Player Email, Mahjongs and Points "
                    "above the players.",
                    row,
                    None,
                )
            current.player_rows.append(row)
            return
        current.headings = headings
        pointer = f"{current.pointer}/players/{len(current.players)}"
        player = self._read_seat(row, pointer, headings, pieces)
        current.players.append(player)
        current.player_rows.append(row)
        if len(current.players) > PLAYERS_MAX:
            self._draft.note(
                "too_many_players",
                f"This is player {len(current.players)} of the round, and a round has "
                f"{PLAYERS_MIN} to {PLAYERS_MAX}. Begin another round above, or delete the row.",
                row,
                None,
                f"{current.pointer}/players",
            )

    def finish(self) -> None:
        """Check what only the whole sheet tells, and put the rounds into the claim."""
        self._draft.claim["rounds"] = [each.claim for each in self._rounds]
        if not self._rounds:
            self._draft.note(
                "no_rounds",
                "No line begins a round. Write one above the players, as in "
                "ROUND 1 | Games Played: 4 | Wall Games: 0",
                None,
                None,
                "/rounds",
            )
        for current in self._rounds:
            self._finish_round(current)
        self._check_numbers()
        if len(self._rounds) > ROUNDS_MAX:
            self._draft.note(
                "too_many_rounds",
                f"This is round {ROUNDS_MAX + 1} of {len(self._rounds)}, and a session has at most "
                f"{ROUNDS_MAX}. Split the sheet into several files.",
                self._rounds[ROUNDS_MAX].row,
                None,
                "/rounds",
            )

    def _read_ref(self, current: _Round, row: int, piece: Piece) -> None:
        if piece.cell.is_blank:
            return
        pointer = f"{current.pointer}/ref"
        self._draft.put(pointer, row, piece.column)
        if piece.cell.kind == "text":
            current.claim["ref"] = piece.cell.text
            return
        self._draft.note(
            "wrong_type",
            "A spreadsheet may have changed this ref into another number or a date. Write it "
            "behind the label into one cell, as in Ref: 0012",
            row,
            piece.column,
            pointer,
        )

    def _read_seat(
        self, row: int, pointer: str, headings: Headings, pieces: Sequence[Piece]
    ) -> dict[str, Any]:
        cells: dict[Role, tuple[str, Cell]] = {
            role: (headings.columns[at], BLANK) for at, role in headings.roles.items()
        }
        for piece in pieces:
            role = headings.roles.get(piece.at)
            if role == "notes":
                self._check_notes(row, piece)
            elif role is not None:
                cells[role] = (piece.column, piece.cell)
            elif not piece.cell.is_blank and piece.at not in headings.columns:
                self._note_stray(row, piece)
        self._draft.put(pointer, row)
        player: dict[str, Any] = {}
        for role, (column, cell) in cells.items():
            where = f"{pointer}/{role}"
            self._draft.put(where, row, column)
            value = self._value(role, cell)
            if isinstance(value, Fault):
                self._draft.note(value.code, value.message, row, column, where)
            elif value is not None:
                player[role] = value
        self._draft.noted.update(
            f"{pointer}/{role}" for role in ("email", "mahjongs") if role not in cells
        )
        return player

    def _value(self, role: Role, cell: Cell) -> str | int | float | Fault | None:
        """Return a cell's part of the claim, None if it may be blank and is."""
        if role == "mahjongs":
            return self._whole(cell, "how many mahjongs the player had")
        if role == "points":
            is_comma_decimal = self._is_comma_decimal
            return None if cell.is_blank else read_points(cell, is_comma_decimal=is_comma_decimal)
        if cell.is_blank:
            return Fault("missing", "No player stands here.") if role == "email" else None
        if cell.fault is not None:
            return cell.fault
        if cell.kind == "text":
            # People break a long name into two lines; a name has none.
            return _BREAKS.sub(" ", cell.text).strip() if role == "name" else cell.text.strip()
        noun = "an e-mail address, PRIVATE: or ANON:" if role == "email" else "a name"
        return Fault("wrong_type", f"{cell.text} stands where {noun} belongs.")

    def _whole(self, cell: Cell, what: str) -> int | Fault:
        if cell.is_blank:
            return Fault("missing", f"Nothing says {what}. Write 0 for none.")
        return read_whole(cell, is_comma_decimal=self._is_comma_decimal)

    def _check_notes(self, row: int, piece: Piece) -> None:
        if looks_like_a_number(piece.cell):
            self._draft.note(
                "stray_cell",
                f"{piece.cell.text} is a number in a column of notes. If a comma in a number has "
                "split it into two cells, write the number without the comma.",
                row,
                piece.column,
            )

    def _note_stray(self, row: int, piece: Piece) -> None:
        self._draft.note(
            "stray_cell",
            f'"{piece.cell.text.strip()[:40]}" stands where nothing belongs. If a comma in a '
            "number has split it into two cells, write the number without the comma; else delete "
            "it, or give its column the heading Notes.",
            row,
            piece.column,
        )

    def _finish_round(self, current: _Round) -> None:
        note, row, pointer = self._draft.note, current.row, current.pointer
        for label, words in _WORDS.items():
            if label not in current.said:
                note(
                    "missing",
                    f"The line of this round lacks {words}. Write it as in "
                    "ROUND 1 | Games Played: 4 | Wall Games: 0",
                    row,
                    None,
                    f"{pointer}/{label}",
                )
        place = self._draft.places.get(f"{pointer}/games_played")
        for number, player in enumerate(current.players):
            where = f"{pointer}/players/{number}/games_played"
            if current.games_played is None:
                self._draft.noted.add(where)
            else:
                player["games_played"] = current.games_played
                assert place is not None, "Where the games stand is known if they are."
                self._draft.places[where] = place
        if len(current.player_rows) < PLAYERS_MIN:
            note(
                "too_few_players",
                f"A round has {PLAYERS_MIN} to {PLAYERS_MAX} players, and this one "
                f"{len(current.player_rows)}.",
                row,
                None,
                f"{pointer}/players",
            )
        if not current.players:
            self._draft.noted.add(f"{pointer}/players")

    def _check_numbers(self) -> None:
        """Rounds stand in the order of their numbers; two of one number are at two tables."""
        highest: _Round | None = None
        alike: list[_Round] = []
        for current in self._rounds:
            if current.number is None:
                continue
            if highest is None or highest.number is None or current.number > highest.number:
                highest, alike = current, [current]
                continue
            if current.number < highest.number:
                self._draft.note(
                    "rounds_out_of_order",
                    f"Round {current.number} stands below round {highest.number} of row "
                    f"{highest.row}. Put the rounds into the order in which they were played.",
                    current.row,
                    None,
                )
                continue
            for other in alike:
                if _people(other) & _people(current):
                    self._draft.note(
                        "round_repeated",
                        f"Round {current.number} stands in row {other.row} already, with one of "
                        "the same players. Number the rounds anew, or delete one.",
                        current.row,
                        None,
                    )
                    break
            alike.append(current)


def _people(current: _Round) -> set[str]:
    texts = (str(player.get("email", "")).casefold() for player in current.players)
    return {re.sub(r"\Aprivate\s*:\s*", "", text) for text in texts if text}
