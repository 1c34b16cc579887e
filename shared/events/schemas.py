"""The JSON Schemas of the records, made from the same classes that the codec reads and writes.

A schema accepts what newer programs may add, as readers do. What JSON Schema cannot say, such as
columns of one length, is in the descriptions.
"""

from collections.abc import Mapping
from types import NoneType
from typing import Any, ClassVar, Final, Literal, get_args, get_origin, get_type_hints

from shared.events.facts import FactEvent, PlayedRound, SessionSubmitted
from shared.events.fields import TEXT_CHARACTERS_MAX
from shared.events.meanings import ENVELOPE_MEANINGS, MEANINGS
from shared.events.verdicts import (
    Answers,
    RatedRound,
    ReseatedSession,
    SessionRated,
    VerdictEvent,
)

Schema = dict[str, Any]

FACTS: Final[tuple[type[FactEvent], ...]] = get_args(FactEvent)
VERDICTS: Final[tuple[type[VerdictEvent], ...]] = get_args(VerdictEvent)

CHAIN_PATTERN: Final = "^[0-9a-f]{64}$"
TEXT: Final[Schema] = {
    "type": "string",
    "maxLength": TEXT_CHARACTERS_MAX,
    "pattern": "^[ -~]*$",
}
TIME: Final[Schema] = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)$",
}
CHAIN: Final[Schema] = {"type": "string", "pattern": CHAIN_PATTERN}
# What the types alone do not say.
NARROWER: Final[Mapping[str, Schema]] = {
    "session_date": {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "fact_chain": CHAIN,
    "fact_seq": {"type": "integer", "minimum": 1},
    "part": {"type": "integer", "minimum": 1},
    "parts": {"type": "integer", "minimum": 1},
}
# The objects within an event.
PARTS: Final = (PlayedRound, RatedRound, ReseatedSession, SessionSubmitted, SessionRated)
# Left out where they do not apply; everything else is always present.
LEFT_OUT: Final = frozenset({"points_centi", "played_as", "proposal", "reseated"})


def fact_schema(event: type[FactEvent]) -> Schema:
    """Return the schema of a whole record of the facts."""
    return _record_schema(event.TYPE, "facts", "^[1-9][0-9]*$", _object_schema(event))


def verdict_schema(event: type[VerdictEvent]) -> Schema:
    """Return the schema of a whole record of the verdicts."""
    answers, data = _object_schema(Answers), _object_schema(event)
    both = {
        "type": "object",
        "required": answers["required"] + data["required"],
        "properties": answers["properties"] | data["properties"],
    }
    return _record_schema(event.TYPE, "verdicts", r"^[1-9][0-9]*\.[1-9][0-9]*$", both)


def _record_schema(event_type: str, log: str, id_pattern: str, data: Schema) -> Schema:
    properties: dict[str, Schema] = {
        "specversion": {"const": "1.0"},
        "id": {"type": "string", "pattern": id_pattern},
        "type": {"const": event_type},
        "source": {"type": "string", "pattern": f"^/logs/[^/]+/{log}$"},
        "time": TIME,
        "subject": TEXT,
        "datacontenttype": {"const": "application/json"},
        "data": data,
    }
    for name, meaning in ENVELOPE_MEANINGS[log].items():
        properties[name] = {**properties[name], "description": meaning}
    return {"type": "object", "required": list(properties), "properties": properties}


def _object_schema(of: type[Any]) -> Schema:
    hints = get_type_hints(of)
    # A field that is called like a word of the language has `_` behind it, but not on the log.
    types = {name.removesuffix("_"): hint for name, hint in hints.items() if hint is not ClassVar}
    return {
        "type": "object",
        "required": [name for name in types if name not in LEFT_OUT],
        "properties": {
            name: {**_field_schema(name, hint), "description": MEANINGS[name]}
            for name, hint in types.items()
        },
    }


def _field_schema(name: str, hint: object) -> Schema:
    if name in NARROWER:
        return NARROWER[name]
    if name in LEFT_OUT:
        hint = _without_none(hint)
    return _type_schema(hint)


def _type_schema(hint: object) -> Schema:
    if hint is int:
        return {"type": "integer"}
    if hint is str:
        return TEXT
    if hint in PARTS:
        return _object_schema(hint)
    return _compound_schema(hint)


def _compound_schema(hint: object) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _type_schema(arguments[0])}
    if origin is Mapping:
        return {"type": "object"}
    return {"anyOf": [_type_schema(_without_none(hint)), {"type": "null"}]}


def _without_none(hint: object) -> object:
    """Return the type of an optional field without None."""
    rest = [each for each in get_args(hint) if each is not NoneType]
    assert len(rest) == 1, f"There is no schema for {hint}."
    return rest[0]
