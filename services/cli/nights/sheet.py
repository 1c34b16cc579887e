"""The commands for score sheets: one for the template, and one that submits a filled-in sheet."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import orjson
import typer
from pydantic import BaseModel
from typing_extensions import TypedDict

from services.cli.nights.joining import FILE_TYPE, claim_of_file, joined, show_mistakes
from services.cli.nights.kinds import expect
from services.cli.nights.repeated import correcting, show_night
from services.cli.nights.score import UnwritableFile
from services.cli.nights.submit import (
    exit_code_of,
    read_file,
    show_sent,
    submit_claim,
)
from services.cli.nights.trying import SESSIONS, show_beside
from services.cli.nights.warned import Warned, warned, warned_in_sheet
from services.cli.terminal.client import ServiceClient, ServiceRefused, open_service
from services.cli.terminal.options import (
    AsJson,
    IfSimilar,
    SheetName,
    WaitForRatings,
    read_settings,
)
from services.cli.terminal.output import hint, points, say_json, show_table
from services.cli.terminal.sending import Sent, send_until_rated, send_until_told, with_query
from services.ingest.sheets.answers import DryRunAnswer, SheetAnswer
from shared.answers.sessions import SessionAnswer, SubmittedSession
from shared.answers.trials import TrialAnswer, TriedSession
from shared.sheets.template import template_csv, template_xlsx

PATH: Final = "/v1/sheets"
SEAT_COLUMNS: Final = ("round", "player", "games_played", "mahjongs", "wall_games", "points")


class SeatOfSheet(BaseModel):
    """One player's part in a round."""

    email: str
    games_played: int
    mahjongs: int
    points: float | None = None


class RoundOfSheet(BaseModel):
    """The same people playing games together."""

    players: list[SeatOfSheet]
    wall_games: int


class Claim(BaseModel):
    """The session in a sheet."""

    session_date: str
    game_type: str
    rounds: list[RoundOfSheet]


class _WithClaim(TypedDict):
    """What a dry run says beside its answer, of which the interface only says it is an object."""

    claim: Claim


Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A CSV or XLSX score sheet, - for stdin; several make one night, in their order.",
    ),
]
OnlyTry: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Record nothing; show what would be submitted.")
]
AllowDuplicate: TypeAlias = Annotated[
    bool,
    typer.Option("--allow-duplicate", help="Record it even though one of its rounds is on record."),
]


@dataclass(frozen=True, slots=True)
class SheetTask:
    """What to do with the sheets, according to the options."""

    is_trial: bool
    sheet_name: str | None
    allow_duplicate: bool
    wait_s: float
    if_similar: str | None


def sheet(
    files: Files,
    *,
    dry_run: OnlyTry = False,
    sheet_name: SheetName = None,
    allow_duplicate: AllowDuplicate = False,
    wait_s: WaitForRatings = 60,
    if_similar: IfSimilar = None,
    as_json: AsJson = False,
) -> None:
    """Submit a score sheet, and show who moved, or what is wrong in which cell."""
    contents = [(file, read_file(file)) for file in files]
    for file, content in contents:
        expect(content, file, "workbook", "sheet", wanted="a score sheet")
    wanted = SheetTask(dry_run, sheet_name, allow_duplicate, wait_s, if_similar)
    with open_service(read_settings()) as service:
        try:
            if len(contents) == 1:
                sent = _send(service, contents[0][1], wanted)
            else:
                sent = _send_joined(service, contents, wanted)
        except ServiceRefused as refused:
            _show_refusal(refused, files, as_json=as_json)
            raise typer.Exit(1) from None
        if dry_run:
            _show_dry_run(service, sent.content, is_joined=len(contents) > 1, as_json=as_json)
            return
        answer, told = _read_sent(service, sent.content, is_joined=len(contents) > 1)
    show_sent(answer, told, sent, as_json=as_json)
    if code := exit_code_of(answer):
        raise typer.Exit(code)


def template(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help=("Where to write it: a name that ends in .xlsx or .csv.")
        ),
    ],
) -> None:
    """Write the score sheet to fill in, with an example in it."""
    make = {".csv": template_csv, ".xlsx": template_xlsx}.get(file.suffix.lower())
    if make is None:
        raise UnwritableFile(
            f"{file} is not a name for a score sheet. It must end in .xlsx or .csv."
        )
    try:
        with file.open("xb") as written:
            written.write(make())
    except FileExistsError:
        raise UnwritableFile(f"{file} already exists. Choose another name.") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnwritableFile(f"{file} cannot be written: {reason}.") from error
    hint(f"Wrote {file}. Fill it in, and submit it with: mahjic sheet {file}")


