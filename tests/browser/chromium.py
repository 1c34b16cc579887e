"""Finds a Chromium and runs it; pages have no way out of this machine."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Playwright, async_playwright

# The shell is the same Chromium without the code of windows, and takes half the time.
NAMES: Final = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# Whatever a page may ask for elsewhere, nothing answers, and the tests see that it was asked.
NO_WAY_OUT: Final = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost"


class BrowserMissing(Exception):
    """This machine lacks a browser; the words say what to install."""


@asynccontextmanager
async def running_chromium() -> AsyncIterator[Browser]:
    """Run a browser while the context is open. Raises BrowserMissing."""
    async with async_playwright() as playwright:
        path = find_chromium(playwright)
        async with await playwright.chromium.launch(
            executable_path=path, args=[NO_WAY_OUT]
        ) as browser:
            yield browser


def find_chromium(playwright: Playwright) -> str:
    """Return the path of Chromium: the system's, or the one that Playwright has downloaded."""
    found = [path for name in NAMES if (path := shutil.which(name))]
    own = playwright.chromium.executable_path
    if Path(own).exists():
        found.append(own)
    if not found:
        raise BrowserMissing(
            "Install Chromium (Debian: chromium-headless-shell; elsewhere: .venv/bin/playwright "
            "install chromium)."
        )
    return found[0]
