"""Keeps what the owners of a source say of it: on its public page, in mails, about its points.

Its name, kind and region are not theirs to change: staff have looked at them, and others rely on
them. All of it happens in the open transaction of a caller who has checked that they may.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.access.sources import PointsSum
from shared.characters import forbidden_in_prose
from shared.errors import ClaimRefused, Mistake
from shared.own_words.web_address import SITE_CHARACTERS_MAX, read_site

# What somebody who looks for a club reads to the end.
ABOUT_CHARACTERS_MAX: Final = 500
# Composing takes longer the more marks there are, so nothing far too long is tried.
_TYPED_TIMES_MAX: Final = 4

READ: Final = "SELECT site, about, invites, points_sum FROM mahjic.sources WHERE slug = $1"
CHANGE: Final = """
UPDATE mahjic.sources SET site = $2, about = $3, invites = $4, points_sum = $5
WHERE slug = $1 AND (site, about, invites, points_sum) IS DISTINCT FROM ($2, $3, $4, $5)
RETURNING slug
"""
CLEAR: Final = "UPDATE mahjic.sources SET site = NULL, about = NULL WHERE slug = $1"

Connection = asyncpg.Connection | PoolConnectionProxy


class InvalidProfile(ClaimRefused):
    """What was typed about a source is not valid."""

    code = "invalid_profile"
    title = "The profile of the source breaks a rule"


@dataclass(frozen=True, slots=True)
class SourceProfile:
    """What owners say about their source. It `invites` if whom it rates first is told by mail.

    Its `points_sum` to zero in league rounds, or to any number.
    """

    site: str | None
    about: str | None
    invites: bool
    points_sum: PointsSum


def read_typed_profile(
    *, site: str, about: str, invites: bool, points_sum: PointsSum
) -> SourceProfile:
    """Return a profile in the form in which it is kept. Raises InvalidProfile."""
    page, words = _composed(site, SITE_CHARACTERS_MAX), _composed(about, ABOUT_CHARACTERS_MAX)
    mistakes = list(_mistakes(page, words))
    if mistakes:
        raise InvalidProfile(mistakes)
    return SourceProfile(read_site(page or ""), words or None, invites, points_sum)


async def read_profile(connection: Connection, source: str) -> SourceProfile:
    """Return the profile of a source that there is."""
    row = await connection.fetchrow(READ, source)
    assert row is not None, "Whoever is at its desk has seen that it is there."
    return SourceProfile(*row)


async def change_profile(connection: Connection, source: str, profile: SourceProfile) -> bool:
    """Keep another profile of a source; return whether it is another one."""
    values = (profile.site, profile.about, profile.invites, profile.points_sum)
    return await connection.fetchval(CHANGE, source, *values) is not None


async def clear_profile(pool: asyncpg.Pool, source: str) -> None:
    """Take away what the owners of a source said, as the operator, if there is such a source."""
    await pool.execute(CLEAR, source)


def _composed(typed: str, characters_max: int) -> str | None:
    """Return what was typed in its one form (NFC, plain line breaks); None if it is too long."""
    if len(typed) > _TYPED_TIMES_MAX * characters_max:
        return None
    text = unicodedata.normalize("NFC", typed.replace("\r\n", "\n")).strip()
    return text if len(text) <= characters_max else None


def _mistakes(page: str | None, words: str | None) -> Iterator[Mistake]:
    if page is None or (page and read_site(page) is None):
        yield Mistake(
            "/site",
            "invalid_site",
            "Write the address of a page, such as https://lakeside.example.org, or nothing.",
        )
    if words is None:
        yield Mistake("/about", "too_long", f"Shorten this to {ABOUT_CHARACTERS_MAX} characters.")
    elif forbidden_in_prose(words) is not None:
        yield Mistake(
            "/about",
            "invalid_about",
            "There is an invisible character in this. Type it instead of pasting it.",
        )
