"""The list of a club, and what it plays, as far as ingest knows: for its own desk only."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from services.accounts.ports import Connection
from services.ingest.who.own_people import OwnPerson, read_own_list
from services.site.desk.night.roster import BOB, Listed, folded

ANONYMOUS: Final = "ANON:"


async def listed_people(connection: Connection, source: str) -> Sequence[Listed]:
    """Return everybody whom a source has named, each with a label that nobody else has."""
    people = await read_own_list(connection, source)
    names: dict[str, int] = {}
    for each in people:
        names[folded(_name(each))] = names.get(folded(_name(each)), 0) + 1
    listed = [
        Listed(each.player_id, _label(each, is_alone=names[folded(_name(each))] == 1), each.sent)
        for each in people
    ]
    return sorted(listed, key=lambda each: (folded(each.label), each.player_id))


def labels_of(people: Sequence[Listed], claim: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return what each person is called, by what is sent for them, also for the new ones."""
    labels = {bare(each.sent): each.label for each in (*people, BOB)}
    for played in () if claim is None else claim["rounds"]:
        for seat in played["players"]:
            labels.setdefault(bare(seat["email"]), seat.get("name") or shown(seat["email"]))
    return labels


def bare(sent: str) -> str:
    """Return the same text for the same person, private or not."""
    return folded(sent.removeprefix("PRIVATE:"))


def shown(sent: str) -> str:
    """Return what to call somebody of whom only that is known."""
    return sent.removeprefix("PRIVATE:").removeprefix(ANONYMOUS)


def _name(person: OwnPerson) -> str:
    return person.name or shown(person.sent)


def _label(person: OwnPerson, *, is_alone: bool) -> str:
    name = _name(person)
    if is_alone or name == shown(person.sent):
        return name
    return f"{name} ({shown(person.sent)})"
