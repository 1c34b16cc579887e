"""The same way without JavaScript, at a service of its own process that writes mail as files."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser

from shared.db.pool import open_pool
from shared.db.server.embedded import EmbeddedServer, embedded_server
from shared.mail.key_file import key_in
from tests.browser.life.household import Household, WoundClock, open_club
from tests.browser.life.mailbox import FolderMailbox
from tests.browser.life.person import ADDRESS, OFFERED, WORDS
from tests.browser.life.searching import keyed_hashes, traces
from tests.browser.life.steps import Life, be_forgotten, be_rated, claim, go_private, log_in
from tests.browser.life.test_whole_life import HASHED
from tests.browser.visitors import PLAIN_PHONE, visiting
from tests.folders import open_folder
from tests.log.deadlines import until
from tests.processes import serving
from tests.service import UNLIMITED

ENVIRONMENT = {
    "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": str(UNLIMITED),
    "MAHJIC_PAGE_LIMIT_PER_MINUTE": str(UNLIMITED),
}


@asynccontextmanager
async def a_served_house(restored_on: EmbeddedServer) -> AsyncIterator[tuple[Household, Path]]:
    """Run `mahjic serve` on a data folder; give what stands for it, and the folder."""
    folder = open_folder() / "data"
    async with (
        serving({"MAHJIC_DATA": str(folder), **ENVIRONMENT}) as served,
        embedded_server(folder, role="join") as server,
    ):
        pool = await open_pool(server.dsn, application_name="mahjic tests", size_max=5)
        house = Household(
            served.url.replace("127.0.0.1", "localhost"),
            pool,
            server.dsn,
            restored_on,
            folder / "postgres.log",
            WoundClock(),
            FolderMailbox(folder / "mail"),
            *await open_club(pool),
            lambda: served.log,
        )
        try:
            yield house, folder
        finally:
            await pool.close()
    shutil.rmtree(folder.parent)


@pytest.mark.starts_servers
async def test_from_the_first_login_until_nothing_tells_of_them(
    browser: Browser, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with (
        a_served_house(postgres_server) as (house, folder),
        visiting(browser, house.url, PLAIN_PHONE) as phone,
    ):
        life, mails = Life(house, phone), FolderMailbox(folder / "mail")
        await be_rated(life, ADDRESS, OFFERED)
        await phone.go("/login?to=/me")
        await log_in(life)
        await claim(life)
        await go_private(life)
        before = {**await house.everywhere(tmp_path / "before"), **mails.contents()}
        assert [place for place in traces(before, WORDS) if place.startswith("file ")]
        await be_forgotten(life, phone)

        async def are_erased() -> bool:
            return not traces(mails.contents(), WORDS)

        await until(are_erased)
        after = await house.everywhere(tmp_path / "after")
        assert traces(after, WORDS) == {}
        assert keyed_hashes(after, key_in(folder), [ADDRESS]) <= HASHED
