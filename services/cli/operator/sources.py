"""The commands for verified sources; each takes effect at once on a running service."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias

import typer

from services.cli.terminal.options import DataFolder, IsNew, on_database
from services.cli.terminal.output import hint, minute, or_dash, say, show_table
from shared.access import sources
from shared.access.profiles import clear_profile
from shared.access.sources import KnownSource, PointsSum, Region, SourceDetails, SourceType

Slug: TypeAlias = Annotated[
    str, typer.Argument(metavar="SLUG", help="The source's short name, like bam-good-time.")
]
Name: TypeAlias = Annotated[str, typer.Option(help="The name that people read.")]
Type: TypeAlias = Annotated[SourceType, typer.Option("--type", help="What kind of source it is.")]
RegionChoice: TypeAlias = Annotated[
    Region | None,
    typer.Option(help="Where it plays; also the region of its players who have not chosen one."),
]
Limit: TypeAlias = Annotated[
    int | None,
    typer.Option("--limit-per-minute", metavar="N", help="Requests a minute for each of its keys."),
]

Invites: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--invitations/--no-invitations",
        help="Whether players whom it rates first are told so by mail.",
    ),
]

PointsSumChoice: TypeAlias = Annotated[
    PointsSum | None,
    typer.Option(
        "--points-sum",
        help="With any, no one is warned if the points of a league round don't add up to zero.",
    ),
]

COLUMNS = (
    "slug",
    "name",
    "type",
    "region",
    "limit_per_minute",
    "invitations",
    "points_sum",
    "state",
    "created",
)


def add(
    slug: Slug,
    *,
    name: Name,
    source_type: Type,
    region: RegionChoice = None,
    limit_per_minute: Limit = None,
    invitations: Invites = None,
    points_sum: PointsSumChoice = None,
    is_new: IsNew = False,
    data: DataFolder = None,
) -> None:
    """Add a verified source."""
    # Whoever has not said that they want none wants them.
    invites = invitations is not False
    sums = points_sum or "zero"
    details = SourceDetails(name, source_type, region, limit_per_minute, invites, sums)
    now = datetime.now(UTC)
    added = on_database(
        data, lambda pool: sources.add_source(pool, slug, details, now=now), is_new=is_new
    )
    say(f"The source {added.slug} is added.")
    hint(f"It can submit once it has a key: mahjic key create {added.slug}")


def list_all(data: DataFolder = None) -> None:
    """List the verified sources."""
    found = on_database(data, sources.list_sources)
    show_table(COLUMNS, [_row(source) for source in found], numbers=["limit_per_minute"])


def change(
    slug: Slug,
    *,
    name: Annotated[str | None, typer.Option(help="The name that people read.")] = None,
    source_type: Annotated[
        SourceType | None, typer.Option("--type", help="What kind of source it is.")
    ] = None,
    region: RegionChoice = None,
    no_region: Annotated[bool, typer.Option("--no-region", help="It has no region.")] = False,
    limit_per_minute: Limit = None,
    default_limit: Annotated[
        bool, typer.Option("--default-limit", help="Go back to the default limit.")
    ] = False,
    invitations: Invites = None,
    points_sum: PointsSumChoice = None,
    no_profile: Annotated[
        bool, typer.Option("--no-profile", help="Take away what its owners wrote on its page.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Change what is said about a source; what is not named stays as it is."""
    if no_region and region is not None:
        raise typer.BadParameter("Give --region or --no-region, not both.")
    if default_limit and limit_per_minute is not None:
        raise typer.BadParameter("Give --limit-per-minute or --default-limit, not both.")
    given = {
        "name": name,
        "type": source_type,
        "region": region,
        "limit_per_minute": limit_per_minute,
        "invites": invitations,
        "points_sum": points_sum,
    }
    changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    changes |= {"region": None} if no_region else {}
    changes |= {"limit_per_minute": None} if default_limit else {}
    if not changes and not no_profile:
        raise typer.BadParameter("Name at least one thing to change; --help lists them.")
    on_database(
        data,
        lambda pool: sources.change_source(pool, slug, lambda before: replace(before, **changes)),
    )
    if no_profile:
        on_database(data, lambda pool: clear_profile(pool, slug))
    say(f"The source {slug} is changed.")


def suspend(slug: Slug, data: DataFolder = None) -> None:
    """Refuse a source's keys from now on; what it submitted stays."""
    on_database(data, lambda pool: sources.suspend_source(pool, slug))
    say(f"The source {slug} is suspended.")


def resume(slug: Slug, data: DataFolder = None) -> None:
    """Let a suspended source submit again."""
    on_database(data, lambda pool: sources.resume_source(pool, slug))
    say(f"The source {slug} may submit again.")


def _row(source: KnownSource) -> Sequence[str]:
    details = source.details
    return (
        source.slug,
        details.name,
        details.type,
        or_dash(details.region),
        or_dash(details.limit_per_minute),
        "on" if details.invites else "off",
        details.points_sum,
        "suspended" if source.is_suspended else "active",
        minute(source.created_at),
    )
