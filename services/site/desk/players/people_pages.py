"""The pages of a club's list: who is on it, adding somebody, and one of them."""

from collections.abc import Mapping, Sequence
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.players.club import WrongField
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.http.browser.forms import read_form

PLAYERS_TAB: Final = "/players"
PAGE_PEOPLE: Final = 50
_PAGE_DIGITS_MAX: Final = 4
_SAID: Final = {
    "added": _("Added. They are found at every seat by the beginning of their name."),
    "renamed": _("Saved. From now on they have this name at your desk."),
    "off": _("Taken off the list. What they played still counts."),
}


async def players_page(request: Request, at: AtDesk) -> Response:
    """List the people of a club with what they played there, or those whom a search finds."""
    typed = " ".join(request.query_params.get("q", "").split())
    found = await at.room.players.listed(at.desk.source, typed)
    pages = max(1, -(-len(found.people) // PAGE_PEOPLE))
    page = min(_page(request.query_params.get("page", "")), pages)
    first = (page - 1) * PAGE_PEOPLE
    return at.page(
        "desk/players/list.html",
        title=_("Players"),
        tab=PLAYERS_TAB,
        q=typed,
        found=found,
        shown=found.people[first : first + PAGE_PEOPLE],
        first=first + 1,
        page=page,
        pages=pages,
        said=_SAID.get(request.query_params.get("said", ""), ""),
    )


async def add_page(_request: Request, at: AtDesk) -> Response:
    """Show the form that adds somebody."""
    return _add_form(at, {})


async def add_player(request: Request, at: AtDesk) -> Response:
    """Put somebody on the list, or say what is wrong with what was typed."""
    sent = await read_form(request)
    address, name = sent.get("address", "").strip(), sent.get("name", "").strip()
    wrong = _missing(name=name, address=address)
    if not wrong:
        is_private = sent.get("private") == "yes" and not address.upper().startswith("PRIVATE:")
        asked = f"PRIVATE:{address}" if is_private else address
        wrong = await at.room.players.add(at.login, at.desk.source, asked, name)
    if wrong:
        return _add_form(at, sent, wrong)
    return lead_to(at.path(f"{PLAYERS_TAB}?said=added"))


async def player_page(request: Request, at: AtDesk) -> Response:
    """Show somebody on the list, and what can be done about them."""
    return await _person(request, at)


async def rename_player(request: Request, at: AtDesk) -> Response:
    """Call somebody otherwise."""
    name = (await read_form(request)).get("name", "").strip()
    entry = request.path_params["entry"]
    wrong = _missing(name=name)
    if not wrong:
        wrong = await at.room.players.rename(at.login, at.desk.source, entry, name)
    if wrong:
        return await _person(request, at, typed=name, wrong=wrong)
    # Whoever has just been sent for the first time has another entry by now.
    return lead_to(at.path(f"{PLAYERS_TAB}?said=renamed"))


async def take_off_player(request: Request, at: AtDesk) -> Response:
    """Take somebody off the list."""
    await at.room.players.take_off(at.login, at.desk.source, request.path_params["entry"])
    return lead_to(at.path(f"{PLAYERS_TAB}?said=off"))


async def _person(
    request: Request,
    at: AtDesk,
    *,
    typed: str | None = None,
    wrong: Sequence[WrongField] = (),
) -> Response:
    person = await at.room.players.person(at.desk.source, request.path_params["entry"])
    return at.page(
        "desk/players/person.html",
        title=_("A player"),
        tab=PLAYERS_TAB,
        status=422 if wrong else 200,
        person=person,
        name=typed if typed is not None else person.name or "",
        wrong=dict(wrong),
        mistakes_made=wrong,
    )


def _add_form(at: AtDesk, sent: Mapping[str, str], wrong: Sequence[WrongField] = ()) -> Response:
    return at.page(
        "desk/players/add.html",
        title=_("Add a player"),
        tab=PLAYERS_TAB,
        status=422 if wrong else 200,
        sent=sent,
        wrong=dict(wrong),
        mistakes_made=wrong,
    )


def _missing(**typed: str) -> Sequence[WrongField]:
    words = {
        "name": _("Type a name, as your club calls them."),
        "address": _("Type the email address."),
    }
    return [WrongField(field, words[field]) for field in typed if not typed[field]]


def _page(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _PAGE_DIGITS_MAX
    return max(1, int(text)) if is_number else 1
