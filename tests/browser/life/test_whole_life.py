"""One person's whole way with Mahjic, on a phone, with real mail."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from shared.db.server.embedded import EmbeddedServer
from tests.browser.life.household import HASH_KEY, a_household
from tests.browser.life.person import ADDRESS, OFFERED, OTHER_ADDRESS, WORDS
from tests.browser.life.searching import keyed_hashes, traces
from tests.browser.life.steps import (
    Life,
    be_forgotten,
    be_invited,
    be_on_the_board,
    be_rated,
    be_told_of_the_night,
    claim,
    dispute,
    download,
    go_private,
    log_in,
    log_in_elsewhere,
    make_a_passkey,
    merge_another_address,
)
from tests.browser.life.walking import walk
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.visitors import DESKTOP, PHONE, visiting
from tests.conftest import Database

# Where something tells of them before.
KEPT = {"mahjic.people", "mahjic.addresses", "mahjic.disputes", "backup of mahjic.people"}
# What is kept of an address on purpose, and tells nobody who it was.
HASHED = {"mahjic.mails_asked_for", "mahjic.invited_addresses"}
HASHED |= {"backup of mahjic.invited_addresses"}


async def test_from_the_first_mail_until_nothing_tells_of_them(
    browser: Browser,
    postgres_server: EmbeddedServer,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with (
        a_household(postgres_server, database, tmp_path, monkeypatch) as house,
        visiting(browser, house.url, PHONE) as phone,
        visiting(browser, house.url, DESKTOP) as desk,
        a_device_with_passkeys(phone.page) as in_hand,
        a_device_with_passkeys(desk.page) as on_desk,
    ):
        life = Life(house, phone)
        await be_rated(life, ADDRESS, OFFERED)
        await be_invited(life)
        await log_in(life)
        await claim(life)
        await be_on_the_board(life)
        await go_private(life)
        await merge_another_address(life)
        await dispute(life)
        await download(life)
        await make_a_passkey(life, in_hand)
        await be_told_of_the_night(life)
        # The devices of one owner share their passkeys.
        await on_desk.take(*await in_hand.kept())
        await log_in_elsewhere(life, desk)
        before = await house.everywhere(tmp_path / "before")
        assert traces(before, WORDS).keys() >= KEPT
        await be_forgotten(life, desk)
        async with house.stranger() as stranger:
            assert traces(await walk(stranger, life.public_paths()), WORDS) == {}
        after = await house.everywhere(tmp_path / "after")
        assert traces(after, WORDS) == {}
        assert keyed_hashes(after, HASH_KEY.encode(), [ADDRESS, OTHER_ADDRESS]) == HASHED
