"""The routes that return score sheets: the template, and sessions on record."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Request
from starlette.responses import Response

from services.projections.answering.parameters import Reader
from services.projections.sessions.as_claim import read_claim
from shared.access.acts import Acts
from shared.errors import UnknownSession
from shared.http.callers import Caller, require
from shared.http.conditional import public_file
from shared.http.responses import problem_responses
from shared.http.routes import Route
from shared.http.session_ids import SessionIdPath
from shared.ids import is_session_id
from shared.sheets.template import template_csv, template_xlsx
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes

Kind = Literal["csv", "xlsx"]

TYPES: Final[Mapping[Kind, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# It changes only with a new version of the program, and old ones can always be read.
TEMPLATE_MAX_AGE_S: Final = 86_400

_STRING: Final = {"type": "string"}
_NAME: Final = {"description": "The name to save it under.", "schema": _STRING}


async def get_template(request: Request) -> Response:
    """Get the blank score sheet. Once it is filled in, `POST /v1/sheets` takes it."""
    kind = _kind_of(request)
    content = await asyncio.to_thread(_template, kind)
    headers = _saved_as(f"mahjic-score-sheet.{kind}")
    return public_file(request, content, TYPES[kind], TEMPLATE_MAX_AGE_S, headers=headers)


async def get_sheet(
    request: Request,
    session_id: SessionIdPath,
    caller: Annotated[Caller, Depends(require("source", "operator"))],
    reader: Reader,
    acts: Acts,
) -> Response:
    """Give a source its own session as a score sheet that it could have sent.

    It has the addresses and nicknames that the source sent itself. People who were erased appear as
    `(erased)`.
    """
    is_id, kind = is_session_id(session_id), _kind_of(request)
    claim = await read_claim(reader, session_id, by=caller.source) if is_id else None
    if claim is None:
        raise UnknownSession
    await acts.keep(caller, "see_sheet", session_id)
    content = await asyncio.to_thread(_sheet, claim, kind)
    headers = {**_saved_as(f"{session_id}.{kind}"), "Cache-Control": "no-store"}
    return Response(content, media_type=TYPES[kind], headers=headers)


def _kind_of(request: Request) -> Kind:
    """Return the kind of file that a request's URL ends with."""
    return "csv" if request.scope["path"].endswith(".csv") else "xlsx"


@cache
def _template(kind: Kind) -> bytes:
    return template_csv() if kind == "csv" else template_xlsx()


def _sheet(claim: Mapping[str, Any], kind: Kind) -> bytes:
    write = csv_bytes if kind == "csv" else xlsx_bytes
    return write(sheet_rows(claim))


def _saved_as(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _file(words: str, kind: Kind) -> dict[str, Any]:
    """Return the `responses` entry of a file."""
    return {
        "description": words,
        "content": {TYPES[kind].partition(";")[0]: {"schema": {**_STRING, "format": "binary"}}},
        "headers": {"Content-Disposition": _NAME},
    }


def _template_route(kind: Kind) -> Route:
    return Route(
        "GET",
        f"/v1/sheets/template.{kind}",
        get_template,
        f"The score sheet to fill in, as {kind.upper()}",
        tag="read",
        responses={200: _file("The template.", kind), **problem_responses(429)},
        operation_id=f"get_sheet_template_{kind}",
    )


def _sheet_route(kind: Kind) -> Route:
    return Route(
        "GET",
        f"/v1/sessions/{{session_id}}/sheet.{kind}",
        get_sheet,
        f"A session as a score sheet, as {kind.upper()}",
        tag="submit",
        responses={
            200: _file("The session as it was submitted.", kind),
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
        operation_id=f"get_session_sheet_{kind}",
    )


SHEET_ROUTES: Final = tuple(
    made(kind) for kind in TYPES for made in (_template_route, _sheet_route)
)
