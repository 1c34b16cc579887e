"""Knows the visitors of a sandbox again, and lets nobody's real address in."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.accounts.room import Chance
from services.accounts.tokens import is_token, token_hash
from services.site.kit.cookies import set_token, token_in
from services.site.kit.origin import Origin
from shared.addresses import only_made_up
from shared.http.callers import Caller
from shared.http.layer import HttpLayer
from shared.http.layers.paths import is_of_site, is_shown_to_all
from shared.http.requests import state_of
from shared.mail.causes import caused_by, source_cause, visitor_cause

SANDBOX_PATH = "/sandbox"
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class OfSandbox(HttpLayer):
    """Notes whose browser or key causes each request, and reads addresses that are made up only.

    A browser is given its token when it first sends something, or looks at the visitors' page.
    """

    def __init__(self, app: ASGIApp, *, origin: Origin, chance: Chance) -> None:
        super().__init__(app)
        self._origin = origin
        self._chance = chance

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in the name of who sent it."""
        cause = None
        if not is_of_site(scope["path"]):
            caller = state_of(scope).get("caller")
            if isinstance(caller, Caller) and caller.source is not None:
                cause = source_cause(caller.source)
        else:
            token = self._token(scope)
            if token is None and _needs_token(scope):
                token = self._chance.new_token()
                send = self._giving(token, send)
            if token is not None:
                state_of(scope)["visitor"] = token
                cause = visitor_cause(token_hash(token))
        with caused_by(cause), only_made_up():
            await self.app(scope, receive, send)

    def _token(self, scope: Scope) -> str | None:
        token = token_in(Request(scope), self._origin, "visitor")
        return token if token is not None and is_token(token) else None

    def _giving(self, token: str, send: Send) -> Send:
        given = Response()
        set_token(given, self._origin, "visitor", token)
        cookies = [field for field in given.raw_headers if field[0] == b"set-cookie"]

        async def send_with_token(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *cookies]}
            await send(message)

        return send_with_token


def visitor_of(request: Request) -> str:
    """Return the token of the browser that sends a request to the visitors' page."""
    token: str = state_of(request.scope)["visitor"]
    return token


def _needs_token(scope: Scope) -> bool:
    path = scope["path"]
    return not is_shown_to_all(path) and (scope["method"] not in _READS or path == SANDBOX_PATH)
