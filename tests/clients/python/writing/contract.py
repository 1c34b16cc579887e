"""The OpenAPI document, as the client is written from it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
Contract = Mapping[str, Any]

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Routes with one of these tags are in one module.
ROOMS = {
    "score": "reading",
    "submit": "submitting",
    "operator": "operating",
    "audit": "operating",
    "health": "operating",
}
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class Operation:
    """One documented route."""

    name: str
    method: str
    path: str
    entry: Mapping[str, Any]

    @property
    def room(self) -> str:
        """Which module it is in."""
        (tag,) = self.entry["tags"]
        if tag == "read":
            if self.path.startswith("/v1/players"):
                return "players"
            return "boards" if "leaderboard" in self.name else "reading"
        is_answer = self.method == "GET" or "Idempotency-Key" not in self.parameters("header")
        return "sessions" if tag == "submit" and is_answer else ROOMS[tag]

    def parameters(self, place: str) -> dict[str, Mapping[str, Any]]:
        """Return the parameters in one place by name."""
        return {
            each["name"]: each for each in self.entry.get("parameters", ()) if each["in"] == place
        }

    @property
    def bodies(self) -> Mapping[str, Schema]:
        """The schemas of the body by content type; of a body of lines, that of a line."""
        content = self.entry.get("requestBody", {}).get("content", {})
        return {kind: told.get("itemSchema") or told["schema"] for kind, told in content.items()}

    @property
    def fields(self) -> Mapping[str, Schema]:
        """The fields of the body, if it is JSON."""
        fields: Mapping[str, Schema] = self._json.get("properties", {})
        return fields

    @property
    def fields_required(self) -> frozenset[str]:
        """The fields that the body may not leave out."""
        return frozenset(self._json.get("required", ()))

    @property
    def _json(self) -> Schema:
        return self.bodies.get("application/json", {})

    @property
    def takes_file(self) -> bool:
        """Whether the body is a score sheet."""
        return XLSX in self.bodies

    def answers(self) -> dict[str, Mapping[str, Schema]]:
        """Return the schemas of what it answers when all is well: by status and content type."""
        return {
            status: {kind: told["schema"] for kind, told in answer.get("content", {}).items()}
            for status, answer in self.entry["responses"].items()
            if status.startswith("2")
        }


def operations(contract: Contract) -> Iterator[Operation]:
    """Yield every documented route."""
    for path, item in contract["paths"].items():
        for method, entry in item.items():
            yield Operation(entry["operationId"], method.upper(), path, entry)


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
        query = {each: told["schema"] for each, told in operation.parameters("query").items()}
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
