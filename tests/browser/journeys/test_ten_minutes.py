"""A developer starts from nothing, and has a rating, an event and a widget by the page alone."""

import asyncio
import json
import os
import re
import shutil
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect

from tests.browser.axe import check_axe
from tests.browser.embeds.elsewhere import Reader, a_club, reading
from tests.folders import open_folder
from tests.log.deadlines import DEADLINE_S, until
from tests.processes import serving
from tests.programs import free_port
from tests.site.serving import name_of_site
from tests.site.words.html import ReadPage
from tests.site.words.ten_minutes import follow_ten_minutes

# As the page says it.
ADDRESS, PORT = "http://127.0.0.1:9000/", "9000"

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


async def test_a_developer_goes_from_nothing_to_a_rating_an_event_and_a_widget(
    browser: Browser, tmp_path: Path
) -> None:
    parent = open_folder()
    try:
        async with (
            serving(
                {"MAHJIC_DATA": str(parent / "data"), "MAHJIC_WEBHOOKS_LOOPBACK": "true"},
                "--sandbox",
            ) as served,
            reading(browser) as reader,
        ):
            url = name_of_site(served.url)
            key = await make_source(reader, url)
            async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
                page = ReadPage((await client.get("/developers")).text)

            async def put_on_page(lines: str) -> None:
                async with a_club(url) as club:
                    club.pages["/"] = f'<!doctype html><html lang="en"><body>{lines}</body></html>'
                    await reader.page.goto(club.url)
                    await expect(reader.page.get_by_text("1556")).to_be_visible()

            await follow_ten_minutes(page, tmp_path, key, put_on_page=put_on_page)
            (receiver,) = [each for each in page.code if each.startswith("cat > hook.py")]
            async with a_shell(tmp_path, receiver, free_port()) as (address, lines):
                await open_desk(reader, url)
                await have_events_sent(reader, address)
                received = await asyncio.wait_for(lines.readline(), DEADLINE_S)
            assert json.loads(received)["type"] == "test"
    finally:
        shutil.rmtree(parent)


async def make_source(reader: Reader, url: str) -> str:
    """Make a source at the page of the sandbox, and return its key."""
    page = reader.page
    await page.goto(f"{url}/developers")
    await page.get_by_role("link", name="make a source", exact=True).click()
    await check_axe(page)
    await page.get_by_label("Name of your club").fill("Lakeside")
    await page.get_by_label("Made-up email address").fill("carol@example.com")
    await page.get_by_role("button", name="Make it, and show its key").click()
    shown = page.get_by_text(re.compile(r"^mjt_[0-9A-Za-z]{43}$"))
    await expect(shown).to_be_visible()
    await check_axe(page)
    return await shown.inner_text()


@asynccontextmanager
async def a_shell(
    folder: Path, command: str, port: int
) -> AsyncIterator[tuple[str, asyncio.StreamReader]]:
    """Run the page's server in a second shell; give its address, and the lines that it writes.

    It listens on a free port, where the page has one that most machines have free.
    """
    assert PORT in command
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euc", command.replace("python3", "exec python3").replace(PORT, str(port))),
        stdout=PIPE,
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
    )
    try:
        assert process.stdout is not None
        await until(lambda: listens(port))
        yield ADDRESS.replace(PORT, str(port)), process.stdout
    finally:
        process.kill()
        await process.wait()


async def listens(port: int) -> bool:
    """Return whether somebody takes connections."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def open_desk(reader: Reader, url: str) -> None:
    """Log in as the owner, by the mail that the page of the sandbox shows."""
    page = reader.page
    await page.goto(f"{url}/developers")
    await page.get_by_role("link", name="Open the desk of your source").click()
    await page.get_by_role("link", name=re.compile("^try-")).click()
    await page.get_by_label("Your email address").fill("carol@example.com")
    await page.get_by_role("button", name="Mail me a link").click()
    await page.goto(f"{url}/sandbox")
    await page.locator('a[href*="/login/link/"]').first.click()
    await page.get_by_role("button", name="Log in here").click()


async def have_events_sent(reader: Reader, address: str) -> None:
    """Name the server at the desk, and have a test sent there."""
    page = reader.page
    await page.get_by_role("link", name="Webhooks", exact=True).click()
    await page.get_by_label("The address of your program").fill(address)
    await page.get_by_role("button", name="Add this address").click()
    await page.get_by_role("button", name="Send a test").click()
