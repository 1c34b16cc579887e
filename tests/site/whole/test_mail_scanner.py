"""Programs that guard a mailbox open every link of every mail, often and from elsewhere.

They spend nothing by that, end nothing, and get no login. The links are read in the mails
themselves, so a new letter is tried as soon as there is one; how it comes to be stands in `CAUSES`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from html import unescape
from typing import Final

import pytest

from services.mail.writing.both import TEMPLATES
from services.mail.writing.in_short import NightInShort
from services.mail.writing.letters import (
    answered_letter,
    application_letter,
    keys_letter,
    member_invited_letter,
    members_letter,
    ownerless_letter,
    staff_letter,
    summary_letter,
    verified_letter,
    webhook_added_letter,
    webhook_off_letter,
)
from shared.mail.address_hash import AddressHashes
from shared.mail.letters import Letter
from shared.mail.no_more import NO_MORE_PATH, no_more_token
from shared.mail.outbox import MailOutbox
from tests.accounts.people import ALICE, BEN
from tests.db.rows import changed_tables, rows_by_table
from tests.mail.letters import KEY
from tests.site.login.visiting import Visitor
from tests.site.serving import ORIGIN
from tests.site.whole.scene import WORK, Scene

READ_MAIL: Final = """
SELECT plain, html, no_more_url FROM mahjic.mails WHERE kind = $1 ORDER BY number DESC LIMIT 1
"""
_IN_TEXT: Final = re.compile(r"https?://[^\s<>\"]+")
_IN_HTML: Final = re.compile(r"(?:href|src|action)=\"([^\"]+)\"")
HASHES: Final = AddressHashes(KEY.hex().encode())
NO_MORE: Final = ORIGIN + NO_MORE_PATH + no_more_token(HASHES, BEN)
DAY: Final = date(2026, 2, 28)
NIGHT: Final = NightInShort(rounds=1, games=4, won=2, rating=None)


async def asked_to_log_in(scene: Scene) -> None:
    await scene.here.ask(ALICE)


async def added_an_address(scene: Scene) -> None:
    await scene.here.log_in(ALICE)
    assert await scene.add_address(WORK) == "/account#addresses"


async def queue(letter: Letter, scene: Scene) -> None:
    outbox = MailOutbox(HASHES, lambda: datetime.now(UTC))
    async with scene.pool.acquire() as connection, connection.transaction():
        assert await outbox.queue(connection, letter) is not None


async def was_rated(_scene: Scene) -> None:
    """Whoever played has been invited since."""


# Letters whose cause is tried where it is: what counts here is where they lead to.
WRITTEN: Final = (
    staff_letter(BEN, what="merge", account_url=f"{ORIGIN}/account"),
    summary_letter(
        BEN, source="A Club", day=DAY, night=NIGHT, page_url=f"{ORIGIN}/me", no_more_url=NO_MORE
    ),
    answered_letter(BEN, source="A Club", day=DAY, url=f"{ORIGIN}/me"),
    member_invited_letter(
        BEN, source="A Club", is_owner=True, url=f"{ORIGIN}/account", no_more_url=NO_MORE
    ),
    application_letter(BEN, state="sent", organization="A Club", said="", url=f"{ORIGIN}/account"),
    keys_letter(BEN, source="A Club", is_made=True, url=f"{ORIGIN}/account"),
    webhook_added_letter(BEN, source="A Club", host="club.example.org", url=f"{ORIGIN}/account"),
    webhook_off_letter(
        BEN, source="A Club", host="club.example.org", is_gone=True, url=f"{ORIGIN}/account"
    ),
    ownerless_letter(BEN, source="A Club", slug="a-club", url=f"{ORIGIN}/sources/a-club"),
    members_letter(BEN, source="A Club", what="You are an owner.", url=f"{ORIGIN}/account"),
    verified_letter(BEN, news="begun", day=DAY, url=f"{ORIGIN}/me/verified"),
)
CAUSES: Final[Mapping[str, Callable[[Scene], Awaitable[None]]]] = {
    "proof": asked_to_log_in,
    "account_changed": added_an_address,
    "rated": was_rated,
    **{letter.kind: partial(queue, letter) for letter in WRITTEN},
}


def links_in(*texts: str | None) -> set[str]:
    """Return every address that a mail or a page leads to."""
    found: set[str] = set()
    for text in filter(None, texts):
        found.update(map(unescape, _IN_HTML.findall(text)))
        found.update(unescape(each).rstrip(".,)") for each in _IN_TEXT.findall(text))
    return found


async def scan(scanner: Visitor, links: set[str]) -> set[str]:
    """Open every link as programs do, and return what else the pages lead to."""
    further: set[str] = set()
    for link in sorted(links):
        for method in ("HEAD", "GET", "GET", "HEAD", "OPTIONS"):
            answer = await scanner.client.request(method, link)
            assert answer.status_code < 500, link
            assert "set-cookie" not in answer.headers, link
            further |= links_in(answer.text, answer.headers.get("location"))
    return {each for each in further if each.startswith(("/", ORIGIN)) and "/static/" not in each}


@pytest.mark.parametrize("kind", CAUSES)
async def test_a_scanner_spends_nothing_and_is_let_in_nowhere(scene: Scene, kind: str) -> None:
    await CAUSES[kind](scene)
    mail = await scene.pool.fetchrow(READ_MAIL, kind)
    assert mail is not None
    links = links_in(*mail)
    assert links
    assert all(each.startswith(f"{ORIGIN}/") for each in links)
    before = await rows_by_table(scene.pool)
    further = await scan(scene.elsewhere, links)
    # Some follow what the pages lead to, and some look from the network of the reader.
    await scan(scene.elsewhere, further)
    scene.here.client.cookies.clear()
    await scan(scene.here, links)
    assert await changed_tables(scene.pool, before) == {}
    assert not await scene.elsewhere.is_logged_in()


async def test_what_was_scanned_is_good_afterward(scene: Scene) -> None:
    mail = await scene.here.ask(ALICE)
    await scan(scene.elsewhere, links_in(mail.text, mail.html))
    assert (await scene.here.press(mail)).status_code == 303
    assert await scene.here.is_logged_in()


async def test_what_is_scanned_too_late_lets_nobody_in(scene: Scene) -> None:
    mail = await scene.here.ask(ALICE)
    await scene.here.press(mail)
    await scan(scene.elsewhere, links_in(mail.text, mail.html))
    assert not await scene.elsewhere.is_logged_in()


def test_every_letter_is_tried() -> None:
    written = {file.stem for file in TEMPLATES.glob("*.j2")}
    assert set(CAUSES) == written
