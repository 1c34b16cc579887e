"""What the pages of people who log in stand on: who is asking, and from which browser."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias
from urllib.parse import quote

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from services.accounts.logging_in.browsers import browser_words
from services.accounts.logging_in.entering import Entrance
from services.accounts.logging_in.logins import BegunLogin, Login, NotLoggedIn, find_login
from services.accounts.room import Accounts
from services.accounts.tokens import is_token
from services.site.kit.cookies import set_token, token_in
from services.site.kit.origin import Origin
from services.site.kit.words import _
from shared.errors import MahjicError
from shared.http.layers.addresses import ClientAddresses
from shared.http.routes import handed_in

# By itself to whom it is for; to a folder of the machine; only when the operator hands it on; or,
# in a sandbox, to the page of the visitor who caused it.
MailGoes: TypeAlias = Literal["out", "to_files", "by_hand", "to_visitors"]
HOME: Final = "/me"
LEADS_TO_CHARACTERS_MAX: Final = 500
# A standby that takes over, or a Kafka that comes back, is noticed within seconds.
AWAY_RETRY_S: Final = 60


class NoLoginHere(MahjicError):
    """People can't log in to this site, as it is reached."""

    code = "no_login_here"
    title = "You can't log in here"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            _(
                "This site is reached without encryption, so anyone on the way could take over "
                "your login. The people who run it have to serve it at an https address, and say "
                "so in MAHJIC_PUBLIC_URL."
            )
        )


class LoginAway(MahjicError):
    """Nobody can log in at the moment: this site can't write down what people change."""

    code = "login_away"
    title = "You can't log in at the moment"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            _(
                "You can read everything here, but this site can't keep what you change at the "
                "moment, so nobody can log in. Nothing of yours is lost. Try again in a few "
                "minutes."
            ),
            headers={"Retry-After": str(AWAY_RETRY_S)},
        )


@dataclass(frozen=True, slots=True)
class LoginDoor:
    """What these pages are handed."""

    accounts: Accounts
    addresses: ClientAddresses
    origin: Origin
    # Without a mail server, mails are files, or wait, and the operator hands them on.
    mail_goes: MailGoes = field(default="out")
    # Whether what people change can be written.
    is_open: Callable[[], bool] = field(default=lambda: True)

    def network_of(self, request: Request) -> str:
        """Return the network that a request is counted under."""
        return self.addresses.counted_as(request.scope)

    def browser_token(self, request: Request) -> str | None:
        """Return the token of a browser that has asked for something before."""
        token = token_in(request, self.origin, "browser")
        return token if token is not None and is_token(token) else None

    def known_browser(self, request: Request) -> str:
        """Return the token of a browser, a new one if it has none. Set it with `keep_browser`."""
        return self.browser_token(request) or self.accounts.chance.new_token()

    def keep_browser(self, response: Response, token: str) -> Response:
        """Have a browser keep its token from now on for longer than what it asked for is good."""
        set_token(response, self.origin, "browser", token)
        return response

    def entrance(self, request: Request) -> Entrance:
        """Return the browser that logs in."""
        return Entrance(browser_of(request), token_in(request, self.origin, "login"))

    def entered(self, begun: BegunLogin) -> Response:
        """Lead a browser that has logged in to where it wanted to go."""
        response = lead_to(begun.leads_to)
        set_token(response, self.origin, "login", begun.token)
        return response

    async def login(self, request: Request) -> Login | None:
        """Return who is logged in, None if nobody is. Raises LoginAway."""
        token = token_in(request, self.origin, "login")
        if token is None or not self.origin.has_login:
            return None
        self.check_open()
        return await find_login(self.accounts, token)

    async def known_login(self, request: Request) -> Login:
        """Return who is logged in. Raises NoLoginHere, LoginAway or NotLoggedIn."""
        self.check_open()
        login = await self.login(request)
        if login is None:
            raise NotLoggedIn
        return login

    async def visitor(self, request: Request) -> Login | Response:
        """Return who opens a page, or what leads to the login and back here.

        New staff are led to where they add their passkey. Raises NoLoginHere or LoginAway.
        """
        self.check_open()
        login = await self.login(request)
        if login is None:
            query = f"?{request.url.query}" if request.url.query else ""
            return lead_off(f"/login?to={quote(request.url.path + query)}")
        return lead_off("/account") if login.kind == "first_passkey" else login

    def check_open(self) -> None:
        """Check that people can log in, here and now. Raises NoLoginHere or LoginAway."""
        if not self.origin.has_login:
            raise NoLoginHere
        if not self.is_open():
            raise LoginAway


Door: TypeAlias = Annotated[LoginDoor, handed_in(LoginDoor)]


def browser_of(request: Request) -> str:
    """Return which browser sent a request, in words."""
    return browser_words(request.headers.get("user-agent", ""))


def local_path(text: str) -> str:
    """Return an address of this site to go to, or the usual one for anything else.

    A link that somebody else made must not lead from our login to their site.
    """
    is_plain = text.isascii() and text.isprintable() and len(text) <= LEADS_TO_CHARACTERS_MAX
    is_ours = text.startswith("/") and not text.startswith("//") and "\\" not in text
    return text if is_plain and is_ours and " " not in text else HOME


def lead_to(path: str) -> Response:
    """Have a browser open a page of ours, after a form was sent."""
    return RedirectResponse(path, 303, headers={"Cache-Control": "no-store"})


def lead_off(path: str) -> Response:
    """Lead a browser from a page that is nothing for it to one that is."""
    return RedirectResponse(path, 302, headers={"Cache-Control": "no-store"})
