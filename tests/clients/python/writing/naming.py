"""What the Python client calls things: the modules that routes are in, types, and words."""

import re
from collections.abc import Mapping

from tests.clients.contract import Contract, Operation, Schema, operations

# Routes with one of these tags are in one module.
ROOMS = {
    "score": "reading",
    "submit": "submitting",
    "operator": "operating",
    "audit": "operating",
    "health": "operating",
}
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def room_of(operation: Operation) -> str:
    """Return which module a route is in."""
    (tag,) = operation.entry["tags"]
    if tag == "read":
        if operation.path.startswith("/v1/players"):
            return "players"
        return "boards" if "leaderboard" in operation.name else "reading"
    is_answer = operation.method == "GET" or "Idempotency-Key" not in operation.headers
    return "sessions" if tag == "submit" and is_answer else ROOMS[tag]


def type_of(schema: Schema, *, is_argument: bool = False) -> str:  # noqa: PLR0911
    """Return the type of what a schema describes. An argument may be any sequence or mapping."""
    many, named = ("Sequence", "Mapping") if is_argument else ("list", "dict")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for kind in ("anyOf", "oneOf"):
        if kind in schema:
            parts = [type_of(each, is_argument=is_argument) for each in schema[kind]]
            return " | ".join(dict.fromkeys(parts))
    if "enum" in schema or "const" in schema:
        texts = schema.get("enum") or [schema["const"]]
        return "Literal[" + ", ".join(f'"{each}"' for each in texts) + "]"
    if schema.get("type") == "array":
        return f"{many}[{type_of(schema['items'], is_argument=is_argument)}]"
    if schema.get("type") == "object" and "properties" in schema:
        return str(schema["title"])
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"{named}[str, {type_of(values) if isinstance(values, Mapping) else 'Any'}]"
    if is_argument and schema.get("format") == "date":
        return "str | date"
    return SIMPLE[schema["type"]] if "type" in schema else "Any"


def choices(contract: Contract) -> dict[str, str]:
    """Return the names of what an argument can be, where it is one of several words."""
    named: dict[str, str] = {}
    for operation in operations(contract):
        query = {each: told["schema"] for each, told in operation.query.items()}
        path = {each: told["schema"] for each, told in operation.parameters("path").items()}
        for argument, schema in {**query, **path, **operation.fields}.items():
            kind = type_of(schema).removesuffix(" | None")
            name = argument.title().replace("_", "")
            if kind.startswith("Literal[") and name not in contract["components"]["schemas"]:
                assert named.setdefault(name, kind) == kind, f"{name} would have two meanings."
    return named


def with_choices(text: str, named: Mapping[str, str]) -> str:
    """Return a text in which choices are called by their names."""
    for name, kind in named.items():
        text = text.replace(kind, name)
    return text


def names_in(text: str) -> set[str]:
    """Return every name in a type."""
    return set(re.findall(r"[A-Z]\w+", re.sub(r'"[^"]*"', "", text)))


def sentence(words: str) -> str:
    """Return words for a docstring."""
    text = words.strip().replace("\\", "\\\\").replace('"""', "'''")
    return text if text.endswith((".", "!", "?")) else f"{text}."
