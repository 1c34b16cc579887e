"""Makes routes of the rows of a table of staff pages. Each row says who of the staff may come in.

The role is looked up here, so no page can forget to ask.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import Role
from services.site.kit.pages import Site
from services.site.staff.at_staff import STAFF_PATH, AtStaff, StaffRoomPort
from shared.http.routes import Route

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
            login = await room.door.known_login(request)
        room.check_may(login, row.needs)
        if row.hurts:
            room.check_fresh(login)
        return await row.handler(request, AtStaff(login, room, site))

    guarded.__name__ = f"{row.needs}_{getattr(row.handler, '__name__', 'page')}"
    return Route(row.method, STAFF_PATH + row.path, guarded, ignores_unknown=True)
