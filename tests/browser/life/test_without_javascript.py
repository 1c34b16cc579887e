"""The same way without JavaScript, at a service of its own process that writes mail as files."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from shared.db.server.embedded import EmbeddedServer
from shared.mail.key_file import key_in
from tests.browser.life.mailbox import FolderMailbox
from tests.browser.life.person import ADDRESS, OFFERED, WORDS
from tests.browser.life.searching import keyed_hashes, traces
from tests.browser.life.served import a_served_house
from tests.browser.life.steps import Life, be_forgotten, be_rated, claim, go_private, log_in
from tests.browser.life.test_whole_life import HASHED
from tests.browser.visitors import PLAIN_PHONE, visiting
from tests.log.deadlines import until


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
