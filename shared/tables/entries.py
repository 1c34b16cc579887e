"""Reads an entry: what one phone says of a game, a penalty or a round, and what that replaces.

An entry holds numbers of tonight's list and nothing else about people. Reading is strict and takes
time in proportion to the entry; whether what it says can count is seen when the list is replayed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import orjson

from shared.limits import SEATS_MAX, SEATS_MIN
from shared.tables.limits import (
    COUNT_MAX,
    DEVICES_MAX,
    ENTRY_BYTES_MAX,
    GAMES_MAX,
    PEOPLE_MAX,
    POINTS_CENTI_MAX,
    REPLACES_MAX,
    ROUNDS_MAX,
    STANDS_MAX,
)

ENTRY_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_FIELDS: Final = frozenset({"id", "device", "count", "about", "replaces", "content"})
_ID_SAID: Final = "22 letters, digits, - or _"
# Of each kind, what may stand in the content: the shape of its values.
_NUMBERS: Final = frozenset({"winner", "by", "value", "exposures", "faan", "guarantor", "banker"})
_NUMBER_MAX: Final = 1_000
_YES_OR_NO: Final = frozenset(
    {"no_jokers", "singles", "quint", "misnamed", "guaranteed", "standup", "in_between"}
)

Kind: TypeAlias = Literal["game", "penalty", "right"]
Content: TypeAlias = Mapping[str, Any]


class WrongEntry(ValueError):
    """This is no entry. `entry_id` is its id, if it has one."""

    def __init__(self, code: str, message: str, entry_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.entry_id = entry_id


@dataclass(frozen=True, slots=True)
class Subject:
    """What an entry is about: a game of a round, a penalty in it, or that the round is right.

    `which` is the number of the game, the id of the penalty, or nothing.
    """

    kind: Kind
    round: int
    which: int | str = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Its content is None if it only takes back what it replaces."""

    entry_id: str
    device: int
    count: int
    about: Subject
    replaces: tuple[str, ...]
    content: Content | None


def read_entry(value: object) -> Entry:
    """Return the entry that a decoded JSON value is. Raises WrongEntry."""
    if not isinstance(value, dict):
        raise WrongEntry("not_an_entry", "An entry is an object.")
    entry_id = value.get("id")
    if not isinstance(entry_id, str) or not ENTRY_ID.fullmatch(entry_id):
        raise WrongEntry("wrong_id", f"The id of an entry is {_ID_SAID}.")
    try:
        return _read(entry_id, value)
    except WrongEntry as wrong:
        raise WrongEntry(wrong.code, wrong.message, entry_id) from None


def text_of(entry: Entry) -> str:
    """Return an entry as JSON in its one form; `read_entry` reads it."""
    about = entry.about
    told: object = {"game": [about.round, about.which]}
    if about.kind == "penalty":
        told = {"penalty": [about.round, about.which]}
    elif about.kind == "right":
        told = {"right": about.round}
    content = None if entry.content is None else dict(sorted(entry.content.items()))
    return orjson.dumps(
        {
            "id": entry.entry_id,
            "device": entry.device,
            "count": entry.count,
            "about": told,
            "replaces": entry.replaces,
            "content": content,
        }
    ).decode()


def _read(entry_id: str, value: dict[Any, Any]) -> Entry:
    if value.keys() != _FIELDS:
        odd = min(map(str, value.keys() ^ _FIELDS))[:40]
        raise WrongEntry(
            "wrong_fields",
            f"An entry has the fields id, device, count, about, replaces and content; look at "
            f"{odd!r}.",
        )
    about = _subject(value["about"])
    entry = Entry(
        entry_id,
        _number(value["device"], "device", DEVICES_MAX),
        _number(value["count"], "count", COUNT_MAX),
        about,
        _ids(value["replaces"], "replaces", REPLACES_MAX),
        None if value["content"] is None else _CONTENTS[about.kind](value["content"]),
    )
    if len(text_of(entry).encode()) > ENTRY_BYTES_MAX:
        raise WrongEntry("entry_too_long", f"An entry has at most {ENTRY_BYTES_MAX} bytes.")
    return entry


