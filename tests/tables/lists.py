"""Builds lists of entries as phones make them."""

from collections.abc import Sequence
from typing import Any

from shared.tables.books import WHO, Book, read_book
from shared.tables.entries import Entry, read_entry
from shared.tables.replay import TableReplay, TableSetup

PEOPLE = (1, 2, 3, 4)


def an_id(number: int) -> str:
    """Return the id that the entry of a number has."""
    return f"{number:0>22}"


def an_entry(
    number: int,
    about: dict[str, Any],
    content: dict[str, Any] | None,
    *,
    device: int = 1,
    replaces: Sequence[int] = (),
) -> Entry:
    """Return an entry; its number is its count, and makes its id."""
    return read_entry(
        {
            "id": an_id(number),
            "device": device,
            "count": number,
            "about": about,
            "replaces": [an_id(each) for each in replaces],
            "content": content,
        }
    )


def a_game(
    number: int,
    winner: int | None,
    *,
    game: int = 1,
    round_number: int = 1,
    device: int = 1,
    replaces: Sequence[int] = (),
    **said: Any,
) -> Entry:
    """Return who won a game."""
    content = {"winner": winner, **said}
    about = {"game": [round_number, game]}
    return an_entry(number, about, content, device=device, replaces=replaces)


def an_undo(
    number: int, *replaces: int, game: int = 1, round_number: int = 1, device: int = 1
) -> Entry:
    """Return an entry that takes back others about a game."""
    about = {"game": [round_number, game]}
    return an_entry(number, about, None, device=device, replaces=replaces)


def a_setup(
    *,
    games: int = 4,
    book: Book | None = None,
    seats: dict[int, tuple[int, ...]] | None = None,
    counts_to: dict[int, int] | None = None,
) -> TableSetup:
    """Return a table where four people sit in the first round, and just who won is kept."""
    return TableSetup(
        book or read_book(WHO), games, {1: PEOPLE} if seats is None else seats, counts_to or {}
    )


def replayed(*entries: Entry, setup: TableSetup | None = None) -> TableReplay:
    """Return what a table has after some entries."""
    return TableReplay(setup or a_setup(), entries)
