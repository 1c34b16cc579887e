"""Says which addresses are the interface for programs; all others are the site for people.

People and programs are treated differently: they have limits of their own, and get pages or
problem details when something is wrong.
"""

from typing import Final

INTERFACE_PATH: Final = "/v1/"
# What pages are made of and never changes: their names come from their content.
FILES_PATH: Final = "/static/"
# What messages and pages of others show of a page, as a picture or a file, the same to everyone.
_PUBLIC_NAMES: Final = ("/preview.png", "/badge.svg", "/card.png", "/leaderboard.csv", "/embed.js")
# The pages that other sites may show in a frame: they know nobody, and no other page may be.
FRAMED_PATH: Final = "/embed/"
# Mail programs send here what ends unwanted mail (RFC 8058).
ONE_CLICK_PATH: Final = "/mail/no-more/"
# Stripe sends its events here, many at once when many subscriptions renew. Each proves who sent it.
STRIPE_EVENTS_PATH: Final = "/v1/stripe/events"
# The files of the public logs, for programs that check them: many small ones, which never change.
_PUBLIC_LOG_PATHS: Final = ("/log/facts/", "/log/verdicts/", "/log/keys")
# These are for those who watch the service, and are asked for by no page.
WATCHED_PATHS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_OF_PROGRAMS: Final = frozenset({"/v1", "/openapi.json", *WATCHED_PATHS})


def is_of_site(path: str) -> bool:
    """Return whether an address belongs to the site, whether or not there is such a page."""
    is_of_programs = path in _OF_PROGRAMS or is_of_public_log(path)
    return not path.startswith(INTERFACE_PATH) and not is_of_programs


def is_of_public_log(path: str) -> bool:
    """Return whether an address is that of a file of the public logs."""
    return path.startswith(_PUBLIC_LOG_PATHS)


def is_shown_to_all(path: str) -> bool:
    """Return whether what the site has at an address never depends on who is logged in.

    These are its files, its pictures, boards as files, and the script for pages of others.
    """
    return path.startswith(FILES_PATH) or path.endswith(_PUBLIC_NAMES)
