"""Describes the bodies that are read as raw bytes, for the OpenAPI document."""

from typing import Any

from pydantic import BaseModel, TypeAdapter

PREFIX = "#/$defs/"


def json_body(model: type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    """Return the `requestBody` of a route whose body is described by a model."""
    content = {"application/json": {"schema": schema_of(model), "example": example}}
    return {"required": True, "content": content}


def schema_of(shape: type[object]) -> Any:  # noqa: ANN401 - A JSON Schema.
    """Return the schema of a model or a typed dict, with all of its parts written out in place."""
    schema = TypeAdapter(shape).json_schema(ref_template=PREFIX + "{model}")
    parts = schema.pop("$defs", {})
    return _inlined(schema, parts)


def header(name: str, description: str, *, characters_max: int) -> dict[str, Any]:
    """Return the `parameters` entry of a header that a route reads itself."""
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": {"type": "string", "maxLength": characters_max},
    }


def answer_headers(location: str, replayed: str) -> dict[str, Any]:
    """Return the `headers` of answers that may come later, or repeat the first answer."""
    told = {
        "Location": location,
        "Idempotency-Replayed": replayed,
        "Retry-After": "Seconds until it is worth looking (202).",
    }
    return {
        name: {"description": words, "schema": {"type": "string"}} for name, words in told.items()
    }


def _inlined(node: Any, parts: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON is what it is.
    if isinstance(node, list):
        return [_inlined(each, parts) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(parts[node["$ref"].removeprefix(PREFIX)], parts)
    return {name: _inlined(each, parts) for name, each in node.items()}
