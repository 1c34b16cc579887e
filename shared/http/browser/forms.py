"""Reads what a form of a page sends: fields by name, each of them once."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from fastapi import Request

from shared.http.bodies import read_body
from shared.http.problems import BadRequest

# A usual form holds a few addresses and a short text; a longer one says so.
FORM_BYTES_MAX: Final = 16 << 10
FIELDS_MAX: Final = 50
_FORM_TYPE: Final = re.compile(
    r"application/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*(?:utf-8|\"utf-8\")\s*)?",
    re.ASCII | re.IGNORECASE,
)
_WHAT: Final = "Send the form as a browser does, with application/x-www-form-urlencoded."


async def read_form(
    request: Request, *, bytes_max: int = FORM_BYTES_MAX, fields_max: int = FIELDS_MAX
) -> Mapping[str, str]:
    """Return the fields of a form. Raises UnsupportedMediaType, PayloadTooLarge or BadRequest."""
    body = await read_body(request, _FORM_TYPE, _WHAT, bytes_max=bytes_max)
    try:
        sent = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=fields_max,
            errors="strict",
        )
    except ValueError:
        raise BadRequest("The form cannot be read. Load the page again, and send it.") from None
    fields = dict(sent)
    if len(fields) != len(sent) or any("\x00" in value for value in fields.values()):
        raise BadRequest("The form cannot be read. Load the page again, and send it.")
    return fields
