"""Keeps the verified sources: who they are, where they play, and whether they may submit."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.characters import forbidden_in_label
from shared.errors import ClaimRefused, MahjicError, Mistake
from shared.ids import is_slug
from shared.notices.writing import Notice, write_notices

SourceType: TypeAlias = Literal["platform", "club", "league"]
Region: TypeAlias = Literal[
    "northeast", "southeast", "midwest", "southwest", "west", "international"
]
# Whether the points of a league round add up to zero; with `any`, no one is warned if they don't.
PointsSum: TypeAlias = Literal["zero", "any"]
SOURCE_TYPES: Final[tuple[str, ...]] = get_args(SourceType)
REGIONS: Final[tuple[str, ...]] = get_args(Region)
NAME_CHARACTERS_MAX: Final = 80
# Far above what any platform needs, and still low enough to catch a zero too many.
LIMIT_PER_MINUTE_MAX: Final = 1_000_000
# A change of region is noted for every player of the source, in one statement.
REGION_CHANGE_S_MAX: Final = 600.0

ADD: Final = """
    INSERT INTO mahjic.sources (slug, name, type, region, limit_per_minute, invites, points_sum,
        created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (slug) DO NOTHING
    RETURNING slug, name, type, region, limit_per_minute, invites, points_sum, is_suspended,
        created_at
"""
LIST: Final = """
    SELECT slug, name, type, region, limit_per_minute, invites, points_sum, is_suspended,
        created_at
    FROM mahjic.sources ORDER BY slug
"""
LOCK_HEAD: Final = "SELECT people_seq FROM mahjic.head FOR UPDATE"
LOCK_SOURCE: Final = """
    SELECT name, type, region, limit_per_minute, invites, points_sum
    FROM mahjic.sources WHERE slug = $1 FOR NO KEY UPDATE
"""
CHANGE: Final = """
    UPDATE mahjic.sources
    SET name = $2, type = $3, region = $4, limit_per_minute = $5, invites = $6, points_sum = $7
    WHERE slug = $1
    RETURNING slug, name, type, region, limit_per_minute, invites, points_sum, is_suspended,
        created_at
"""
NOTE_PLAYERS_WITHOUT_REGION: Final = """
    WITH moved AS (
        SELECT players.player_id, row_number() OVER (ORDER BY players.player_id) AS place
        FROM mahjic.players JOIN mahjic.people ON people.player_id = players.player_id
        WHERE players.first_source = $1 AND people.region IS NULL
    ), noted AS (
        INSERT INTO mahjic.people_changes (seq, player_id)
        SELECT head.people_seq + moved.place, moved.player_id
        FROM moved CROSS JOIN mahjic.head
        RETURNING seq
    )
    UPDATE mahjic.head SET people_seq = people_seq + (SELECT count(*) FROM noted)
"""
LOCK_SUSPENDED: Final = """
    SELECT is_suspended, now() AS now FROM mahjic.sources WHERE slug = $1 FOR NO KEY UPDATE
"""
SUSPEND: Final = """
    UPDATE mahjic.sources SET is_suspended = $2 WHERE slug = $1
    RETURNING slug, name, type, region, limit_per_minute, invites, points_sum, is_suspended,
        created_at
"""


class SourceExists(MahjicError):
    """There is already a source with that slug."""

    code = "source_exists"
    title = "The source already exists"
    status = 409

    def __init__(self, slug: str) -> None:
        super().__init__(
            f"There is already a source {slug}. Change it, or choose another slug.",
            extra={"source": slug},
        )


class UnknownSource(MahjicError):
    """No source has that slug."""

    code = "unknown_source"
    title = "The source is unknown"
    status = 404

    def __init__(self, slug: str) -> None:
        super().__init__(f"There is no source {slug!a}. List the sources to find the right slug.")


class InvalidSource(ClaimRefused):
    """A detail of the source is not valid."""

    code = "invalid_source"
    title = "The details of the source break a rule"


@dataclass(frozen=True, slots=True)
class SourceDetails:
    """What the operator says about a source. Without its own limit, the default applies.

    It `invites` if those whom it rates first may be told so by mail.
    """

    name: str
    type: str
    region: str | None = None
    limit_per_minute: int | None = None
    invites: bool = True
    points_sum: PointsSum = "zero"


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A verified source as it is now."""

    slug: str
    details: SourceDetails
    is_suspended: bool
    created_at: datetime


async def add_source(
    pool: asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy,
    slug: str,
    details: SourceDetails,
    *,
    now: datetime,
) -> KnownSource:
    """Add a source, in an open transaction if there is one. Raises InvalidSource, SourceExists."""
    details = _checked(slug, details)
    row = await pool.fetchrow(ADD, slug, *_columns(details), now)
    if row is None:
        raise SourceExists(slug)
    return _source(row)


async def list_sources(pool: asyncpg.Pool) -> list[KnownSource]:
    return [_source(row) for row in await pool.fetch(LIST)]


async def change_source(
    pool: asyncpg.Pool, slug: str, change: Callable[[SourceDetails], SourceDetails]
) -> KnownSource:
    """Replace a source's details with what `change` returns for them.

    Raises InvalidSource or UnknownSource. A new region moves the players who were
    first submitted by the source and chose none themselves, so they are noted for the views to
    follow. Whatever notes people locks the head first.
    """
    _check_possible(slug)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute(LOCK_HEAD)
        row = await connection.fetchrow(LOCK_SOURCE, slug)
        if row is None:
            raise UnknownSource(slug)
        before = _details(row)
        after = _checked(slug, change(before))
        changed = await connection.fetchrow(CHANGE, slug, *_columns(after))
        assert changed is not None, "The row was locked above."
        if after.region != before.region:
            await connection.execute(NOTE_PLAYERS_WITHOUT_REGION, slug, timeout=REGION_CHANGE_S_MAX)
    return _source(changed)


async def suspend_source(pool: asyncpg.Pool, slug: str) -> KnownSource:
    """Refuse the keys of a source from now on. Raises UnknownSource."""
    return await _set_suspended(pool, slug, is_suspended=True)


async def resume_source(pool: asyncpg.Pool, slug: str) -> KnownSource:
    """Accept the keys of a source again. Raises UnknownSource."""
    return await _set_suspended(pool, slug, is_suspended=False)


async def _set_suspended(pool: asyncpg.Pool, slug: str, *, is_suspended: bool) -> KnownSource:
    _check_possible(slug)
    async with pool.acquire() as connection, connection.transaction():
        was = await connection.fetchrow(LOCK_SUSPENDED, slug)
        if was is None:
            raise UnknownSource(slug)
        row = await connection.fetchrow(SUSPEND, slug, is_suspended)
        assert row is not None, "The row was locked above."
        if is_suspended and not was["is_suspended"]:
            cause = f"source.suspended {was['now'].isoformat()}"
            told = Notice(slug, "source.suspended", cause, was["now"], {})
            await write_notices(connection, [told])
    return _source(row)


def _check_possible(slug: str) -> None:
    # Some texts that are not slugs are not valid in PostgreSQL either, and must not get there.
    if not is_slug(slug):
        raise UnknownSource(slug)


def _checked(slug: str, details: SourceDetails) -> SourceDetails:
    """Return the details as they are stored: the name composed (NFC) and trimmed."""
    # Putting accents in order takes the square of their number, so a long name is cut first.
    name = unicodedata.normalize("NFC", details.name[: 5 * NAME_CHARACTERS_MAX]).strip()
    tidy = replace(details, name=name)
    mistakes = list(_mistakes(slug, tidy))
    if mistakes:
        raise InvalidSource(mistakes)
    return tidy


def _mistakes(slug: str, details: SourceDetails) -> Iterator[Mistake]:
    if not is_slug(slug):
        yield Mistake(
            "/slug",
            "invalid_slug",
            "A slug has 1 to 64 lowercase letters, digits and dashes, and no dash at either end.",
        )
    odd = forbidden_in_label(details.name)
    if not 1 <= len(details.name) <= NAME_CHARACTERS_MAX or odd is not None:
        has = "" if odd is None else f", and this one has {odd}"
        yield Mistake(
            "/name",
            "invalid_name",
            f"A name has 1 to {NAME_CHARACTERS_MAX} visible characters{has}.",
        )
    if details.type not in SOURCE_TYPES:
        yield Mistake(
            "/type", "invalid_type", (f"The type must be one of {', '.join(SOURCE_TYPES)}.")
        )
    if details.region is not None and details.region not in REGIONS:
        yield Mistake(
            "/region", "invalid_region", (f"The region must be one of {', '.join(REGIONS)}.")
        )
    limit = details.limit_per_minute
    if limit is not None and not 1 <= limit <= LIMIT_PER_MINUTE_MAX:
        yield Mistake(
            "/limit_per_minute",
            "invalid_limit",
            f"The limit must be 1 to {LIMIT_PER_MINUTE_MAX} requests a minute.",
        )


def _columns(
    details: SourceDetails,
) -> tuple[str, str, str | None, int | None, bool, PointsSum]:
    return (
        details.name,
        details.type,
        details.region,
        details.limit_per_minute,
        details.invites,
        details.points_sum,
    )


def _details(row: asyncpg.Record) -> SourceDetails:
    return SourceDetails(
        row["name"],
        row["type"],
        row["region"],
        row["limit_per_minute"],
        row["invites"],
        row["points_sum"],
    )


def _source(row: asyncpg.Record) -> KnownSource:
    return KnownSource(row["slug"], _details(row), row["is_suspended"], row["created_at"])
