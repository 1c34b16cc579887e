"""A site with accounts, and browsers that keep cookies and say where their requests come from."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI

from services.site.kit.origin import Origin
from services.site.login.account import ACCOUNT_ROUTES
from services.site.login.asking import ASKING_ROUTES
from services.site.login.linked import LINK_ROUTES
from services.site.login.passkey_calls import KEY_ROUTES
from tests.accounts.people import House, Mailed
from tests.site.serving import HTML, a_door, serve_pages

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/156.0.0.0 Safari/537.36"
)
HERE = {"Sec-Fetch-Site": "same-origin"}


class Visitor:
    """One browser at the site."""

    def __init__(self, client: httpx.AsyncClient, house: House) -> None:
        self.client = client
        self.house = house

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.client.get(path, **more)

    async def send(self, path: str, form: Mapping[str, str] | None = None) -> httpx.Response:
        """Send a form of ours."""
        return await self.client.post(path, data=form or {}, headers=HERE)

    async def ask(self, address: str, to: str = "") -> Mailed:
        """Ask for a link, and return the mail."""
        answer = await self.send("/login", {"email": address, "to": to})
        assert (answer.status_code, answer.headers["location"]) == (303, "/login/sent")
        return (await self.house.mails())[-1]

    async def press(self, mail: Mailed) -> httpx.Response:
        """Press the button behind the link of a mail."""
        return await self.send("/login/link", {"token": mail.link_token})

    async def log_in(self, address: str) -> None:
        """Log in by a link."""
        assert (await self.press(await self.ask(address))).status_code == 303
        assert await self.is_logged_in()

    async def is_logged_in(self) -> bool:
        """Return whether the page of the account is shown, and not the way to log in."""
        answer = await self.get("/account")
        assert answer.status_code in {200, 302}
        return answer.status_code == 200


def a_site(house: House, origin: Origin | None = None) -> FastAPI:
    """Return the pages of people who log in."""
    routes = (*ASKING_ROUTES, *LINK_ROUTES, *KEY_ROUTES, *ACCOUNT_ROUTES)
    return serve_pages(routes, a_door(house, origin), origin=origin)


@asynccontextmanager
async def a_browser(
    app: FastAPI, house: House, base_url: str, address: str = "192.0.2.1"
) -> AsyncIterator[Visitor]:
    """Give a browser that was never at the site."""
    transport = httpx.ASGITransport(app, client=(address, 1234))
    headers = {**HTML, "User-Agent": CHROME}
    async with httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers) as client:
        yield Visitor(client, house)
