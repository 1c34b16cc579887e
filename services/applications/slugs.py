"""Short names of sources: how one is made of a name, and which are nobody's. Pure."""

import re
import unicodedata
from typing import Final

SLUG_CHARACTERS_MAX: Final = 64
# Whoever had one of these would seem to be us.
RESERVED: Final = frozenset(
    {
        *("about", "account", "admin", "administrator", "api", "desk", "help", "info", "login"),
        *("mail", "me", "mine", "mahjic", "mahjic-official", "moderator", "new", "nmjl", "null"),
        *("official", "operator", "owner", "privacy", "root", "security", "source", "sources"),
        *("staff", "submit", "support", "system", "team", "test", "www"),
    }
)
RESERVED_WORDS: Final = "This short name is reserved. Choose another one."

_NEITHER: Final = re.compile(r"[^a-z0-9]+")


def is_reserved(slug: str) -> bool:
    """Return whether no source may have a short name."""
    return slug in RESERVED or slug.startswith("mahjic-")


def slug_of(name: str) -> str:
    """Return the short name that a name suggests; nothing if there is no letter of a to z in it."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    return _NEITHER.sub("-", letters)[:SLUG_CHARACTERS_MAX].strip("-")
