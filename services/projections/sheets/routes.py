"""The routes that give score sheets out: the template, and sessions on record."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from services.projections.answering.reading import ViewReader
from services.projections.sheets.queries import read_claim
from shared.http.callers import Caller, require
from shared.http.conditional import public_file
from shared.http.responses import problem_responses
from shared.http.session_ids import SessionIdPath, UnknownSession
from shared.ids import is_session_id
from shared.sheets.template import template_csv, template_xlsx
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes

Kind = Literal["csv", "xlsx"]

TYPES: Final[Mapping[Kind, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# It changes with a new version of the program only, and old ones are read for good.
TEMPLATE_MAX_AGE_S: Final = 86_400

_STRING: Final = {"type": "string"}
_NAME: Final = {"description": "The name to save it under.", "schema": _STRING}

Reader = Annotated[Caller, Depends(require("source", "operator"))]


def sheet_routes(reader: ViewReader) -> APIRouter:
    """Return the routes that give score sheets out."""
    router = APIRouter()
    for kind in TYPES:
        _add_template(router, kind)
        _add_export(router, kind, reader)
    return router


def _add_template(router: APIRouter, kind: Kind) -> None:
    @router.get(
        f"/v1/sheets/template.{kind}",
        tags=["read"],
        operation_id=f"get_template_{kind}",
        summary=f"The score sheet to fill in, as {kind.upper()}",
        response_model=None,
        responses={200: _file("The template.", kind), **problem_responses(429)},
    )
    async def get_template(request: Request) -> Response:
        """Give the score sheet that `POST /v1/sheets` takes once it is filled in."""
        content = await asyncio.to_thread(_template, kind)
        headers = _saved_as(f"mahjic-score-sheet.{kind}")
        return public_file(request, content, TYPES[kind], TEMPLATE_MAX_AGE_S, headers=headers)


def _add_export(router: APIRouter, kind: Kind, reader: ViewReader) -> None:
    @router.get(
        f"/v1/sessions/{{session_id}}/sheet.{kind}",
        tags=["submit"],
        operation_id=f"get_sheet_{kind}",
        summary=f"A session as a score sheet, as {kind.upper()}",
        response_model=None,
        responses={
            200: _file("The session as it was submitted.", kind),
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    )
    async def get_sheet(session_id: SessionIdPath, caller: Reader) -> Response:
        """Give a source its own session as the score sheet that it could have sent.

        It has the addresses and nicknames that the source sent itself; who is erased is
        `(erased)`.
        """
        is_id = is_session_id(session_id)
        claim = await read_claim(reader, session_id, by=caller.source) if is_id else None
        if claim is None:
            raise UnknownSession
        content = await asyncio.to_thread(_sheet, claim, kind)
        headers = {**_saved_as(f"{session_id}.{kind}"), "Cache-Control": "no-store"}
        return Response(content, media_type=TYPES[kind], headers=headers)


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
