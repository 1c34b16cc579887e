"""A house of accounts for tests: a clock and chance of its own, and the mails that were written."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from services.accounts.logging_in.entering import Entrance, log_in_by_code, log_in_by_link
from services.accounts.logging_in.logins import BegunLogin, Login, find_login
from services.accounts.logging_in.proofs import Asking, ask_for_proof
from services.accounts.ports import Connection
from services.accounts.room import Accounts, Chance
from services.accounts.tokens import token_of
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MailOutbox
from tests.mail.letters import KEY, Clock

SITE = "https://mahjic.example.org"
ALICE = "alice@example.com"
BEN = "ben@example.com"
PHONE, DESK = "Safari on iPhone", "Chrome on Windows"
READ_MAILS = "SELECT address, kind, plain, html FROM mahjic.mails ORDER BY number"
_LINK = re.compile(re.escape(SITE) + r"/login/link/([0-9A-Za-z_-]{43})\b")
_CODE = re.compile(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", re.MULTILINE)


@dataclass(frozen=True)
class Mailed:
    """A mail as its reader has it."""

    address: str
    kind: str
    text: str
    html: str

    @property
    def link_token(self) -> str:
        """The token of the link in it."""
        return str(_LINK.findall(self.text)[0])

    @property
    def code(self) -> str:
        """The code in it, as it is written there."""
        return str(_CODE.findall(self.text)[0])


@dataclass
class Detached:
    """Takes the place of the people: it remembers what was taken from players."""

    addresses: list[str] = field(default_factory=list)

    async def begin(self, connection: Connection) -> None:
        assert connection.is_in_transaction()

    async def detach(self, connection: Connection, address: str, *, others: Sequence[str]) -> None:
        assert connection.is_in_transaction()
        assert others
        assert address not in others
        self.addresses.append(address)


class House:
    """Accounts, with everything about them in the hands of the test."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.clock = Clock()
        self.detached = Detached()
        hashes = AddressHashes(KEY)
        self._tokens = itertools.count(1)
        self.accounts = Accounts(
            pool,
            MailOutbox(hashes, self.clock.now),
            lambda: SITE,
            self.detached,
            hashes,
            Chance(now=self.clock.now),
        )

    def new_browser(self) -> str:
        """Return the token of a browser that was never here."""
        return token_of(next(self._tokens).to_bytes(32, "big"))

    async def ask(
        self,
        address: str = ALICE,
        *,
        browser_token: str | None = None,
        network: str = "192.0.2.1",
        for_account: str | None = None,
    ) -> Mailed:
        """Ask for a proof, and return the mail that came of it."""
        browser_token = browser_token or self.new_browser()
        await ask_for_proof(
            self.accounts, Asking(address, browser_token, DESK, network, "/account", for_account)
        )
        return (await self.mails())[-1]

    async def mails(self) -> list[Mailed]:
        """Return all mails that were ever written, the first one first."""
        rows = await self.pool.fetch(READ_MAILS)
        return [Mailed(*row) for row in rows]

    async def log_in(self, address: str = ALICE, token_before: str | None = None) -> Login:
        """Log in by a link, in another network each time, and return the login."""
        begun = await self.begin(address, token_before)
        login = await find_login(self.accounts, begun.token)
        assert login is not None
        return login

    async def begin(self, address: str = ALICE, token_before: str | None = None) -> BegunLogin:
        """Log in by a link, and return the login as the browser gets it."""
        mail = await self.ask(address, network=f"network {next(self._tokens)}")
        return await self.by_link(mail, token_before)

    async def by_link(self, mail: Mailed, token_before: str | None = None) -> BegunLogin:
        """Press the button behind the link of a mail."""
        return await log_in_by_link(self.accounts, mail.link_token, Entrance(PHONE, token_before))

    async def by_code(self, browser_token: str, typed: str) -> BegunLogin:
        """Type a code in a browser."""
        return await log_in_by_code(self.accounts, browser_token, typed, Entrance(DESK, None))
