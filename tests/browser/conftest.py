"""A browser for all tests of this room."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.browser.axe import axe_source
from tests.browser.chromium import BrowserMissing, running_chromium
from tests.javascript.skipping import not_tried
from tests.javascript.tools import NodeMissing


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Return the browser that all tests share; skip the test if there is none."""
    try:
        axe_source()
        async with running_chromium() as running:
            yield running
    except (BrowserMissing, NodeMissing) as missing:
        not_tried(missing)
