"""Sources at the staff desk: the list, and what can be changed about one."""

from dataclasses import replace
from typing import Final, get_args

from fastapi import Request
from starlette.responses import Response

from services.site.boards.places import REGIONS, SOURCE_TYPES
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from shared.access.sources import (
    LIMIT_PER_MINUTE_MAX,
    NAME_CHARACTERS_MAX,
    InvalidSource,
    SourceDetails,
    SourceType,
)
from shared.http.browser.forms import read_form

TAB: Final = "/sources"
# Only digits, as many as the largest limit has, and a few to be told that it is too large.
_LIMIT_DIGITS_MAX: Final = 9
_TYPES: Final = get_args(SourceType)


async def sources_page(_request: Request, at: AtStaff) -> Response:
    """List all sources."""
    return at.page(
        "staff/sources.html",
        title=_("Sources"),
        tab=TAB,
        sources=await at.room.sources.all(),
        types=SOURCE_TYPES,
        regions=REGIONS,
    )


async def source_page(request: Request, at: AtStaff) -> Response:
    """Show a source, and what can be changed about it."""
    source = await at.room.sources.one(request.path_params["slug"])
    details = source.details
    typed = {
        "name": details.name,
        "type": details.type,
        "region": details.region or "",
        "limit": "" if details.limit_per_minute is None else str(details.limit_per_minute),
        "invites": "yes" if details.invites else "no",
        "points_sum": details.points_sum,
    }
    return await _shown(request, at, typed, {})


async def change(request: Request, at: AtStaff) -> Response:
    """Change what is said about a source."""
    slug = request.path_params["slug"]
    form = await read_form(request)
    names = ("name", "type", "region", "limit", "invites", "points_sum")
    typed = {name: form.get(name, "")[:500] for name in names}
    limit = typed["limit"].strip().replace(",", "")
    is_number = limit.isascii() and limit.isdecimal() and len(limit) <= _LIMIT_DIGITS_MAX
    if limit and not is_number:
        words = _("Type a whole number, or leave it empty for the usual limit.")
        return await _shown(request, at, typed, {"limit": words})

    def changed(before: SourceDetails) -> SourceDetails:
        return replace(
            before,
            name=typed["name"],
            type=typed["type"],
            region=typed["region"] or None,
            limit_per_minute=int(limit) if limit else None,
            invites=typed["invites"] == "yes",
            points_sum="any" if typed["points_sum"] == "any" else "zero",
        )

    try:
        await at.room.sources.change(at.login, slug, changed)
    except InvalidSource as refused:
        fields = {"/limit_per_minute": "limit"}
        wrong = {
            fields.get(each.pointer, each.pointer.strip("/")): each.message
            for each in refused.mistakes
        }
        return await _shown(request, at, typed, wrong)
    return lead_to(f"{STAFF_PATH}{TAB}/{slug}?done=changed")


async def suspend(request: Request, at: AtStaff) -> Response:
    """Refuse the keys of a source from now on."""
    slug = request.path_params["slug"]
    await at.room.sources.suspend(at.login, slug, is_suspended=True)
    return lead_to(f"{STAFF_PATH}{TAB}/{slug}?done=suspended")


async def resume(request: Request, at: AtStaff) -> Response:
    """Accept the keys of a source again."""
    slug = request.path_params["slug"]
    await at.room.sources.suspend(at.login, slug, is_suspended=False)
    return lead_to(f"{STAFF_PATH}{TAB}/{slug}?done=resumed")


async def _shown(
    request: Request, at: AtStaff, typed: dict[str, str], wrong: dict[str, str]
) -> Response:
    source = await at.room.sources.one(request.path_params["slug"])
    return at.page(
        "staff/source.html",
        title=source.details.name,
        tab=TAB,
        status=422 if wrong else 200,
        source=source,
        typed=typed,
        wrong=wrong,
        done=request.query_params.get("done", ""),
        types={each: SOURCE_TYPES[each] for each in _TYPES},
        regions=REGIONS,
        name_max=NAME_CHARACTERS_MAX,
        limit_max=LIMIT_PER_MINUTE_MAX,
    )
