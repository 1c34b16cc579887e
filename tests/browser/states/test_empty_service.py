"""A service that nobody has used yet greets its first visitors with sensible words."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest
from playwright.async_api import Browser

from shared.db.server.embedded import EmbeddedServer
from tests.browser.looking import look_at_each
from tests.conftest import TEMPLATE, fresh_database
from tests.http.serving import serving
from tests.service import UNLIMITED, RunningService, running_service

# By page: what each says while there is nothing to show.
EMPTY = {
    "/": (
        "Nobody is on the leaderboard yet. The first players get here after 10 Verified games.",
        "Nothing has been played yet.",
    ),
    "/leaderboard": ("Nobody is on this board yet.", "How to get on the board"),
    "/leaderboard/midwest": ("Nobody is on this board yet.", "How to get on the board"),
    "/leaderboard?active_within_days=90": ("Nobody fits what you chose.", "Show everyone"),
    "/leaderboard?page=3": ("This board has no page 3 right now.", "Go to the first page"),
    "/sources": ("Nobody sends results to this service yet.", "Become a source"),
    "/find?q=alice": ("Nobody found for “alice”.", "Check the spelling"),
    "/compare?one=alice": ("Nobody found.", "Check the spelling"),
}
# By page of a source that has not played: what each says.
BEFORE_THE_FIRST_SESSION = {
    "/sources": ("A Club", "Club · 0 players"),
    "/sources/a-club": (
        "A club. It has not sent a session yet.",
        "Nobody is on this board yet.",
    ),
}
# Counts of what isn't there, and the marks of templates that are given nothing.
SENSELESS = re.compile(r"\b0 of\b|of 0\b|1 to 0|\bNone\b|\bnan\b|page 0|since $")


@pytest.fixture
async def empty(
    browser: Browser, postgres_server: EmbeddedServer
) -> AsyncIterator[tuple[RunningService, str]]:
    """Return a service without sources, players and sessions, and the address of its site."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        running_service(database, page_limit_per_minute=UNLIMITED) as running,
        serving(running.app, deadline_s=None) as served,
    ):
        yield running, f"http://127.0.0.1:{served.port}"


async def test_an_empty_service_says_what_comes_here_and_how(
    browser: Browser, empty: tuple[RunningService, str]
) -> None:
    _, home = empty
    await check_words(browser, home, EMPTY)


async def test_a_source_without_sessions_says_so(
    browser: Browser, empty: tuple[RunningService, str]
) -> None:
    running, home = empty
    await running.source_key("a-club")
    await check_words(browser, home, BEFORE_THE_FIRST_SESSION)


async def check_words(browser: Browser, home: str, pages: Mapping[str, Sequence[str]]) -> None:
    """Look at pages that have nothing to show but these words."""
    for path, told in (await look_at_each(browser, home, dict.fromkeys(pages, 200))).items():
        for words in pages[path]:
            assert words in told, f"{path} says:\n{told}"
        assert not SENSELESS.search(told), f"{path} says:\n{told}"
