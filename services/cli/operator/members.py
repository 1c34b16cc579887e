"""The commands with which the operator says at the machine who keeps the desk of a source."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from services.accounts.members import at_machine
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import MemberRole
from services.accounts.room import Chance
from services.cli.operator.sources import Slug
from services.cli.terminal.options import DataFolder, on_database, settings_for_data
from services.cli.terminal.output import hint, minute, or_dash, say, show_table
from services.site.kit.origin import Origin
from shared.mail.outbox import MailOutbox

Email: TypeAlias = Annotated[
    str, typer.Argument(metavar="EMAIL", help="The address that they log in with.")
]

COLUMNS = ("source", "account", "role", "address", "since")


def add(
    slug: Slug,
    email: Email,
    *,
    role: Annotated[
        MemberRole,
        typer.Option(
            help="An owner also manages keys and members; a scorer enters and corrects nights."
        ),
    ],
    data: DataFolder = None,
) -> None:
    """Make someone a member of a source, or give them another role there."""
    account = on_database(
        data,
        lambda pool: at_machine.add_member(
            pool, _notices(data), slug, email, role=role, chance=Chance()
        ),
    )
    say(f"{account} is a member of {slug} now, as {role}.")
    hint("They were sent a mail. They log in with this address, and find the desk there.")


def remove(slug: Slug, email: Email, data: DataFolder = None) -> None:
    """Remove someone from the members of a source, at once."""
    account = on_database(
        data, lambda pool: at_machine.take_member(pool, _notices(data), slug, email, Chance())
    )
    say(f"{account} is no longer a member of {slug}.")


def list_all(
    slug: Annotated[
        str | None, typer.Argument(metavar="[SLUG]", help="Only the members of this source.")
    ] = None,
    data: DataFolder = None,
) -> None:
    """List the members of sources. That you looked at their addresses is kept."""
    found = on_database(data, lambda pool: at_machine.list_all_members(pool, slug, Chance()))
    rows = [
        (each.source, each.account_id, each.role, or_dash(each.address), minute(each.since))
        for each in found
    ]
    show_table(COLUMNS, rows)


def _notices(data: Path | None) -> MemberNotices:
    """Return what tells people. All of it is asked for, so nothing of it needs a hash."""
    settings = settings_for_data(data)
    origin = Origin(settings.public_url, settings.port)
    return MemberNotices(MailOutbox(None, lambda: datetime.now(UTC)), lambda: origin.url)
