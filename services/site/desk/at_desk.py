"""What every page of a desk stands on: who is at which desk, asked anew with each request.

Whoever was removed from a source gets the same answer from then on as somebody who was never there,
and as everybody gets about a source that does not exist.
"""

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import Desk, OwnersOnly, desk_at
from services.accounts.memberships import MemberRole
from services.site.desk.desk_links import tabs_for
from services.site.desk.night.nights import Nights
from services.site.desk.players.club_port import ClubPlayers
from services.site.desk.sessions.recorded import SessionsOfDesk
from services.site.desk.sheet.sheets import Sheets
from services.site.desk.webhooks.webhook_port import WebhooksOfDesk
from services.site.kit.pages import PageHead, SitePages
from services.site.login.door import LoginDoor
from shared.http.routes import handed_in

DESK_PATH: Final = "/desk"


@dataclass(frozen=True, slots=True)
class DeskRoom:
    """What these pages are handed."""

    door: LoginDoor
    nights: Nights
    sheets: Sheets
    sessions: SessionsOfDesk
    players: ClubPlayers
    webhooks: WebhooksOfDesk

    async def visitor(self, request: Request) -> Login | Response:
        """Return who opens a page, or what leads to the login and back here."""
        return await self.door.visitor(request)

    async def is_left(self, request: Request) -> bool:
        """Return whether nobody is logged in, where somebody could be. Raises LoginAway."""
        self.door.check_open()
        return await self.door.login(request) is None

    async def desk_of(self, login: Login, source: str, needs: MemberRole) -> Desk:
        """Return the desk of a source, for somebody who may do there what a role may.

        Raises UnknownDesk, OwnersOnly or OnlyFirstPasskey.
        """
        desk = await desk_at(self.door.accounts, login, source)
        if needs == "owner" and desk.role != "owner":
            raise OwnersOnly
        return desk


@dataclass(frozen=True, slots=True)
class AtDesk:
    """Somebody at the desk of a source, as of this request, and what pages are made with."""

    login: Login
    desk: Desk
    room: DeskRoom
    site: SitePages

    @property
    def is_fresh(self) -> bool:
        """Whether they logged in lately enough for what hurts."""
        return self.login.is_fresh(self.room.door.accounts.chance.now())

    def path(self, rest: str = "") -> str:
        """Return the address of a page of this desk."""
        return f"{DESK_PATH}/{self.desk.source}{rest}"

    def page(
        self, template: str, *, title: str, tab: str, status: int = 200, **shown: object
    ) -> Response:
        """Answer with a page of this desk; `tab` is the path of the tab that it belongs to."""
        shown |= {
            "desk": self.desk,
            "desk_path": self.path(),
            "desk_tabs": tabs_for(is_owner=self.desk.role == "owner"),
            "tab": tab,
        }
        head = PageHead.unlisted(title)
        return self.site.personal(template, head, status=status, current="me", **shown)


DeskRoomPort: TypeAlias = Annotated[DeskRoom, handed_in(DeskRoom)]
