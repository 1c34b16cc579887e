"""Says in a few words which browser somebody uses, so that its owner knows it again. Pure.

What a browser says about itself is a claim and may be anything, so only words of ours are shown.
"""

from collections.abc import Sequence
from typing import Final

# Longer ones are made up. Real ones have some 120 characters.
_READ_CHARACTERS_MAX: Final = 400
# The first that is found counts: nearly all browsers also name the one that they imitate.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "Chromebook"),
    ("Mac OS X", "Mac"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
UNKNOWN_BROWSER: Final = "An unknown browser"


def browser_words(user_agent: str) -> str:
    """Return words such as `Chrome on Windows` for a User-Agent field."""
    read = user_agent[:_READ_CHARACTERS_MAX]
    browser, system = _first(read, _BROWSERS), _first(read, _SYSTEMS)
    if browser is None:
        return UNKNOWN_BROWSER if system is None else f"{UNKNOWN_BROWSER} on {system}"
    return browser if system is None else f"{browser} on {system}"


def _first(text: str, named: Sequence[tuple[str, str]]) -> str | None:
    return next((name for mark, name in named if mark in text), None)
