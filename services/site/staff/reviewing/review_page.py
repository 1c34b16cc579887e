"""One application on one page, with everything that helps to decide, and the decision.

What the applicant wrote and what an agent says of it is only ever text here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.applications.approving import Approval, LikeSource, NoOwner, approve_application
from services.applications.deciding import (
    SAID_CHARACTERS_MAX,
    ask_applicant,
    decline_application,
    look_at_application,
)
from services.applications.sending import ApplicationSettled
from services.applications.told import ApplicationState
from services.site.boards.places import ONE_OF_SOURCE_TYPES, REGIONS, SOURCE_TYPES
from services.site.login.door import lead_to
from services.site.staff.at_staff import AtStaff
from services.site.staff.reviewing.review_list import REVIEW_PATH, TAB
from services.site.staff.reviewing.review_words import NO_ADVICE, OPINIONS, STATES
from services.site.staff.staff_table import STAFF_FORM_BYTES_MAX
from shared.access.sources import InvalidSource, SourceDetails, SourceExists
from shared.errors import MahjicError
from shared.http.browser.forms import read_form
from shared.own_words.short_texts import UnfitText

_COUNT_DIGITS_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """What was typed into the forms of the page, and what is wrong with it, by field."""

    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    status: int = 200


async def application_page(request: Request, at: AtStaff) -> Response:
    """Show an application, what rules find in it, and what an agent advises."""
    return await _shown(request, at, DecisionForm())


async def ask(request: Request, at: AtStaff) -> Response:
    """Ask the applicant something."""
    form = await read_form(request, bytes_max=STAFF_FORM_BYTES_MAX)
    seen = form.get("seen", "")
    is_count = seen.isascii() and seen.isdecimal() and len(seen) <= _COUNT_DIGITS_MAX
    try:
        await ask_applicant(
            at.room.door.accounts,
            at.login,
            _id_in(request),
            form.get("question", ""),
            seen=int(seen) if is_count else None,
        )
    except UnfitText as unfit:
        wrong = {"question": unfit.detail}
        return await _shown(request, at, DecisionForm(form, wrong, status=422))
    except ApplicationSettled as settled:
        return await _settled(request, at, settled, form)
    return lead_to(f"{REVIEW_PATH}/{_id_in(request)}?done=asked")


async def decline(request: Request, at: AtStaff) -> Response:
    """Decline an application with a reason."""
    form = await read_form(request, bytes_max=STAFF_FORM_BYTES_MAX)
    reason = form.get("reason", "")
    try:
        await decline_application(at.room.door.accounts, at.login, _id_in(request), reason)
    except UnfitText as unfit:
        wrong = {"reason": unfit.detail}
        return await _shown(request, at, DecisionForm(form, wrong, status=422))
    except ApplicationSettled as settled:
        return await _settled(request, at, settled, form, meant="declined")
    return lead_to(f"{REVIEW_PATH}/{_id_in(request)}?done=declined")


async def approve(request: Request, at: AtStaff) -> Response:
    """Make a source of an application, and its owner."""
    form = await read_form(request, bytes_max=STAFF_FORM_BYTES_MAX)
    details = SourceDetails(form.get("name", ""), form.get("type", ""), form.get("region") or None)
    slug = form.get("slug", "").strip()
    approval = Approval(slug, details, is_told_apart=form.get("told-apart") == "yes")
    try:
        await approve_application(at.room.door.accounts, at.login, _id_in(request), approval)
    except InvalidSource as invalid:
        wrong = {each.pointer.removeprefix("/"): each.message for each in invalid.mistakes}
        return await _shown(request, at, DecisionForm(form, wrong, status=422))
    except SourceExists as exists:
        wrong = {"slug": exists.detail}
        return await _shown(request, at, DecisionForm(form, wrong, status=exists.status))
    except LikeSource as like:
        wrong = {"told-apart": like.detail}
        return await _shown(request, at, DecisionForm(form, wrong, status=like.status))
    except NoOwner as nobody:
        shown = DecisionForm(form, refused=nobody.detail, status=nobody.status)
        return await _shown(request, at, shown)
    except ApplicationSettled as settled:
        return await _settled(request, at, settled, form, meant="approved")
    return lead_to(f"{REVIEW_PATH}/{_id_in(request)}?done=approved")


async def _settled(
    request: Request,
    at: AtStaff,
    settled: MahjicError,
    form: Mapping[str, str],
    *,
    meant: ApplicationState | None = None,
) -> Response:
    """Show what became of an application meanwhile, with what was typed.

    Whoever pressed twice, and meant what is so already, is told of no mistake.
    """
    reviewed = await look_at_application(at.room.door.accounts, at.login, _id_in(request))
    if meant is not None and reviewed.application.state == meant:
        return lead_to(f"{REVIEW_PATH}/{_id_in(request)}")
    shown = DecisionForm(form, refused=settled.detail, status=settled.status)
    return await _shown(request, at, shown)


async def _shown(request: Request, at: AtStaff, form: DecisionForm) -> Response:
    reviewed = await look_at_application(at.room.door.accounts, at.login, _id_in(request))
    application, text = reviewed.application, reviewed.application.text
    wished = {
        "slug": text.wished_slug,
        "name": text.organization,
        "type": text.type,
        "region": text.region or "",
    }
    return at.page(
        "staff/reviewing/application.html",
        title=text.organization,
        tab=TAB,
        status=form.status,
        application=application,
        here=f"{REVIEW_PATH}/{application.application_id}",
        findings=reviewed.findings,
        given=reviewed.advice,
        typed={**wished, "question": "", "reason": "", **form.typed},
        wrong=form.wrong,
        refused=form.refused,
        done=request.query_params.get("done", ""),
        said_max=SAID_CHARACTERS_MAX,
        types=ONE_OF_SOURCE_TYPES,
        source_types=SOURCE_TYPES,
        regions=REGIONS,
        states=STATES,
        opinions=OPINIONS,
        no_advice=NO_ADVICE,
    )


def _id_in(request: Request) -> str:
    return str(request.path_params["application_id"])
