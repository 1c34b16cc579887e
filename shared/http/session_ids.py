"""Reads the session id in the path of a request, and says that there is no such session."""

from typing import Annotated

from fastapi import Path

from shared.ids import SESSION_ID_CHARACTERS_MAX

SessionIdPath = Annotated[
    str,
    Path(
        max_length=SESSION_ID_CHARACTERS_MAX,
        description="The id that the answer to the submission gave.",
        examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"],
    ),
]
