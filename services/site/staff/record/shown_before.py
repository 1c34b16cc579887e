"""What all changes to the record share: the fact as of which they are shown, and asking again."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from services.site.login.door import lead_to

# The number of a fact, which fits into a bigint.
_SEQ: Final = re.compile(r"[1-9][0-9]{0,17}")


def newer_than(request: Request) -> int:
    """Return the fact up to which what was shown before is no longer of use."""
    return _number(request.query_params.get("after", ""))


def as_of(form: Mapping[str, str]) -> int:
    """Return the fact as of which a change was shown; 0 if a form does not say it."""
    return _number(form.get("as_of", ""))


def asked_again(path: str, asked: Mapping[str, str], form: Mapping[str, str]) -> Response:
    """Lead back to what a change would do, since the record moved."""
    again = {**asked, "after": str(as_of(form)), "moved": "yes"}
    return lead_to(f"{path}?{urlencode(again)}")


def _number(text: str) -> int:
    return int(text) if _SEQ.fullmatch(text) else 0
