"""The commands that look at the outbox, so that an operator without SMTP can hand a link on."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import asyncpg
import typer

from services.accounts.acts import note_act
from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import minute, or_dash, say, show_table
from shared.mail import looking
from shared.mail.looking import KeptMail, ListedMail

COLUMNS = ("id", "kind", "to", "state", "queued", "tries", "code")


def list_all(
    is_all: Annotated[
        bool, typer.Option("--all", help="Also those that were sent, refused or given up.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """List the mails that wait, newest first; whom they are to is masked."""
    mails = on_database(data, lambda pool: looking.list_mails(pool, is_all=is_all))
    show_table(COLUMNS, [_row(each) for each in mails])


def show(
    mail_id: Annotated[str, typer.Argument(metavar="ID", help="As `mahjic mail list` shows it.")],
    data: DataFolder = None,
) -> None:
    """Print a mail that waits, with its address: whoever has its link or code can use it."""
    mail = on_database(data, lambda pool: _look(pool, mail_id))
    for line in (f"To: {mail.address}", f"Subject: {mail.subject}", "", *mail.text.splitlines()):
        say(line)


async def _look(pool: asyncpg.Pool, mail_id: str) -> KeptMail:
    """Return a mail, once it is kept that somebody looked at its address."""
    mail = await looking.read_mail(pool, mail_id)
    async with pool.acquire() as connection, connection.transaction():
        at = datetime.now(UTC)
        await note_act(connection, at=at, staff_id=None, act="see_mail", about=[mail_id])
    return mail


def _row(mail: ListedMail) -> Sequence[str]:
    return (
        mail.mail_id,
        mail.kind,
        mail.to,
        mail.state.replace("_", " "),
        minute(mail.queued_at),
        str(mail.tries),
        or_dash(mail.smtp_code),
    )
