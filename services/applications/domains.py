"""What the domain of an address or a site tells. Pure.

The lists are short: they name what is met often. Whatever is not on them is simply not noticed, and
a person decides.
"""

import re
from typing import Final
from urllib.parse import urlsplit

# Mailboxes that anyone opens without a password and that are gone in an hour.
THROW_AWAY: Final = frozenset(
    {
        "10minutemail.com",
        "10minutemail.net",
        "33mail.com",
        "burnermail.io",
        "discard.email",
        "dispostable.com",
        "emailondeck.com",
        "fakeinbox.com",
        "getairmail.com",
        "getnada.com",
        "grr.la",
        "guerrillamail.biz",
        "guerrillamail.com",
        "guerrillamail.de",
        "guerrillamail.info",
        "guerrillamail.net",
        "guerrillamail.org",
        "guerrillamailblock.com",
        "inboxkitten.com",
        "mail-temp.com",
        "mail.tm",
        "mailcatch.com",
        "maildrop.cc",
        "mailinator.com",
        "mailinator.net",
        "mailnesia.com",
        "mailsac.com",
        "mintemail.com",
        "mohmal.com",
        "mytemp.email",
        "sharklasers.com",
        "spam4.me",
        "spamgourmet.com",
        "temp-mail.io",
        "temp-mail.org",
        "tempail.com",
        "tempmail.dev",
        "tempmailo.com",
        "tempr.email",
        "throwawaymail.com",
        "trashmail.com",
        "trashmail.de",
        "yopmail.com",
        "yopmail.fr",
        "yopmail.net",
    }
)
# Many people's pages and mailboxes stand there, so that two share it tells nothing.
SHARED: Final = frozenset(
    {
        "aol.com",
        "att.net",
        "blogspot.com",
        "comcast.net",
        "discord.gg",
        "discord.com",
        "eventbrite.com",
        "facebook.com",
        "fb.com",
        "fb.me",
        "github.io",
        "gmail.com",
        "gmx.com",
        "gmx.de",
        "gmx.net",
        "google.com",
        "googlemail.com",
        "hotmail.com",
        "icloud.com",
        "instagram.com",
        "linktr.ee",
        "live.com",
        "mac.com",
        "me.com",
        "meetup.com",
        "msn.com",
        "outlook.com",
        "proton.me",
        "protonmail.com",
        "reddit.com",
        "sbcglobal.net",
        "squarespace.com",
        "substack.com",
        "tiktok.com",
        "tumblr.com",
        "verizon.net",
        "weebly.com",
        "wixsite.com",
        "wordpress.com",
        "x.com",
        "yahoo.com",
        "ymail.com",
        "youtube.com",
    }
)
# Registries below which others register, such as example.co.uk; only those met often.
_SECOND_LEVELS: Final = re.compile(r"(?:ac|co|com|edu|gov|net|org)\.[a-z]{2}")


def domain_of_address(address: str) -> str:
    """Return the registered domain of an address."""
    return registered(address.rpartition("@")[2])


def domain_of_site(site: str) -> str:
    """Return the registered domain of a page."""
    return registered(urlsplit(site).hostname or "")


def registered(host: str) -> str:
    """Return what was registered of a host: its last two labels, or three where those are a
    registry."""
    labels = host.lower().removesuffix(".").split(".")
    kept = 3 if _SECOND_LEVELS.fullmatch(".".join(labels[-2:])) else 2
    return ".".join(labels[-kept:])


def is_throw_away(domain: str) -> bool:
    """Return whether mailboxes of a domain are thrown away."""
    return domain in THROW_AWAY


def is_shared(domain: str) -> bool:
    """Return whether a domain tells nothing about who uses it."""
    return domain in SHARED
