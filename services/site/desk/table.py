"""Makes routes of the rows of a table of desk pages. Each row says who may come in.

The role is looked up here and handed to the page with the desk, so no page can forget to ask.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.memberships import MemberRole
from services.site.desk.at_desk import DESK_PATH, AtDesk, DeskRoomPort
from services.site.kit.pages import Site, SitePages
from shared.http.routes import Route

DeskHandler: TypeAlias = Callable[[Request, AtDesk], Awaitable[Response]]
SLUG_PATH: Final = f"{DESK_PATH}/{{slug}}"


@dataclass(frozen=True, slots=True)
class DeskPage:
    """A page of every desk: its address behind that of the desk, and the role that it needs.

    A member who may do less than the role is refused in words, everybody else as if there were
    nothing. A form whose sender is no longer logged in goes to `unheard`, if there is one, which
    keeps nothing and gives it back.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: DeskHandler
    needs: MemberRole
    unheard: Callable[[Request, SitePages], Awaitable[Response]] | None = None


def desk_route(row: DeskPage) -> Route:
    """Return the route of a page, which lets in only whom its row says."""

    async def guarded(request: Request, site: Site, room: DeskRoomPort) -> Response:
        if row.method == "GET":
            login = await room.visitor(request)
            if isinstance(login, Response):
                return login
        elif row.unheard is not None and await room.is_left(request):
            return await row.unheard(request, site)
        else:
            login = await room.door.known_login(request)
        desk = await room.desk_of(login, request.path_params["slug"], row.needs)
        return await row.handler(request, AtDesk(login, desk, room, site))

    guarded.__name__ = f"{row.needs}_{getattr(row.handler, '__name__', 'page')}"
    return Route(row.method, SLUG_PATH + row.path, guarded, ignores_unknown=True)
