"""What every page of one's own stands on: who is logged in, and where they must go first."""

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import check_fresh, check_whole
from services.site.kit.pages import PageHead, SitePages
from services.site.login.door import LoginDoor, lead_off
from services.site.me.people import LoggedIn, NoPlayerYet, PeopleLoggedIn
from services.site.me.tabs import TABS
from services.site.reads import OwnReads
from shared.http.routes import handed_in

ME_PATH: Final = "/me"
WELCOME_PATH: Final = "/me/welcome"


@dataclass(frozen=True, slots=True)
class OwnRoom:
    """What these pages are handed.

    A page begins with `visitor` or `player`, and passes on the response if it gets one. What
    changes something begins with `acting` or `acting_player`.
    """

    door: LoginDoor
    people: PeopleLoggedIn
    reads: OwnReads

    async def visitor(self, request: Request) -> LoggedIn | Response:
        """Return who opens a page, with or without a player, or what leads to the login."""
        login = await self.door.visitor(request)
        return login if isinstance(login, Response) else await self.people.person(login)

    async def player(self, request: Request) -> LoggedIn | Response:
        """Return the player who opens a page, or what leads to the login or the welcome.

        Somebody without a player is led to /me, which says what to do.
        """
        person = await self.visitor(request)
        if isinstance(person, Response):
            return person
        if not person.players:
            return lead_off(ME_PATH)
        return person if person.has_chosen else lead_off(WELCOME_PATH)

    async def acting(self, request: Request, *, fresh: bool = False) -> LoggedIn:
        """Return who sends a form; `fresh` for what hurts.

        Raises NoLoginHere, NotLoggedIn, OnlyFirstPasskey and LoginNotFresh.
        """
        login = await self.door.known_login(request)
        if fresh:
            check_fresh(self.door.accounts, login)
        check_whole(login)
        return await self.people.person(login)

    async def acting_player(self, request: Request, *, fresh: bool = False) -> LoggedIn:
        """Return the player who sends a form. Raises the same as `acting`, and NoPlayerYet."""
        person = await self.acting(request, fresh=fresh)
        if not person.players:
            raise NoPlayerYet
        return person

    def is_fresh(self, person: LoggedIn) -> bool:
        """Return whether somebody logged in lately enough for what hurts."""
        return person.login.is_fresh(self.door.accounts.chance.now())

    def page(
        self,
        site: SitePages,
        template: str,
        *,
        title: str,
        words: str,
        tab: str = "",
        status: int = 200,
        **shown: object,
    ) -> Response:
        """Answer with a page for one person; `tab` is the path of the tab that it belongs to."""
        head = PageHead.unlisted(title, words)
        shown |= {"tabs": TABS, "tab": tab}
        return site.personal(template, head, status=status, current="me", **shown)


Mine: TypeAlias = Annotated[OwnRoom, handed_in(OwnRoom)]
