"""I did not play this: what somebody says about one of their sessions, and what became of it."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.pages import Site, SitePages
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.me.people import LoggedIn
from services.site.me.rights import DisputeRefused, Rights, RightsDesk
from services.site.me.room import Mine, OwnRoom
from shared.errors import NotFound
from shared.http.browser.forms import read_form
from shared.http.routes import Route
from shared.http.session_ids import SessionIdPath
from shared.ids import is_session_id
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, UnfitText

LIST_PATH: Final = "/me/disputes"
PATH: Final = "/me/sessions/{session_id}/dispute"
TAKE_BACK_PATH: Final = f"{PATH}/take-back"


async def disputes_page(request: Request, site: Site, mine: Mine, rights: Rights) -> Response:
    """List what somebody said about sessions, and what became of it."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    return mine.page(
        site,
        "me/disputes.html",
        title=_("I did not play this"),
        words=_("What you said about sessions, and what you were answered."),
        said=await rights.disputes.all(person.login),
    )


async def dispute_page(
    request: Request, site: Site, mine: Mine, rights: Rights, session_id: SessionIdPath
) -> Response:
    """Show what somebody said about a session, or ask for it."""
    person = await mine.visitor(request)
    if isinstance(person, Response):
        return person
    return await _shown(site, mine, rights, person, session_id)


async def say(
    request: Request, site: Site, mine: Mine, rights: Rights, session_id: SessionIdPath
) -> Response:
    """Send what somebody says about a session to its source."""
    person = await mine.acting(request)
    _check(session_id)
    typed = (await read_form(request)).get("said", "")
    try:
        await rights.disputes.say(person.login, session_id, typed)
    except (UnfitText, DisputeRefused) as refused:
        return await _shown(site, mine, rights, person, session_id, typed=typed, mistake=refused)
    return lead_to(PATH.format(session_id=session_id))


async def take_back(
    request: Request, mine: Mine, rights: Rights, session_id: SessionIdPath
) -> Response:
    """Erase what somebody said about a session."""
    person = await mine.acting(request)
    _check(session_id)
    await rights.disputes.take_back(person.login, session_id)
    return lead_to(LIST_PATH)


async def _shown(
    site: SitePages,
    mine: OwnRoom,
    rights: RightsDesk,
    person: LoggedIn,
    session_id: str,
    *,
    typed: str = "",
    mistake: UnfitText | DisputeRefused | None = None,
) -> Response:
    _check(session_id)
    told = await rights.disputes.look(person.login, session_id)
    return mine.page(
        site,
        "me/dispute.html",
        title=_("I did not play this"),
        words=_("Tell the club that sent a session that you did not play it."),
        status=mistake.status if mistake else 200,
        told=told,
        characters_max=SHORT_TEXT_CHARACTERS_MAX,
        typed=typed[: 4 * SHORT_TEXT_CHARACTERS_MAX] or told.said or "",
        mistake=mistake.detail if mistake else "",
    )


def _check(session_id: str) -> None:
    """Check that it may be a session. Raises NotFound, as for all that are not one's own."""
    if not is_session_id(session_id):
        raise NotFound("You are not in this session. Choose one from your own results.")


DISPUTE_ROUTES: Final = (
    Route("GET", LIST_PATH, disputes_page, ignores_unknown=True),
    Route("GET", PATH, dispute_page, ignores_unknown=True),
    Route("POST", PATH, say),
    Route("POST", TAKE_BACK_PATH, take_back),
)
