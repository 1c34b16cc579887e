"""Somebody with a browser at a site that is a process of its own, who logs in by mail."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg
import httpx

from tests.processes import Served
from tests.site.login.visiting import CHROME, HERE
from tests.site.serving import HTML, name_of_site

NEWEST_MAIL: Final = """
SELECT plain FROM mahjic.mails WHERE address = $1 ORDER BY number DESC LIMIT 1
"""
_CODE: Final = re.compile(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", re.MULTILINE)


@dataclass(frozen=True)
class WebVisitor:
    """One browser. It reads its mail in the outbox of a database, from where nothing is sent."""

    client: httpx.AsyncClient
    mails: asyncpg.Pool | asyncpg.Connection

    async def get(self, path: str) -> httpx.Response:
        """Open a page."""
        return await self.client.get(path)

    async def send(self, path: str, form: Mapping[str, str] | None = None) -> httpx.Response:
        """Send a form of ours."""
        return await self.client.post(path, data=form or {}, headers=HERE)

    async def code_for(self, address: str) -> str:
        """Return the code in the newest mail to an address."""
        text = await self.mails.fetchval(NEWEST_MAIL, address)
        return str(_CODE.findall(text)[0])

    async def log_in(self, address: str) -> None:
        """Ask for a code, read it in the mail, and type it."""
        asked = await self.send("/login", {"email": address})
        assert (asked.status_code, asked.headers.get("location")) == (303, "/login/sent")
        entered = await self.send("/login/code", {"code": await self.code_for(address)})
        assert entered.status_code == 303, entered.text
        assert (await self.get("/account")).status_code == 200

    async def add(self, address: str) -> None:
        """Add another address to the account."""
        assert (await self.send("/account/addresses", {"email": address})).status_code == 303
        code = {"code": await self.code_for(address)}
        assert (await self.send("/account/addresses/code", code)).status_code == 303


@asynccontextmanager
async def a_visitor(
    served: Served, mails: asyncpg.Pool | asyncpg.Connection
) -> AsyncIterator[WebVisitor]:
    """Give a browser that was never at the site of a process."""
    headers = {**HTML, "User-Agent": CHROME}
    async with httpx.AsyncClient(
        base_url=name_of_site(served.url), headers=headers, timeout=60, trust_env=False
    ) as client:
        yield WebVisitor(client, mails)
