"""The commands that look at the outbox, so that an operator without SMTP can hand a link on."""

from collections.abc import Sequence
from typing import Annotated

import typer

from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import minute, or_dash, say, show_table
from shared.mail import looking
from shared.mail.looking import ListedMail

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
    mail = on_database(data, lambda pool: looking.read_mail(pool, mail_id))
    for line in (f"To: {mail.address}", f"Subject: {mail.subject}", "", *mail.text.splitlines()):
        say(line)


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
