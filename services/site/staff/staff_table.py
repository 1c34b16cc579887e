"""Makes routes of the rows of a table of staff pages. Each row says who of the staff may come in.

The role is looked up here, so no page can forget to ask.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh, NotLoggedIn, Role
from services.site.kit.pages import Site, SitePages
from services.site.login.held import held_page
from services.site.staff.at_staff import STAFF_PATH, AtStaff, StaffRoomPort
from shared.http.browser.forms import read_form
from shared.http.routes import Route

# The forms of staff hold texts of a thousand characters, and one that is too long is told with all
# of it.
STAFF_FORM_BYTES_MAX: Final = 128 << 10

StaffHandler: TypeAlias = Callable[[Request, AtStaff], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class StaffPage:
    """A page of the staff desk: its address behind /staff, and the role that it needs.

    `hurts` is what needs a login of the last minutes beside that.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: StaffHandler
    needs: Role = "operator"
    hurts: bool = False


def staff_route(row: StaffPage) -> Route:
    """Return the route of a page, which lets in only whom its row says."""

    async def guarded(request: Request, site: Site, room: StaffRoomPort) -> Response:
        if row.method == "GET":
            login = await room.door.visitor(request)
            if isinstance(login, Response):
                return login
        else:
            try:
                login = await room.door.known_login(request)
            except NotLoggedIn:
                return await _given_back(request, site, is_stale=False)
        room.check_may(login, row.needs)
        if row.hurts:
            try:
                room.check_fresh(login)
            except LoginNotFresh:
                return await _given_back(request, site, is_stale=True)
        return await row.handler(request, AtStaff(login, room, site))

    guarded.__name__ = f"{row.needs}_{getattr(row.handler, '__name__', 'page')}"
    return Route(row.method, STAFF_PATH + row.path, guarded, ignores_unknown=True)


async def _given_back(request: Request, site: SitePages, *, is_stale: bool) -> Response:
    """Give back what was sent; to anybody, since it says nothing that they did not."""
    sent = await read_form(request, bytes_max=STAFF_FORM_BYTES_MAX)
    return held_page(request, site, sent, leads_to=STAFF_PATH, is_stale=is_stale)
