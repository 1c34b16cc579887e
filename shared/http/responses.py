"""Describes what routes have in common for the OpenAPI document: their problems, and keys."""

from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from pydantic import TypeAdapter

from shared.http.layers.gate import UNLIMITED_PATHS
from shared.http.problems import PROBLEM_JSON, Problem

_REFERENCE: Final = "#/components/schemas/{model}"
_MEANINGS: Final = {
    400: "The body is not JSON.",
    401: "An API key is needed and none was sent, or the one that was sent is unknown.",
    403: "The API key may not do this, or its source is suspended.",
    404: "There is nothing here, or nothing that this caller may see.",
    408: "The body did not arrive in time.",
    409: "It conflicts with what is already recorded.",
    413: "The body is too large.",
    415: "The headers say that the body is not JSON.",
    422: "Something in the request breaks a rule; `errors` lists every mistake.",
    429: "The limit of requests per minute is reached.",
    500: "A fault on our side.",
    503: "Not available at the moment; the same request may be sent again.",
}
# What the gate answers before any route: for an unknown key, for the key of a suspended source,
# beyond the limit, and when the database does not say whose key it is.
_OF_THE_GATE: Final = (401, 403, 429, 503)
# Every route refuses query parameters that it does not know.
_OF_ALL: Final = (422,)
# What FastAPI itself documents for a route with parameters; ours answer with a problem.
_OF_FASTAPI: Final = "HTTPValidationError"
_DESCRIPTION: Final = (
    "An unknown query parameter, or one that is given twice, is refused with 422: its name is "
    "in `errors`, and the message lists the parameters that the address takes."
)
_KEY_SCHEME: Final = "ApiKey"
# The `security` of a route that requires a key.
NEEDS_KEY: Final[list[dict[str, list[str]]]] = [{_KEY_SCHEME: []}]
_KEY: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key: `mjk_` and 43 characters, as the operator gave it out.",
}
_HEADERS: Final = {
    401: {"WWW-Authenticate": "How to authenticate: `Bearer`."},
    429: {
        "Retry-After": "Seconds until requests are answered again.",
        "RateLimit": "Requests left, and how many seconds they must last.",
        "RateLimit-Policy": "Requests allowed, and for how many seconds.",
    },
    503: {"Retry-After": "Seconds to wait before trying again."},
}


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses=` of a FastAPI route for the problems that it may answer with."""
    return {status: _described(status) for status in statuses}


def document_common(app: FastAPI) -> None:
    """Put the problems that any route may answer with, and what a key is, into the OpenAPI."""
    build = app.openapi

    def openapi() -> dict[str, Any]:
        document = build()
        components = document.setdefault("components", {})
        components["securitySchemes"] = {_KEY_SCHEME: _KEY}
        schemas = components.setdefault("schemas", {})
        problem = TypeAdapter(Problem).json_schema(ref_template=_REFERENCE)
        schemas.update(problem.pop("$defs"))
        schemas["Problem"] = problem
        for path, operations in document["paths"].items():
            statuses = _OF_ALL if path in UNLIMITED_PATHS else (*_OF_ALL, *_OF_THE_GATE)
            for operation in operations.values():
                responses = operation["responses"]
                if _OF_FASTAPI in str(responses.get("422")):
                    del responses["422"]
                for status in statuses:
                    responses.setdefault(str(status), _described(status))
        for name in (_OF_FASTAPI, "ValidationError"):
            schemas.pop(name, None)
        document["info"]["description"] = _DESCRIPTION
        return document

    # FastAPI documents this very assignment as the way to extend the OpenAPI document.
    app.openapi = openapi  # type: ignore[method-assign]


def _described(status: int) -> dict[str, Any]:
    schema = {"$ref": _REFERENCE.format(model=Problem.__name__)}
    described: dict[str, Any] = {
        "description": _MEANINGS.get(status) or HTTPStatus(status).phrase,
        "content": {PROBLEM_JSON: {"schema": schema}},
    }
    if status in _HEADERS:
        described["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS[status].items()
        }
    return described
