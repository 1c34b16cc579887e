"""The pages on which people choose how they are seen: when they first come, and ever after."""

from collections.abc import Sequence
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.boards.places import REGIONS
from services.site.kit.pages import Site, SitePages
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from services.site.me.choice_form import (
    ChoiceForm,
    Mistake,
    choices_in,
    fit_names,
    form_of,
    read_choice_form,
)
from services.site.me.people import AboutMe, LoggedIn
from services.site.me.room import ME_PATH, WELCOME_PATH, Mine, OwnRoom
from shared.http.browser.forms import read_form
from shared.http.routes import Route

SETTINGS_PATH: Final = "/me/settings"
SAVED_PATH: Final = f"{SETTINGS_PATH}?saved=yes"
# Somebody who has no Mahjic ID yet, and nothing on record.
NOBODY: Final = AboutMe(player_id="")


async def welcome_page(request: Request, site: Site, mine: Mine) -> Response:
    """Ask somebody who is here for the first time how they want to be seen."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    if person.players and person.has_chosen:
        return lead_off(SETTINGS_PATH)
    return await _form(site, mine, person, is_first=True)


async def welcome(request: Request, site: Site, mine: Mine) -> Response:
    """Write down what somebody chose first. Who had no player says by this that they play."""
    return await _choose(request, site, mine, is_first=True)


async def settings_page(request: Request, site: Site, mine: Mine, saved: str = "") -> Response:
    """Show what somebody chose, to be changed."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    return await _form(site, mine, person, is_first=False, is_saved=saved == "yes")


async def change_settings(request: Request, site: Site, mine: Mine) -> Response:
    """Write down what somebody chose anew."""
    return await _choose(request, site, mine, is_first=False)


async def _choose(request: Request, site: SitePages, mine: OwnRoom, *, is_first: bool) -> Response:
    # Only the page that says so makes anybody a player.
    person = await (mine.acting if is_first else mine.acting_player)(request)
    form = read_choice_form(await read_form(request))
    choices, mistakes = choices_in(form)
    if choices is None:
        return await _form(site, mine, person, is_first=is_first, form=form, mistakes=mistakes)
    await mine.people.choose(person, choices)
    return lead_to(ME_PATH if is_first else SAVED_PATH)


async def _form(
    site: SitePages,
    mine: OwnRoom,
    person: LoggedIn,
    *,
    is_first: bool,
    form: ChoiceForm | None = None,
    mistakes: Sequence[Mistake] = (),
    is_saved: bool = False,
) -> Response:
    me = await mine.people.about(person) if person.players else NOBODY
    proposed = fit_names(me.proposed)
    return mine.page(
        site,
        "me/welcome.html" if is_first else "me/settings.html",
        title=_("Welcome") if is_first else _("Settings"),
        words=_("How others see you, and what mail you get."),
        tab="" if is_first else SETTINGS_PATH,
        status=422 if mistakes else 200,
        me=me,
        person=person,
        proposed=proposed,
        form=form or form_of(me, proposed, await mine.people.mail_choice(person)),
        mistakes_made=mistakes,
        wrong=dict(mistakes),
        regions=REGIONS,
        is_saved=is_saved,
    )


CHOOSING_ROUTES: Final = (
    Route("GET", WELCOME_PATH, welcome_page, ignores_unknown=True),
    Route("POST", WELCOME_PATH, welcome),
    Route("GET", SETTINGS_PATH, settings_page, ignores_unknown=True),
    Route("POST", SETTINGS_PATH, change_settings),
)
