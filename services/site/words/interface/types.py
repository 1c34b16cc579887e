"""Says in words what a JSON Schema allows: `list of RoundClaim`, `1 to 64 characters`. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

# The whole numbers that PostgreSQL holds, and other limits that nobody meets, say nothing.
_TOO_LARGE_TO_SAY: Final = 1 << 53
_REFERENCE: Final = "#/components/schemas/"
_WORDS: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "array": "list",
    "null": "null",
}
_FORMATS: Final = {"date": "date", "date-time": "time", "binary": "file"}


def name_of(schema: Schema) -> str | None:
    """Return the name of the type that a schema is, None if it is a plain value.

    A reference and the same type written out in place have the same name.
    """
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    if schema.get("type") == "object" and "properties" in schema:
        return str(schema["title"]) if "title" in schema else None
    return None


def parts_of(schema: Schema) -> tuple[Schema, ...]:
    """Return the alternatives of a schema without null, the schema itself if it has none."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if not choices:
        return (schema,)
    return tuple(each for each in choices if each.get("type") != "null")


def is_nullable(schema: Schema) -> bool:
    """Return whether null is one of the alternatives."""
    return any(each.get("type") == "null" for each in schema.get("anyOf", ()))


def named_in(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield each named type that a value of the schema may hold directly."""
    for part in parts_of(schema):
        name = name_of(part)
        if name is not None:
            yield name, part
        elif isinstance(part.get("items"), Mapping):
            yield from named_in(part["items"])
        elif isinstance(part.get("additionalProperties"), Mapping):
            yield from named_in(part["additionalProperties"])


def words_of(schema: Schema) -> str:
    """Return what kind of value a schema asks for."""
    words = " or ".join(dict.fromkeys(_words_of_part(part) for part in parts_of(schema)))
    return f"{words} or null" if is_nullable(schema) else words


def limits_of(schema: Schema) -> tuple[str, ...]:
    """Return what else a value must keep to, a phrase for each limit."""
    return tuple(
        phrase for part in parts_of(schema) for phrase in _limits_of_part({**schema, **part})
    )


def _words_of_part(part: Schema) -> str:
    if (name := name_of(part)) is not None:
        return name
    if "const" in part:
        return f"always `{_value(part['const'])}`"
    if "enum" in part:
        return "one of " + ", ".join(f"`{_value(each)}`" for each in part["enum"])
    kind = str(part.get("type", ""))
    if kind == "array" and isinstance(part.get("items"), Mapping):
        return f"list of {words_of(part['items'])}"
    if kind == "object" and isinstance(part.get("additionalProperties"), Mapping):
        return f"object with {words_of(part['additionalProperties'])} for each name"
    return _FORMATS.get(str(part.get("format")), _WORDS.get(kind, "any value"))


def _limits_of_part(part: Schema) -> Iterator[str]:
    lowest = part.get("minimum", part.get("ge"))
    highest = part.get("maximum", part.get("le"))
    for low, high, unit in (
        (lowest, highest, ""),
        (part.get("minLength"), part.get("maxLength"), "characters"),
        (part.get("minItems"), part.get("maxItems"), "entries"),
        (None, part.get("maxProperties"), "names"),
    ):
        if (phrase := _range(low, high, unit)) is not None:
            yield phrase
    if part.get("default") is not None:
        yield f"otherwise `{_value(part['default'])}`"


def _range(low: float | None, high: float | None, unit: str) -> str | None:
    if high is not None and high >= _TOO_LARGE_TO_SAY:
        high = None
    if low is None and high is None:
        return None
    if high is None:
        return f"{low:,g} or more {unit}".rstrip()
    if low is None:
        return f"at most {high:,g} {unit}".rstrip()
    return f"{low:,g} to {high:,g} {unit}".rstrip()


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
