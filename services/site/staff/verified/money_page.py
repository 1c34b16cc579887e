"""The money page of the staff desk, and the identity checks on it that wait for staff."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from services.site.staff.verified.file_told import money_words
from services.verification.staff.money import DUE_WITHIN_DAYS, LISTED_MAX
from shared.http.browser.forms import read_form
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, UnfitText

TAB: Final = "/verified"


async def money_page(request: Request, at: AtStaff) -> Response:
    """Show what came in, what is due, what went wrong, and what waits for staff."""
    money = await at.room.verified.money()
    return at.page(
        "staff/verified/money.html",
        title=_("Verified players"),
        tab=TAB,
        is_open=at.room.verified.is_open,
        money=money,
        due={days: money.due_within(days) for days in DUE_WITHIN_DAYS},
        amount=money_words,
        listed_max=LISTED_MAX,
        done=request.query_params.get("done", ""),
    )


async def check_page(request: Request, at: AtStaff) -> Response:
    """Show a check that is held, and ask why it should count."""
    return await _shown(at, request.path_params["check"])


async def let_count(request: Request, at: AtStaff) -> Response:
    """Let a check count."""
    key = request.path_params["check"]
    typed = (await read_form(request)).get("reason", "")
    try:
        await at.room.verified.release(at.login, key, typed)
    except UnfitText as refused:
        return await _shown(at, key, typed=typed, wrong=refused.detail)
    return lead_to(f"{STAFF_PATH}{TAB}?done=released")


async def _shown(at: AtStaff, key: str, *, typed: str = "", wrong: str = "") -> Response:
    return at.page(
        "staff/verified/check.html",
        title=_("A check that is held"),
        tab=TAB,
        status=422 if wrong else 200,
        hold=await at.room.verified.hold(key),
        typed=typed[: 4 * SHORT_TEXT_CHARACTERS_MAX],
        wrong={"reason": wrong} if wrong else {},
        characters_max=SHORT_TEXT_CHARACTERS_MAX,
    )
