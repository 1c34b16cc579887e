"""The page of the profile of a source, for its owners: their own words, and what staff decide."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.profile import change_desk_profile, read_desk_profile
from services.site.boards.places import REGIONS, SOURCE_TYPES
from services.site.desk.at_desk import AtDesk
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.access.profiles import ABOUT_CHARACTERS_MAX, InvalidProfile, read_typed_profile
from shared.access.sources import PointsSum
from shared.http.browser.forms import read_form
from shared.own_words.web_address import SITE_CHARACTERS_MAX

PROFILE_TAB: Final = "/profile"


async def profile_page(request: Request, at: AtDesk) -> Response:
    """Show what everybody reads, and a form for what owners say."""
    return await _profile(at, is_saved=request.query_params.get("saved") == "yes")


async def save_profile(request: Request, at: AtDesk) -> Response:
    """Keep what was typed, or say what is wrong with it."""
    form = await read_form(request)
    site, about = form.get("site", ""), form.get("about", "")
    invites = form.get("invites") == "yes"
    points_sum: PointsSum = "any" if form.get("points_sum") == "any" else "zero"
    try:
        profile = read_typed_profile(site=site, about=about, invites=invites, points_sum=points_sum)
    except InvalidProfile as refused:
        return await _profile(at, typed=(site, about, invites, points_sum), refused=refused)
    await change_desk_profile(at.room.door.accounts, at.login, at.desk.source, profile)
    return lead_to(at.path(f"{PROFILE_TAB}?saved=yes"))


async def _profile(
    at: AtDesk,
    *,
    typed: tuple[str, str, bool, PointsSum] | None = None,
    refused: InvalidProfile | None = None,
    is_saved: bool = False,
) -> Response:
    whole = await read_desk_profile(at.room.door.accounts, at.login, at.desk.source)
    own = whole.own
    kept = (own.site or "", own.about or "", own.invites, own.points_sum)
    site, about, invites, points_sum = typed or kept
    found = () if refused is None else refused.mistakes
    wrong = {each.pointer.removeprefix("/"): each.message for each in found}
    return at.page(
        "desk/profile/profile.html",
        title=_("Public profile"),
        tab=PROFILE_TAB,
        status=200 if refused is None else refused.status,
        whole=whole,
        regions=REGIONS,
        types=SOURCE_TYPES,
        site=site[:SITE_CHARACTERS_MAX],
        about=about[: 2 * ABOUT_CHARACTERS_MAX],
        invites=invites,
        points_sum=points_sum,
        mistakes_found=list(wrong.items()),
        site_mistake=wrong.get("site", ""),
        about_mistake=wrong.get("about", ""),
        is_saved=is_saved,
        about_characters_max=ABOUT_CHARACTERS_MAX,
        site_characters_max=SITE_CHARACTERS_MAX,
    )
