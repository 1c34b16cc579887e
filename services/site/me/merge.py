"""Another address of mine: what making one player of two would move, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Query, Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.projections.profiles.answers import Profile
from services.site.kit.pages import Site, SitePages
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from services.site.me.people import LoggedIn
from services.site.me.rights import MergeLook, MergeRefused, Rights, RightsDesk
from services.site.me.room import Mine, OwnRoom
from shared.http.browser.forms import read_form
from shared.http.routes import Route
from shared.ids import PLAYER_ID_CHARACTERS_MAX

PATH: Final = "/me/merge"
DONE_PATH: Final = "/me/merge/done"
UNPROCESSABLE: Final = 422

Keep: TypeAlias = Annotated[str, Query(max_length=PLAYER_ID_CHARACTERS_MAX)]


@dataclass(frozen=True, slots=True)
class ShownMerge:
    """Another player of somebody, beside the one that would stay."""

    look: MergeLook
    other: Profile


async def merge_page(
    request: Request, site: Site, mine: Mine, rights: Rights, keep: Keep = ""
) -> Response:
    """Show each other player of somebody, and what putting it together with the first would do."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    return await _shown(site, mine, rights, person, keep)


async def merge(request: Request, site: Site, mine: Mine, rights: Rights) -> Response:
    """Put two players together."""
    person = await mine.acting(request)
    form = await read_form(request)
    into, seen = form.get("into", ""), form.get("seen")
    if seen not in {"visible", "private"}:
        mistake = _("Say whether others may see you, and press again.")
        return await _shown(site, mine, rights, person, into, status=UNPROCESSABLE, mistake=mistake)
    try:
        await rights.merging.merge(
            person.login, form.get("player", ""), into, is_private=seen == "private"
        )
    except LoginNotFresh:
        return await _shown(site, mine, rights, person, into, status=LoginNotFresh.status)
    except MergeRefused as refused:
        return await _shown(site, mine, rights, person, into, status=refused.status)
    return lead_to(DONE_PATH)


async def merged_page(request: Request, site: Site, mine: Mine) -> Response:
    """Say which players are one now, and who sees them."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    me = await mine.people.about(person) if person.players else None
    if me is None or not me.merged:
        return lead_off(PATH)
    return mine.page(
        site,
        "me/merged.html",
        title=_("You are one player"),
        words=_("What came of putting your players together."),
        me=me,
        has_more=len(person.players) > 1,
    )


async def _shown(
    site: SitePages,
    mine: OwnRoom,
    rights: RightsDesk,
    person: LoggedIn,
    keep: str,
    *,
    status: int = 200,
    mistake: str = "",
) -> Response:
    kept = keep if keep in person.players else (person.players or [""])[0]
    others = [each for each in person.players if each != kept]
    return mine.page(
        site,
        "me/merge.html",
        title=_("Another address of mine"),
        words=_("Put the results of two addresses of yours together."),
        status=status,
        person=person,
        kept=await mine.reads.of(kept).profile(kept) if others else None,
        merges=await _looks(mine, rights, person, kept, others),
        is_fresh=mine.is_fresh(person),
        mistake=mistake,
    )


async def _looks(
    mine: OwnRoom, rights: RightsDesk, person: LoggedIn, kept: str, others: Sequence[str]
) -> Sequence[ShownMerge]:
    return [
        ShownMerge(
            await rights.merging.look(person.login, each, kept),
            await mine.reads.of(each).profile(each),
        )
        for each in others
    ]


MERGE_ROUTES: Final = (
    Route("GET", PATH, merge_page, ignores_unknown=True),
    Route("POST", PATH, merge),
    Route("GET", DONE_PATH, merged_page, ignores_unknown=True),
)
