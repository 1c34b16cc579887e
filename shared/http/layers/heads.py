"""Answers HEAD wherever GET is answered, with the same fields and without the body (RFC 9110)."""

from starlette.types import Message, Receive, Scope, Send

from shared.http.layer import HttpLayer


class AnswerHeads(HttpLayer):
    """Passes on a HEAD as a GET, and holds back the body."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        # A copy, since the server reads the method again when it frames the answer.
        as_get = {**scope, "method": "GET"}
        try:
            await self.app(as_get, receive, _without_body(send))
        finally:
            # The outer layers need to know which route it was.
            scope.update(as_get, method="HEAD")


def _without_body(send: Send) -> Send:
    is_complete = False

    async def send_head(message: Message) -> None:
        nonlocal is_complete
        if message["type"] == "http.response.start":
            await send(message)
        elif not is_complete:
            # A stream may have no end. Once its head is sent, it is told that the client is gone.
            is_complete = True
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return send_head
