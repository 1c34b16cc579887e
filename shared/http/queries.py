"""Refuses query parameters that are unknown to a route or given twice, on every route.

A mistyped `dry_run` must not submit, and a mistyped filter must not show everything.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import asdict
from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

from shared.errors import MORE_MISTAKES, MORE_WORDS, InvalidParameter, Mistake, told_mistakes
from shared.mistakes import pointer

Asked = TypeVar("Asked", bound=BaseModel)


def refuse_slips(request: Request, known: Set[str]) -> None:
    """Refuse parameters that a route does not read. Raises InvalidParameter."""
    if not request.scope["query_string"]:
        return
    sent = [name for name, _ in request.query_params.multi_items()]
    mistakes = slips(sent, known=known)
    if mistakes:
        raise InvalidParameter([asdict(each) for each in mistakes])


def slips(sent: Sequence[str], *, known: Set[str]) -> Sequence[Mistake]:
    """Return what is wrong with the names of the parameters that were sent."""
    unknown = (
        f"Unknown parameter. This address takes only {', '.join(sorted(known))}. Correct it, or "
        "leave it out."
        if known
        else "This address takes no query parameters. Leave it out."
    )
    mistakes = []
    for name, times in sorted(Counter(sent).items()):
        at = pointer(["query", name])
        if name not in known:
            mistakes.append(Mistake(at, "unknown_field", unknown))
        elif times > 1:
            repeated = "It was given more than once. Give it once."
            mistakes.append(Mistake(at, "parameter_repeated", repeated))
    return told_mistakes(mistakes, Mistake("/query", MORE_MISTAKES, MORE_WORDS))


def query_parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the OpenAPI `parameters` entries for what a route reads with `read_query`."""
    properties = model.model_json_schema()["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": schema,
            "description": schema["description"],
        }
        for name, schema in properties.items()
    ]


def read_query(request: Request, nothing: Asked) -> Asked:
    """Return what the query asks for; `nothing` is the result without a query.

    FastAPI's own parameters cost as much without a query as with one: too much where each request
    counts. The route documents them with `query_parameters`. Raises RequestValidationError.
    """
    if not request.scope["query_string"]:
        return nothing
    try:
        return type(nothing).model_validate(dict(request.query_params))
    except ValidationError as error:
        errors = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(errors) from None


def names_read(route: APIRoute) -> frozenset[str]:
    """Return the names of the query parameters of a route and of all its dependencies."""
    documented = (route.openapi_extra or {}).get("parameters", ())
    names = frozenset(each["name"] for each in documented if each["in"] == "query")
    return names | _names_taken(route.dependant)


def _names_taken(dependant: Any) -> frozenset[str]:  # noqa: ANN401 - FastAPI keeps its type to itself.
    names = {field.alias for field in dependant.query_params}
    return frozenset(names.union(*map(_names_taken, dependant.dependencies)))
