"""The parameters that several read routes share, and the reader that they answer from."""

import re
from datetime import date
from typing import Annotated, Final, TypeAlias

from fastapi import Path, Query
from pydantic import BeforeValidator

from services.projections.answering.cursors import CURSOR_CHARACTERS_MAX, CURSOR_PATTERN
from services.projections.answering.reading import ViewReader
from shared.http.routes import handed_in
from shared.json_text import INTEGER_MAX

SOURCE_CHARACTERS_MAX: Final = 64
_SEQ: Final = re.compile(r"[0-9]{1,19}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_seq(text: object) -> object:
    """Let only plain digits through. Pydantic would also read `1_0` and `+10` as ten."""
    if not isinstance(text, str) or _SEQ.fullmatch(text) is None:
        raise ValueError("Use the `seq` of an answer unchanged: digits and nothing else.")
    return int(text)


def read_date(text: object) -> object:
    """Let only YYYY-MM-DD through. Pydantic would also read 0 as 1970-01-01."""
    if not isinstance(text, str) or _DATE.fullmatch(text) is None:
        raise ValueError("Write the date as YYYY-MM-DD.")
    return text


Reader: TypeAlias = Annotated[ViewReader, handed_in(ViewReader)]
MinSeq: TypeAlias = Annotated[
    Annotated[int, BeforeValidator(read_seq)] | None,
    Query(
        ge=0,
        le=INTEGER_MAX,
        description=(
            "The `seq` of an answer that this one must not be older than. The service "
            "waits for that fact up to 2 s; after that it is 503 `view_behind`."
        ),
        examples=[7],
    ),
]
Cursor: TypeAlias = Annotated[
    str | None,
    Query(
        max_length=CURSOR_CHARACTERS_MAX,
        pattern=CURSOR_PATTERN,
        description="`next_cursor` of the page before.",
    ),
]
SessionDate: TypeAlias = Annotated[date, BeforeValidator(read_date)]
SourcePath: TypeAlias = Annotated[
    str, Path(max_length=SOURCE_CHARACTERS_MAX, description="The slug of the source.")
]