def _send(service: ServiceClient, content: bytes, wanted: SheetTask) -> Sent:
    """Send a sheet as `mahjic submit` sends a session: the same file counts once."""
    path = with_query(
        PATH,
        dry_run="true" if wanted.is_trial else None,
        sheet=wanted.sheet_name,
        allow_duplicate="true" if wanted.allow_duplicate else None,
        if_similar=wanted.if_similar,
    )
    asked = path.partition("?")[2]
    key = hashlib.sha256(asked.encode() + b"\n" + content).hexdigest()
    headers = {"Content-Type": FILE_TYPE, "Idempotency-Key": f"mahjic-{key}"}
    return send_until_rated(service, path, content, wait_s=wanted.wait_s, headers=headers)


def _send_joined(
    service: ServiceClient, contents: list[tuple[str, bytes]], wanted: SheetTask
) -> Sent:
    """Send the night of several sheets, as the service reads each of them."""
    claims = [
        (
            file,
            claim_of_file(
                service, PATH, file, each, sheet_name=wanted.sheet_name, wait_s=wanted.wait_s
            ),
        )
        for file, each in contents
    ]
    claim = joined(claims) | {"whole_night": True}
    if wanted.allow_duplicate:
        claim["allow_duplicate"] = True
    body = orjson.dumps(claim)
    if not wanted.is_trial:
        return submit_claim(service, body, wait_s=wanted.wait_s, if_similar=wanted.if_similar)
    # What a dry run says about a night, in the form for one sheet.
    path = with_query(SESSIONS, dry_run="true", if_similar=wanted.if_similar)
    answer = orjson.loads(send_until_told(service, path, body, wait_s=wanted.wait_s))
    return Sent(orjson.dumps({"claim": claim, **answer}), is_new=False)


def _show_refusal(refused: ServiceRefused, files: list[str], *, as_json: bool) -> None:
    """Show why nothing was recorded, or raise it to be shown like any other error."""
    if not as_json:
        if refused.told_code == "invalid_sheet":
            show_mistakes(refused)
            return
        if show_night(refused, correcting(*files)):
            return
    raise refused.saying(
        ("?allow_duplicate=true", "--allow-duplicate"),
        ('"allow_duplicate": true', "the same command with --allow-duplicate"),
    ) from None


def _read_sent(
    service: ServiceClient, content: bytes, *, is_joined: bool
) -> tuple[SubmittedSession, list[Warned]]:
    """Return an answer with its warnings; several sheets are sent as a session, without rows."""
    if is_joined:
        of_session = service.read(SessionAnswer, content)
        return of_session, warned(of_session["warnings"])
    of_sheet = service.read(SheetAnswer, content)
    return of_sheet, warned_in_sheet(of_sheet["warnings"])


def _read_tried(
    service: ServiceClient, content: bytes, *, is_joined: bool
) -> tuple[TriedSession, list[Warned]]:
    if is_joined:
        of_session = service.read(TrialAnswer, content)
        return of_session, warned(of_session["warnings"])
    of_sheet = service.read(DryRunAnswer, content)
    return of_sheet, warned_in_sheet(of_sheet["warnings"])


def _show_dry_run(
    service: ServiceClient, content: bytes, *, is_joined: bool, as_json: bool
) -> None:
    if as_json:
        say_json(content)
        return
    claim = service.read(_WithClaim, content)["claim"]
    tried, told = _read_tried(service, content, is_joined=is_joined)
    rows = [
        [str(number), *_seat_cells(seat, each)]
        for number, each in enumerate(claim.rounds, start=1)
        for seat in each.players
    ]
    show_table(SEAT_COLUMNS, rows, numbers=("round", *SEAT_COLUMNS[2:]))
    show_beside(tried, told)
    hint(f"A {claim.game_type} session of {claim.session_date}. Nothing was recorded.")


def _seat_cells(seat: SeatOfSheet, played: RoundOfSheet) -> list[str]:
    counts = (seat.games_played, seat.mahjongs, played.wall_games)
    told = "-" if seat.points is None else points(seat.points)
    return [seat.email, *map(str, counts), told]
