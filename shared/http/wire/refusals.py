"""Writes an answer to what never became a request that the application could answer."""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from shared.errors import MahjicError
from shared.http.layers.browsers import OPEN_FIELDS
from shared.http.problems import PROBLEM_JSON, problem_body


def refusal_bytes(error: MahjicError, request_id: str, *, is_open: bool = True) -> bytes:
    """Return the whole answer, as it goes over the network. It ends the connection.

    It is open to pages of other sites, which need to know that they can try again: whoever asks
    is told the same. It is not open if it tells of a request that may have been let in.
    """
    body = problem_body(error, request_id)
    fields = {
        "content-type": PROBLEM_JSON,
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        **{name.lower(): value for name, value in error.headers.items()},
        **({name.decode(): value.decode() for name, value in OPEN_FIELDS} if is_open else {}),
        "connection": "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return STATUS_LINE[error.status] + head.encode() + b"\r\n" + body
