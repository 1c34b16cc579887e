"""The commands that make the public logs, tell how they stand, and begin them again."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from services.cli.terminal.options import InvalidSettings, read_settings
from services.cli.terminal.output import hint, minute, or_dash, say, show_table
from services.transparency.beginning import LogEnding, begin_again, init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.key_files import SALT_KEY_FILE, SIGNING_KEY_FILE
from services.transparency.refusals import PublicLogFolderTrouble
from services.transparency.standing import PublicLogStanding, read_public_standing
from services.transparency.witnesses import read_witnesses
from shared.settings import Settings

COLUMNS = ("log", "state", "size", "signed at", "cosigned by")


def init() -> None:
    """Make the folder of the public logs and its keys, and print the keys to check them with.

    It is done once, before the service is told of the folder.
    """
    settings = read_settings()
    path = _path(settings)
    if settings.public_url is None:
        raise InvalidSettings(
            "MAHJIC_PUBLIC_URL: Say where people find the site; the logs are named after it for "
            "good."
        )
    try:
        keys = init_public_logs(path, settings.public_url)
    except OSError as error:
        raise PublicLogFolderTrouble(path, error) from None
    for key in keys:
        say(str(key))
    hint(
        f"Both secret keys, {SIGNING_KEY_FILE} and {SALT_KEY_FILE}, are in {path}. Copy them to a "
        "safe place, away from the backups of the database. Publish the two lines above in a "
        "second place too, such as a club's newsletter: with them, anyone can check the logs."
    )


def status() -> None:
    """Show the public logs; exit with 1 if nothing is signed."""
    settings = read_settings()
    folder = TransparencyFolder(_path(settings))
    standing = read_public_standing(folder, read_witnesses(settings.witnesses))
    show_table(COLUMNS, [_row(each) for each in standing.logs], numbers=["size"])
    if (stopped := standing.stopped) is not None:
        hint(f"Nothing has been signed since {stopped.since} ({stopped.code}). {stopped.detail}")
        hint(
            "If records were lost for good, `mahjic transparency begin-again` goes on; otherwise "
            "bring back what is missing, and start the service again."
        )
    elif not standing.is_kept:
        hint(
            "No process is keeping these logs. `mahjic serve` does, and on Kafka "
            "`mahjic transparency follow`."
        )
    if stopped is not None or not standing.is_kept:
        raise typer.Exit(1)


def go_on(
    why: Annotated[
        str,
        typer.Option("--why", metavar="TEXT", help="What happened, for everybody to read."),
    ],
    *,
    is_sure: Annotated[
        bool, typer.Option("--yes", help="Also if nothing was found to be wrong.")
    ] = False,
    has_new_key: Annotated[
        bool, typer.Option("--new-key", help="Sign the next with a new key, and give up this one.")
    ] = False,
) -> None:
    """End the public logs after records were lost for good, and begin the next.

    What was signed stays for everybody to see, with a signed note that says why it ended.
    """
    if not why.strip():
        raise typer.BadParameter("Say what happened; everybody will read it.", param_hint="--why")
    folder = TransparencyFolder(_path(read_settings()))
    ending = LogEnding(why, datetime.now(UTC), is_sure=is_sure, has_new_key=has_new_key)
    try:
        keys = begin_again(folder, ending)
    except OSError as error:
        raise PublicLogFolderTrouble(folder.path, error) from None
    for key in keys:
        if folder.log_of(key).ended() is None:
            say(str(key))
    hint(
        "The old logs have ended. A service that is running goes on with the new ones by itself. "
        "Tell people what happened, and give the witnesses the new keys."
    )


def _path(settings: Settings) -> Path:
    if settings.transparency is None:
        raise InvalidSettings(
            "MAHJIC_TRANSPARENCY: Set it to the folder of the public logs, such as "
            "/var/lib/mahjic/transparency."
        )
    return settings.transparency.expanduser()


def _row(each: PublicLogStanding) -> Sequence[str]:
    state = "ended" if each.has_ended else "nothing signed yet" if each.size is None else "goes on"
    return (
        each.key.name,
        state,
        or_dash(each.size),
        "-" if each.published is None else minute(each.published),
        ", ".join(each.cosigned_by) or "-",
    )
