"""The list of a club, by its roster: for its own desk only."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from services.accounts.ports import Connection
from services.ingest.roster.finding import RosterEntry, find_on_roster
from services.site.desk.night.roster import BOB, Listed, folded
from shared.sheets.cells import Cell

ANONYMOUS: Final = "ANON:"
# A club knows some hundreds. Beyond that people are named by their addresses.
LISTED_MAX: Final = 2_000
# `Anon : Ally` in a sheet is ANON:Ally.
_COLON: Final = re.compile(r"\s*:\s*")


async def listed_people(connection: Connection, source: str) -> Sequence[Listed]:
    """Return everybody on the roster of a source, each with a label that nobody else has.

    Raises RosterTakesTooLong.
    """
    people = (await find_on_roster(connection, source, "", limit=LISTED_MAX)).entries
    names = Counter(folded(_name(each)) for each in people)
    listed = [
        Listed(_label(each, is_alone=names[folded(_name(each))] == 1), each.called, each.player_id)
        for each in people
    ]
    return sorted(listed, key=lambda each: (folded(each.label), each.sent))


def labels_of(people: Sequence[Listed], claim: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return what each person is called, by what is sent for them, also for the new ones."""
    labels = {bare(each.sent): each.label for each in (*people, BOB)}
    for played in () if claim is None else claim["rounds"]:
        for seat in played["players"]:
            labels.setdefault(bare(seat["email"]), seat.get("name") or shown(seat["email"]))
    return labels


def names_on(people: Sequence[Listed]) -> Mapping[str, Sequence[str]]:
    """Return whom each text may mean that names somebody on a list.

    They are told by their ids, or by their addresses if they have never played.
    """
    names: dict[str, list[str]] = {}
    for each in people:
        for text in (each.label, each.sent, shown(each.sent)):
            names.setdefault(folded(text), []).append(each.player_id or shown(each.sent))
    return names


def listed_in(cells: Iterable[Cell], names: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return everybody on a list who has a cell of their own among these."""
    texts = {cell.text for cell in cells if cell.text}
    found = (names.get(folded(_COLON.sub(":", text)), ()) for text in texts)
    return sorted({each for several in found for each in several})


def bare(sent: str) -> str:
    """Return the same text for the same person, private or not."""
    return folded(sent.removeprefix("PRIVATE:"))


def shown(sent: str) -> str:
    """Return what to call somebody of whom only that is known."""
    return sent.removeprefix("PRIVATE:").removeprefix(ANONYMOUS)


def _name(entry: RosterEntry) -> str:
    return entry.name or shown(entry.called)


def _label(entry: RosterEntry, *, is_alone: bool) -> str:
    name = _name(entry)
    if is_alone or name == shown(entry.called):
        return name
    return f"{name} ({shown(entry.called)})"
