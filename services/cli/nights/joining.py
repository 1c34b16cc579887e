"""Makes one claim from files: a score sheet, the parts of a night, or a session."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import orjson
import typer
from typing_extensions import TypedDict

from services.cli.nights.kinds import expect, is_sheet
from services.cli.nights.submit import UnreadableFile
from services.cli.terminal.client import ServiceClient, ServiceRefused
from services.cli.terminal.output import hint, listed_here, or_dash, show_table
from services.cli.terminal.sending import send_until_told
from services.ingest.sheets.answers import SheetWarning
from shared.errors import MahjicError

MISTAKE_COLUMNS: Final = ("sheet", "row", "column", "what")
# The bytes say what a file is; its name may be someone's name, and stays here.
FILE_TYPE: Final = "application/octet-stream"


class _Tried(TypedDict):
    """What the service makes of a sheet, in a submission and in a correction."""

    claim: dict[str, Any]
    warnings: list[SheetWarning]


class FilesDiffer(MahjicError):
    """Files that should make one session belong to different ones."""

    code = "files_differ"
    title = "The files are not one session"


def claim_of_file(
    service: ServiceClient,
    path: str,
    file: str,
    content: bytes,
    *,
    sheet_name: str | None,
    wait_s: float,
) -> dict[str, Any]:
    """Return the claim in a score sheet, read by the service at `path`, or in a session as JSON.

    Raises OtherKindOfFile or UnreadableFile; mistakes in a sheet are shown, and end the command.
    """
    expect(content, file, "workbook", "sheet", "session", wanted="a score sheet or a session")
    if not is_sheet(content) and content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _read_json(file, content)
    # Whether a part of the night is on record is checked for the whole night.
    asked = {"dry_run": "true", "allow_duplicate": "true"}
    asked |= {} if sheet_name is None else {"sheet": sheet_name}
    headers = {"Content-Type": FILE_TYPE}
    try:
        answer = send_until_told(
            service, f"{path}?{urlencode(asked)}", content, wait_s=wait_s, headers=headers
        )
    except ServiceRefused as refused:
        if refused.told_code != "invalid_sheet":
            raise
        hint(f"{file}:")
        show_mistakes(refused)
        raise typer.Exit(1) from None
    tried = service.read(_Tried, answer)
    for each in tried["warnings"]:
        hint(f"{file}: row {each['row']}: {each['code']}: {each['message']}")
    return {name: said for name, said in tried["claim"].items() if name != "allow_duplicate"}


def joined(claims: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the session in several files: the rounds of each after those of the one before.

    Raises FilesDiffer when they have different dates or kinds of game.
    """
    first_file, first = claims[0]
    for name, words in (("session_date", "date"), ("game_type", "game type")):
        for file, claim in claims[1:]:
            if claim.get(name) != first.get(name):
                raise FilesDiffer(
                    f"A session has one {words}, but {first_file} says {first.get(name)} and "
                    f"{file} says {claim.get(name)}. Correct one of them, or send them "
                    "separately."
                )
    return {**first, "rounds": [each for _, claim in claims for each in claim.get("rounds", [])]}


def show_mistakes(refused: ServiceRefused) -> None:
    """Show the mistakes in a score sheet, each with its cell."""
    rows = [
        [or_dash(mistake.get(name)) for name in ("sheet", "row", "column", "message")]
        for mistake in refused.extra.get("errors", ())
    ]
    show_table(MISTAKE_COLUMNS, rows, numbers=("row",))
    hint(f"{refused.told_code}: {listed_here(refused.detail)}")


def _read_json(file: str, content: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UnreadableFile(f"{file} is not JSON: {error.msg}.") from None
    if not isinstance(document, dict):
        raise UnreadableFile(f"{file} is not a session: it must be a JSON object with rounds.")
    return document
