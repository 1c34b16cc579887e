"""Describes a request in words that are safe to log: its id, its route and its method."""

import re
import secrets
from typing import Any, Final

from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.routing import Match
from starlette.types import Receive, Scope

from shared.ids import ANY_KEY

# What our server adds to the scope of a request: a way to drop its connection.
CONNECTION: Final = "mahjic.connection"
REQUEST_ID_HEADER: Final = b"x-request-id"
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# A caller's own request id goes into our logs, so it can't hold an address or another key.
_SANE_REQUEST_ID: Final = re.compile(rf"(?!.*{ANY_KEY})[0-9A-Za-z._:-]{{8,64}}", re.ASCII)


def state_of(scope: Scope) -> dict[str, Any]:
    """Return the notes that travel with a request; copies of a scope share them."""
    state: dict[str, Any] = scope.setdefault("state", {})
    return state


def give_request_id(scope: Scope) -> str:
    """Store and return the id of a request: the caller's own if it is valid, else a new one."""
    sent = [value for name, value in scope["headers"] if name == REQUEST_ID_HEADER]
    request_id = sent[0].decode("latin-1") if len(sent) == 1 else ""
    if _SANE_REQUEST_ID.fullmatch(request_id) is None:
        request_id = new_request_id()
    state_of(scope)["request_id"] = request_id
    return request_id


def new_request_id() -> str:
    """Return an id that no other request has."""
    return secrets.token_hex(12)


def request_id_of(scope: Scope) -> str:
    """Return the id that a request was given, or give it one."""
    request_id = state_of(scope).get("request_id")
    return request_id if isinstance(request_id, str) else give_request_id(scope)


async def cut_off(scope: Scope, receive: Receive) -> None:
    """Drop the connection of a request with anything not sent yet, and wait until it is gone.

    Closing it would wait for a client that reads nothing.
    """
    scope["extensions"][CONNECTION]["abort"]()
    while (await receive())["type"] != "http.disconnect":
        pass


def route_of(scope: Scope) -> str:
    """Return the template of the route that took a request, never the path that was sent."""
    route = scope.get("route")
    return route.path_format if isinstance(route, APIRoute) else "unmatched"


def method_of(scope: Scope) -> str:
    """Return a request's method, or `other` for one that HTTP does not define."""
    method = scope["method"]
    return method if method in METHODS else "other"


def methods_at(scope: Scope) -> list[str]:
    """Return every method that the address of a request supports, as RFC 9110 requires of `Allow`.

    If several processes behind a proxy share one address, `state.whole` is the application with the
    routes of all of them.
    """
    app: Starlette = scope["app"]
    whole: Starlette = getattr(app.state, "whole", app)
    routes = whole.router.routes
    answered = [
        method
        for method in METHODS
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    if "GET" in answered and "HEAD" not in answered:
        answered.insert(1, "HEAD")
    return answered
