"""The pages of an applicant: where their application stands, and what is to be done about it."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from fastapi import Request
from starlette.responses import Response

from services.applications.answering import ANSWER_CHARACTERS_MAX, answer_questions
from services.applications.reading import ApplicationMistaken, read_application
from services.applications.rows import UnknownApplication
from services.applications.sending import (
    ApplicationSettled,
    TooManyApplications,
    change_application,
    own_application,
    own_applications,
    send_application,
    take_back_application,
)
from services.applications.told import Application
from services.site.applying.apply import APPLICATION_BYTES_MAX, APPLY_PATH, CHOICES
from services.site.applying.form import ShownForm, form_of, typed_form
from services.site.boards.places import ONE_OF_SOURCE_TYPES, REGIONS
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.door import Door, lead_off, lead_to
from services.site.login.held import held_page
from shared.errors import MahjicError
from shared.http.browser.forms import read_form
from shared.http.routes import Route
from shared.own_words.short_texts import UnfitText

OWN_PATH: Final = f"{APPLY_PATH}/mine"
PATH: Final = APPLY_PATH + "/{application_id}"
ANSWER: Final = "answer-"
TITLES: Final[Mapping[str, str]] = {
    "begun": _("One more step: send it"),
    "sent": _("Your application is with us"),
    "question": _("We have a question"),
    "approved": _("Welcome to Mahjic"),
    "declined": _("Your application was declined"),
}


async def own_page(request: Request, site: Site, door: Door) -> Response:
    """List the applications of whoever is logged in. Who has only one is led straight there."""
    login = await door.visitor(request)
    if isinstance(login, Response):
        return login
    own = await own_applications(door.accounts, login)
    if len(own) == 1:
        return lead_off(f"{APPLY_PATH}/{own[0].application_id}")
    return site.personal(
        "applying/list.html",
        PageHead.unlisted(_("Your applications")),
        applications=own,
        taken_back=request.query_params.get("taken-back") == "yes",
    )


async def application_page(
    request: Request, site: Site, door: Door, application_id: str
) -> Response:
    """Show an applicant their application, and where it stands."""
    login = await door.visitor(request)
    if isinstance(login, Response):
        return login
    return _shown(site, await own_application(door.accounts, login, application_id))


async def send(request: Request, site: Site, door: Door, application_id: str) -> Response:
    """Send an application whose address is proved."""
    login = await door.known_login(request)
    try:
        await send_application(door.accounts, login, application_id)
    except TooManyApplications as refused:
        application = await own_application(door.accounts, login, application_id)
        return _shown(site, application, refused=refused)
    return lead_to(f"{APPLY_PATH}/{application_id}")


async def change_page(request: Request, site: Site, door: Door, application_id: str) -> Response:
    """Show the form of an application that is not sent yet."""
    login = await door.visitor(request)
    if isinstance(login, Response):
        return login
    application = await own_application(door.accounts, login, application_id)
    if application.state != "begun":
        return lead_off(f"{APPLY_PATH}/{application_id}")
    return _change(site, application, form_of(application.text))


async def change(request: Request, site: Site, door: Door, application_id: str) -> Response:
    """Keep what an applicant says otherwise."""
    login = await door.known_login(request)
    sent = await read_form(request, bytes_max=APPLICATION_BYTES_MAX)
    application = await own_application(door.accounts, login, application_id)
    try:
        text = read_application({**sent, "address": application.text.address})
        await change_application(door.accounts, login, application_id, text)
    except ApplicationMistaken as mistaken:
        return _change(site, application, typed_form(sent, mistaken), status=422)
    except ApplicationSettled as settled:
        return _shown(site, application, refused=settled)
    return lead_to(f"{APPLY_PATH}/{application_id}")


async def answer(request: Request, site: Site, door: Door, application_id: str) -> Response:
    """Keep the answers that are typed; questions without one stay open."""
    door.check_open()
    sent = await read_form(request, bytes_max=APPLICATION_BYTES_MAX)
    login = await door.login(request)
    if login is None:
        path = f"{APPLY_PATH}/{quote(application_id)}"
        return held_page(request, site, sent, leads_to=path)
    texts = _answers_in(sent)
    try:
        await answer_questions(door.accounts, login, application_id, texts)
    except (UnfitText, ApplicationSettled) as refused:
        application = await own_application(door.accounts, login, application_id)
        return _shown(site, application, typed=texts, refused=refused)
    return lead_to(f"{APPLY_PATH}/{application_id}")


async def take_back(request: Request, door: Door, application_id: str) -> Response:
    """Erase an application that is not decided yet. Pressed twice, it is gone all the same."""
    login = await door.known_login(request)
    try:
        await take_back_application(door.accounts, login, application_id)
    except UnknownApplication:
        return lead_to(OWN_PATH)
    return lead_to(f"{OWN_PATH}?taken-back=yes")


def _answers_in(sent: Mapping[str, str]) -> dict[int, str]:
    """Return what is typed, by the numbers of the questions."""
    answers = {}
    for name, text in sent.items():
        number = name.removeprefix(ANSWER)
        is_one = name.startswith(ANSWER) and number.isascii() and number.isdecimal()
        if is_one and len(number) < 4 and text.strip():
            answers[int(number)] = text
    return answers


def _shown(
    site: SitePages,
    application: Application,
    *,
    typed: Mapping[int, str] | None = None,
    refused: MahjicError | None = None,
) -> Response:
    return site.personal(
        "applying/application.html",
        PageHead.unlisted(TITLES[application.state]),
        status=refused.status if refused else 200,
        application=application,
        types=ONE_OF_SOURCE_TYPES,
        regions=REGIONS,
        answer_max=ANSWER_CHARACTERS_MAX,
        typed=typed or {},
        refused=refused.detail if refused else "",
    )


def _change(
    site: SitePages, application: Application, form: ShownForm, *, status: int = 200
) -> Response:
    head = PageHead.unlisted(_("Change your application"))
    return site.personal(
        "applying/change.html", head, status=status, form=form, application=application, **CHOICES
    )


APPLICANT_PAGES: Final = (
    Route("GET", OWN_PATH, own_page, ignores_unknown=True),
    Route("GET", PATH, application_page, ignores_unknown=True),
    Route("POST", f"{PATH}/send", send, ignores_unknown=True),
    Route("GET", f"{PATH}/change", change_page, ignores_unknown=True),
    Route("POST", f"{PATH}/change", change, ignores_unknown=True),
    Route("POST", f"{PATH}/answers", answer, ignores_unknown=True),
    Route("POST", f"{PATH}/take-back", take_back, ignores_unknown=True),
)
