"""The page of one's own: the Mahjic ID, what everyone sees and what nobody does, and the way on."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.inviting import own_invitations
from services.site.boards.places import REGIONS
from services.site.kit.pages import Site
from services.site.kit.words import _
from services.site.login.door import lead_off
from services.site.me.room import ME_PATH, WELCOME_PATH, Mine
from services.site.me.tabs import SELDOM
from shared.http.routes import Route


async def own_page(request: Request, site: Site, mine: Mine) -> Response:
    """Show who somebody is here; to somebody without a player, how to become one."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    if not person.players and person.login.role is not None:
        # Whoever is here for the staff is not asked each time.
        return lead_off("/account")
    invited = await own_invitations(mine.door.accounts, person.login)
    if not person.players:
        title = _("Do you play?")
        words = _("Get your Mahjic ID.")
        return mine.page(
            site,
            "me/no_player.html",
            title=title,
            words=words,
            tab=ME_PATH,
            person=person,
            invited=invited,
        )
    if not person.has_chosen:
        return lead_off(WELCOME_PATH)
    return mine.page(
        site,
        "me/own_page.html",
        title=_("My page"),
        words=_("Your Mahjic ID, your rating, and what others see of you."),
        tab=ME_PATH,
        me=await mine.people.about(person),
        player=await mine.reads.of(person.player_id).profile(person.player_id),
        person=person,
        invited=invited,
        regions=REGIONS,
        seldom=SELDOM,
    )


OWN_PAGES: Final = (Route("GET", ME_PATH, own_page, ignores_unknown=True),)