def _subject(value: object) -> Subject:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, said),) = value.items()
        if kind == "right":
            return Subject("right", _number(said, "round", ROUNDS_MAX))
        if kind in {"game", "penalty"} and isinstance(said, list) and len(said) == 2:
            round_number = _number(said[0], "round", ROUNDS_MAX)
            if kind == "game":
                return Subject("game", round_number, _number(said[1], "game", GAMES_MAX))
            if isinstance(said[1], str) and ENTRY_ID.fullmatch(said[1]):
                return Subject("penalty", round_number, said[1])
    raise WrongEntry(
        "wrong_subject",
        'An entry is about {"game": [round, game]}, {"penalty": [round, id]} or {"right": round}.',
    )


def _game(value: object) -> Content:
    fields = _object(value, _NUMBERS | _YES_OR_NO | {"dead", "false_win", "points"})
    if "winner" not in fields:
        raise WrongEntry("no_winner", "A game names its winner, or null if nobody won.")
    content: dict[str, Any] = {}
    for name, said in fields.items():
        if name == "winner":
            content[name] = None if said is None else _number(said, name, PEOPLE_MAX)
        elif name in _NUMBERS:
            content[name] = _number(said, name, _NUMBER_MAX, least=0)
        elif name in _YES_OR_NO:
            content[name] = _yes_or_no(said, name)
        elif name == "false_win":
            content[name] = _number(said, name, PEOPLE_MAX)
        elif name == "dead":
            content[name] = _people(said, name)
        else:
            content[name] = _points_by_person(said)
    return content


def _penalty(value: object) -> Content:
    fields = _object(value, frozenset({"person", "points"}))
    if len(fields) != 2:
        raise WrongEntry("wrong_penalty", "A penalty names a person and points, in hundredths.")
    return {
        "person": _number(fields["person"], "person", PEOPLE_MAX),
        "points": _points(fields["points"]),
    }


def _right(value: object) -> Content:
    fields = _object(value, frozenset({"stands", "for"}))
    if len(fields) != 2:
        raise WrongEntry("wrong_right", "Who confirms a round says what stands, and for whom.")
    return {
        "stands": _ids(fields["stands"], "stands", STANDS_MAX),
        "for": _people(fields["for"], "for"),
    }


_CONTENTS: Final = {"game": _game, "penalty": _penalty, "right": _right}


def _object(value: object, known: frozenset[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongEntry("wrong_content", "The content of an entry is an object, or null.")
    odd = next((name for name in value if name not in known), None)
    if odd is not None:
        raise WrongEntry("wrong_content", f"There is no {str(odd)[:40]!r} in such an entry.")
    return value


def _number(value: object, name: str, most: int, *, least: int = 1) -> int:
    if type(value) is not int or not least <= value <= most:
        raise WrongEntry("wrong_number", f"{name} is a whole number from {least} to {most:,}.")
    return value


def _yes_or_no(value: object, name: str) -> bool:
    if type(value) is not bool:
        raise WrongEntry("wrong_content", f"{name} is true or false.")
    return value


def _ids(value: object, name: str, most: int) -> tuple[str, ...]:
    if (
        not isinstance(value, list)
        or len(value) > most
        or not all(isinstance(each, str) and ENTRY_ID.fullmatch(each) for each in value)
    ):
        raise WrongEntry("wrong_ids", f"{name} is a list of at most {most} ids, each {_ID_SAID}.")
    return tuple(dict.fromkeys(value))


def _people(value: object, name: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > SEATS_MAX:
        raise WrongEntry(
            "wrong_people", f"{name} is a list of at most {SEATS_MAX} people of a table."
        )
    return tuple(sorted({_number(each, name, PEOPLE_MAX) for each in value}))


def _points(value: object) -> int:
    if type(value) is not int or abs(value) > POINTS_CENTI_MAX:
        raise WrongEntry(
            "wrong_points",
            f"Points are hundredths, whole numbers up to {POINTS_CENTI_MAX:,} either way.",
        )
    return value


def _points_by_person(value: object) -> Sequence[Sequence[int]]:
    wrong = WrongEntry("wrong_points", "Points are a list of [person, hundredths], one for each.")
    if not isinstance(value, list) or not SEATS_MIN <= len(value) <= SEATS_MAX:
        raise wrong
    told: dict[int, int] = {}
    for each in value:
        if not isinstance(each, list) or len(each) != 2:
            raise wrong
        person = _number(each[0], "person", PEOPLE_MAX)
        if person in told:
            raise wrong
        told[person] = _points(each[1])
    return tuple((person, points) for person, points in sorted(told.items()))
