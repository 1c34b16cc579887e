"""The command that checks a service by its public log, and says in one sentence what was found."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import orjson
import typer

from services.cli.checking.asking import AskedService, NotChecked, asking, origin_of
from services.cli.checking.checking import Checked, CheckRequest, check_service
from services.cli.checking.kept import Memory
from services.cli.terminal.options import InvalidSettings, read_settings
from services.cli.terminal.output import hint, progress_bar, say, say_json
from shared.http.logs import configure_logs
from shared.http.player_ids import MistypedPlayerId, read_id
from shared.ids import is_api_key
from shared.tlog.notes import NoteRefused, VerifierKey, read_verifier_key

DOES_NOT_HOLD: Final = 1


Url: TypeAlias = Annotated[
    str, typer.Argument(metavar="URL", help="The address of a Mahjic, like https://mahjic.example.")
]
Players: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--player", metavar="ID", help="A player to check; give it once for each."),
]
LogKeys: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--log-key",
        metavar="KEY",
        help="A verifier key that you have from elsewhere: each log must be signed by one of them.",
    ),
]
Witnesses: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--witness", metavar="KEY", help="The verifier key of a witness that must have cosigned."
    ),
]
MemoryFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--memory",
        metavar="FOLDER",
        help="Where to keep what was seen. By default, it is your own data folder.",
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")]


def check(
    url: Url,
    player: Players = None,
    *,
    log_key: LogKeys = None,
    witness: Witnesses = None,
    memory: MemoryFolder = None,
    as_json: AsJson = False,
) -> None:
    """Check a service by its public log: signatures, growth since the last time, and players.

    It needs no account. With an auditor's key in MAHJIC_KEY, it checks every record, and works out
    all ratings again. It exits with 0 if everything holds, with 1 if anything does not, and with 75
    if it could not be finished.
    """
    configure_logs(level="critical")  # What is wrong is the answer.
    _check_no_page(url)
    wanted = CheckRequest(
        players=[_player_id(each) for each in player or ()],
        log_keys=[_verifier_key("--log-key", each) for each in log_key or ()],
        witnesses=[_verifier_key("--witness", each) for each in witness or ()],
    )
    with asking(url, _auditor_key(url)) as service, progress_bar("Checking") as progress:
        checked = check_service(service, wanted, Memory.of(service.place, memory), progress)
    if as_json:
        say_json(orjson.dumps(_as_json(service, checked), option=orjson.OPT_INDENT_2))
    else:
        _tell(service, checked)
    if checked.not_finished is not None:
        hint(f"{NotChecked.code}: {checked.not_finished}")
    if checked.findings.wrong:
        raise typer.Exit(DOES_NOT_HOLD)
    if checked.not_finished is not None:
        raise typer.Exit(NotChecked.exit_code)


def _tell(service: AskedService, checked: Checked) -> None:
    for note in checked.findings.notes:
        hint(note)
    for wrong in checked.findings.wrong:
        say(f"{wrong.where}: {wrong.what}")
    say(checked.sentence(service.place))


def _as_json(service: AskedService, checked: Checked) -> dict[str, object]:
    return {
        "url": service.place,
        "holds": checked.holds,
        "said": checked.sentence(service.place),
        "not_finished": checked.not_finished,
        "wrong": [asdict(each) for each in checked.findings.wrong],
        "notes": checked.findings.notes,
        "logs": [
            {
                "origin": head.checkpoint.origin,
                "size": head.checkpoint.size,
                "root": head.checkpoint.root.hex(),
                "cosigned_by": [each.key.name for each in head.cosigned],
            }
            for head in checked.heads.values()
        ],
        "players": [asdict(each) for each in checked.players],
        "rated_again": None if checked.rated_again is None else asdict(checked.rated_again),
        "bytes_read": service.bytes_read,
    }


def _auditor_key(url: str) -> str | None:
    """Return the key to audit with, if it is for this service."""
    settings = read_settings()
    key = None if settings.key is None else settings.key.get_secret_value().strip()
    if key is None:
        return None
    if settings.url is not None and origin_of(settings.url) != origin_of(url):
        hint("MAHJIC_KEY is for the service at MAHJIC_URL, so it is not sent to this one.")
        return None
    if not is_api_key(key):
        raise InvalidSettings("MAHJIC_KEY: It must be an API key of an auditor.")
    return key


def _check_no_page(url: str) -> None:
    """Check that an address is that of a site: people copy it with the page that they look at."""
    scheme, found, rest = url.strip().partition("://")
    host, slash, page = rest.partition("/")
    if found and slash and page.strip("/"):
        raise InvalidSettings(
            f"URL: Give the address of the site alone, without the page: "
            f"{scheme}://{host.rpartition('@')[2]}"
        )


def _player_id(text: str) -> str:
    try:
        return read_id(text)
    except MistypedPlayerId as error:
        raise InvalidSettings(f"--player {text!r}: {error.detail}") from None


def _verifier_key(option: str, text: str) -> VerifierKey:
    try:
        return read_verifier_key(text)
    except NoteRefused as error:
        raise InvalidSettings(f"{option}: {error}") from None
