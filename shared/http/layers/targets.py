"""Reads the target of a request as RFC 9110 means it: one host, and a path of segments.

A slash written as %2F is part of a segment. The server has decoded the whole path, so that it would
end the segment.
"""

import re
from typing import Final
from urllib.parse import unquote

from starlette.types import Receive, Scope, Send

from shared.http.layer import HttpLayer
from shared.http.problems import BadRequest, problem_response

# A name or an address, with a port or without (RFC 9110, section 7.2). One without a name may be
# sent empty.
_HOST: Final = re.compile(rb"(?:\[[0-9A-Fa-f:.]{2,45}\]|[\w.~!$&'()*+,;=%-]{0,255})(?::\d{0,5})?")
_WRITTEN_SLASH: Final = re.compile(r"(%2[Ff])")


class ReadTargets(HttpLayer):
    """Refuses a request that names no host, or several; keeps escaped slashes as they are."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with the path that its sender meant."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        is_needed = scope["http_version"] != "1.0"
        if len(hosts) > 1 or (not hosts and is_needed) or not all(map(_HOST.fullmatch, hosts)):
            refusal = BadRequest("Send one Host header, with the name or address of this service.")
            refusal.headers = {"Connection": "close", "X-Content-Type-Options": "nosniff"}
            await problem_response(refusal, scope)(scope, receive, send)
            return
        raw_path = scope.get("raw_path") or b""
        if b"%2f" in raw_path.lower():
            pieces = _WRITTEN_SLASH.split(raw_path.decode("latin-1"))
            path = "".join(piece if at % 2 else unquote(piece) for at, piece in enumerate(pieces))
            scope["path"] = path
        await self.app(scope, receive, send)
