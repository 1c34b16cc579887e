"""The commands with which the operator says at the machine who belongs to the staff."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

from services.accounts import staff
from services.accounts.logging_in.logins import Role
from services.accounts.room import Chance
from services.accounts.staff import StaffMember
from services.cli.terminal.options import DataFolder, IsNew, on_database
from services.cli.terminal.output import hint, minute, say, show_table

Email: TypeAlias = Annotated[
    str, typer.Argument(metavar="EMAIL", help="The address that they log in with.")
]

COLUMNS = ("account", "role", "addresses", "passkeys", "since")


def add(
    email: Email,
    *,
    role: Annotated[Role, typer.Option(help="An operator, or a reviewer of applications.")],
    is_new: IsNew = False,
    data: DataFolder = None,
) -> None:
    """Make someone a member of the staff, or give them another role."""
    account = on_database(
        data, lambda pool: staff.add_staff(pool, email, role, Chance()), is_new=is_new
    )
    say(f"{account} is staff now, as {role}.")
    hint(
        "They log in with this address once, which lets them add a passkey. From then on they log "
        "in with the passkey only."
    )


def remove(email: Email, data: DataFolder = None) -> None:
    """Take someone off the staff, and log them out everywhere."""
    account = on_database(data, lambda pool: staff.remove_staff(pool, email, Chance()))
    say(f"{account} is no longer staff.")


def reset(email: Email, data: DataFolder = None) -> None:
    """Forget the passkeys of someone who lost them, and log them out everywhere."""
    account = on_database(data, lambda pool: staff.reset_staff(pool, email, Chance()))
    say(f"{account} has no passkeys now.")
    hint("They log in with their address once, which lets them add a new passkey.")


def list_all(data: DataFolder = None) -> None:
    """List the staff. That you looked at their addresses is kept."""
    found = on_database(data, lambda pool: staff.list_staff(pool, Chance()))
    show_table(COLUMNS, [_row(each) for each in found], numbers=["passkeys"])


def _row(member: StaffMember) -> Sequence[str]:
    return (
        member.account_id,
        member.role,
        ", ".join(member.addresses),
        str(member.passkeys),
        minute(member.since),
    )
