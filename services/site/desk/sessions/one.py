"""One session of the club: who sat there, who moved, and what became of it since."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.sessions.listing import SESSIONS_TAB
from services.site.desk.sessions.recorded import SheetKind
from services.site.desk.sessions.session_words import (
    ACT_WORDS,
    KIND_WORDS,
    LATER_WORDS,
    REASON_WORDS,
    STATUS_WORDS,
    session_title,
)
from shared.errors import MahjicError
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX

SHEET_TYPES: Final[dict[SheetKind, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# What the page says on top after something was done.
DONE: Final = frozenset({"corrected", "voided", "back", "answered"})


async def session_page(request: Request, at: AtDesk) -> Response:
    """Show a session with everything that the club may know of it."""
    done = request.query_params.get("done", "")
    return await show_session(
        at, request.path_params["session_id"], done=done if done in DONE else ""
    )


async def show_session(
    at: AtDesk,
    session_id: str,
    *,
    done: str = "",
    typed: Mapping[int, str] | None = None,
    refused: MahjicError | None = None,
) -> Response:
    """Show a session; `typed` are answers to disputes, by their numbers, that were refused."""
    session = await at.room.sessions.one(at.login, at.desk.source, session_id)
    return at.page(
        "desk/sessions/one.html",
        title=session_title(session.day),
        tab=SESSIONS_TAB,
        status=200 if refused is None else refused.status,
        here=at.path(f"{SESSIONS_TAB}/{session.session_id}"),
        session=session,
        done=done,
        typed={} if typed is None else typed,
        mistake="" if refused is None else refused.detail,
        answer_max=SHORT_TEXT_CHARACTERS_MAX,
        kind_words=KIND_WORDS,
        status_words=STATUS_WORDS,
        reason_words=REASON_WORDS,
        act_words=ACT_WORDS,
        later_words=LATER_WORDS,
    )


async def sheet_csv(request: Request, at: AtDesk) -> Response:
    """Give a session as a CSV sheet."""
    return await _sheet(request, at, "csv")


async def sheet_xlsx(request: Request, at: AtDesk) -> Response:
    """Give a session as an Excel sheet."""
    return await _sheet(request, at, "xlsx")


async def _sheet(request: Request, at: AtDesk, kind: SheetKind) -> Response:
    session_id = request.path_params["session_id"]
    content = await at.room.sessions.sheet(at.desk.source, session_id, kind)
    headers = {
        "Content-Disposition": f'attachment; filename="{session_id}.{kind}"',
        "Cache-Control": "no-store",
    }
    return Response(content, media_type=SHEET_TYPES[kind], headers=headers)
