"""Checks what takes several rows to see: the numbers of rounds, and totals."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

from shared.sheets.cells import Fault
from shared.sheets.draft import Draft
from shared.sheets.rows.headings import Headings
from shared.sheets.rows.lines import Piece
from shared.sheets.rows.numbers import read_points
from shared.sheets.rows.round import SheetRound

# What the last round and the whole sheet add up to, by role; None where a cell cannot be read.
Sums: TypeAlias = dict[str, tuple[Decimal | None, Decimal | None]]


def check_order(draft: Draft, rounds: Sequence[SheetRound]) -> None:
    """Check that rounds come in the order of their numbers; two of one number are at two tables.

    Ratings depend on the order. If numbers and rows disagree about it, we do not guess.
    """
    highest: SheetRound | None = None
    # Who sits at a table of the highest round so far, and at which of them first.
    seated: dict[str, SheetRound] = {}
    before = 0
    for current in rounds:
        if current.number is None:
            continue
        if highest is None or highest.number is None or current.number > highest.number:
            _warn_of_gap(draft, before, current)
            highest, seated = current, dict.fromkeys(_people(current), current)
            before = current.number
        elif current.number < highest.number:
            draft.note(
                "rounds_out_of_order",
                f"Round {current.number} comes after round {highest.number} in row "
                f"{highest.row}. Put the rounds in the order they were played.",
                current.row,
                None,
            )
        else:
            _check_table(draft, current, seated)


def check_totals(
    draft: Draft,
    row: int,
    pieces: Sequence[Piece],
    headings: Headings,
    rounds: Sequence[SheetRound],
    *,
    sums: Sums,
    is_comma_decimal: bool,
) -> None:
    """Check totals: they say nothing new, but if they differ from the sum, some row is wrong.

    They may be those of the last round or of the whole sheet so far, and no one has to give them.
    `sums` keeps what was added up since the last player, for the totals that follow.
    """
    for piece in pieces:
        role = headings.roles.get(piece.at)
        if role not in {"mahjongs", "points"} or piece.cell.is_blank:
            continue
        total = read_points(piece.cell, is_comma_decimal=is_comma_decimal)
        if role not in sums:
            sums[role] = (_sum(draft, role, rounds[-1:]), _sum(draft, role, rounds))
        added = sums[role]
        if isinstance(total, Fault) or None in added or Decimal(str(total)) in added:
            continue
        draft.note(
            "totals_differ",
            f"The total is {piece.cell.text}, but the numbers above add up to {added[0]:f}. "
            "Correct what is wrong, or delete the totals.",
            row,
            piece.column,
        )


def _warn_of_gap(draft: Draft, before: int, current: SheetRound) -> None:
    """Warn of numbers that no round has: a round may be missing, or have its own file."""
    assert current.number is not None, "It is compared by its number."
    first, last = before + 1, current.number - 1
    if first <= last:
        which = f"Round {first} is" if first == last else f"Rounds {first} to {last} are"
        what = f"{which} not in the sheet, which continues with round {current.number}. If "
        what += "something is missing, add it, and send the sheet again."
        draft.warn("round_missing", what, current.pointer)


def _check_table(draft: Draft, current: SheetRound, seated: dict[str, SheetRound]) -> None:
    people = _people(current)
    others = [seated[person] for person in people if person in seated]
    if others:
        row = min(other.row for other in others)
        draft.note(
            "round_repeated",
            f"There is already a round {current.number} in row {row}, with one of the same "
            "players. Renumber the rounds, or delete one.",
            current.row,
            None,
        )
    for person in people:
        seated.setdefault(person, current)


def _people(current: SheetRound) -> set[str]:
    texts = (str(player.get("email", "")).casefold() for player in current.players)
    return {re.sub(r"\Aprivate\s*:\s*", "", text) for text in texts if text}


def _sum(draft: Draft, role: str, rounds: Sequence[SheetRound]) -> Decimal | None:
    """Return the sum of a column, None if a cell of it could not be read."""
    total = Decimal(0)
    for current in rounds:
        for number, player in enumerate(current.players):
            if f"{current.pointer}/players/{number}/{role}" in draft.noted:
                return None
            total += Decimal(str(player.get(role, 0)))
    return total
