"""Reads the session id in the path of a request, and says that there is no such session."""

from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import Path

from shared.errors import MahjicError

SESSION_ID_CHARACTERS_MAX: Final = 64

SessionIdPath = Annotated[
    str,
    Path(
        max_length=SESSION_ID_CHARACTERS_MAX,
        description="The id that the answer to the submission gave.",
        examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"],
    ),
]


class UnknownSession(MahjicError):
    """There is no such session, or it belongs to another source; the answer is the same."""

    code = "unknown_session"
    title = "There is no such session"
    status = 404

    def __init__(self, session_ids: Sequence[str] = ()) -> None:
        if session_ids:
            count = len(session_ids)
            detail = f"{count} of these are not sessions; `session_ids` lists them. Take them out."
            super().__init__(detail, extra={"session_ids": list(session_ids)})
        else:
            super().__init__(
                "Your key has no session with this id. Use the `session_id` from the answer."
            )
