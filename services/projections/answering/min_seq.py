"""The parameter by which a client asks for a page that shows a fact it knows of."""

import re
from typing import Annotated, Final, TypeAlias

from fastapi import Query
from pydantic import BeforeValidator

SEQ_MAX: Final = (1 << 63) - 1
_SEQ: Final = re.compile(r"[0-9]{1,19}")


def read_seq(text: object) -> object:
    """Let nothing but plain digits through; pydantic would read `1_0` and `+10` as ten too."""
    if not isinstance(text, str) or _SEQ.fullmatch(text) is None:
        raise ValueError("Write the `seq` of an answer as it is: digits and nothing else.")
    return int(text)


MinSeq: TypeAlias = Annotated[
    Annotated[int, BeforeValidator(read_seq)] | None,
    Query(
        ge=0,
        le=SEQ_MAX,
        description="The `seq` of an answer that this one must not be older than. What does not "
        "show that fact yet is waited for, 2 s at most; then it is 503 `view_behind`.",
        examples=[7],
    ),
]
