"""The commands that void and correct sessions, for their source and the operator."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
import typer

from services.cli.nights.effects import Note, Wait, show_effect
from services.cli.nights.joining import claim_of_file, joined
from services.cli.nights.kinds import expect, is_sheet
from services.cli.nights.repeated import place_of
from services.cli.nights.score import claims_of, games_in
from services.cli.nights.submit import UnreadableFile, news, read_file
from services.cli.nights.warned import show_warnings, warned
from services.cli.terminal.client import ServiceClient, ServiceRefused, open_service, path_of
from services.cli.terminal.options import AsJson, SheetName, read_settings
from services.cli.terminal.output import hint, say_json, show_table
from services.cli.terminal.sending import send_until_rated, send_until_told
from shared.answers.effects import CorrectionAnswer, VoidAnswer, VoidsAnswer
from shared.answers.nights import CorrectionTrialAnswer
from shared.events.facts import Reason
from shared.scoring.games import GameType

TRIED: Final = {
    "same": "as it is on record",
    "grown": "on record, and it has grown",
    "changed": "different from the one on record",
}


Replaced: TypeAlias = Annotated[
    str, typer.Argument(metavar="SESSION", help="The id of the session to correct.")
]
Files: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help=(
            "The night as it should have been: a score sheet, a session as JSON, or, with "
            "--score, a file of games; several sheets make one night; - for stdin."
        ),
    ),
]
ReasonOrFiles: TypeAlias = Annotated[
    Reason | None, typer.Option(help="Why; by default what the file says, or wrong_result.")
]
OnlyTry: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Record nothing; show what would change.")
]
RuleBook: TypeAlias = Annotated[
    Literal["hk", "banker", "wp", "american"] | None,
    typer.Option("--score", help="The rule book, if FILE is a file of games."),
]
Players: TypeAlias = Annotated[
    str | None,
    typer.Option("--players", metavar="MAP", help="With --score: the address of each name."),
]
Night: TypeAlias = Annotated[
    str | None,
    typer.Option("--night", metavar="YYYY-MM-DD", help="With --score: which of its nights."),
]
SessionDate: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--date", metavar="YYYY-MM-DD", help=("With --score: the date for games that have none.")
    ),
]
GameTypeOption: TypeAlias = Annotated[
    GameType, typer.Option("--game-type", help="With --score: the game type.")
]


def void(
    session_ids: Annotated[
        list[str],
        typer.Argument(metavar="SESSION", help="Their ids; several only with an operator key."),
    ],
    *,
    reason: Annotated[Reason, typer.Option(help="Why.")],
    note: Note = None,
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Void sessions, all of them or none, and show who moved. Running it again shows the same."""
    said = _without_none(reason=reason, note=note)
    with open_service(read_settings()) as service:
        if len(session_ids) == 1:
            content = _void_one(service, session_ids[0], said, wait_s)
            effect = service.read(VoidAnswer, content)["effect"]
        else:
            body = orjson.dumps({"session_ids": session_ids, **said})
            content = send_until_told(service, "/v1/admin/sessions/void", body, wait_s=wait_s)
            answer = service.read(VoidsAnswer, content)
            effect = answer["effect"]
            if answer["skipped"]:
                hint(f"Voided before: {', '.join(answer['skipped'])}.")
        if as_json:
            say_json(content)
        else:
            show_effect(service, effect)


def correct(
    session_id: Replaced,
    files: Files,
    *,
    reason: ReasonOrFiles = None,
    note: Note = None,
    dry_run: OnlyTry = False,
    sheet_name: SheetName = None,
    score: RuleBook = None,
    players: Players = None,
    night: Night = None,
    session_date: SessionDate = None,
    game_type: GameTypeOption = "league",
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Replace a session with another, and show who moved. Running it again shows the same."""
    said = _without_none(reason=reason, note=note)
    with open_service(read_settings()) as service:
        if score is not None:
            games = _Games(score, players, night, session_date, game_type)
            claim = orjson.dumps(_night_of(files, games) | said)
        else:
            claim = _claim_of(
                service, session_id, files, said, sheet_name=sheet_name, wait_s=wait_s
            )
        path = path_of("v1", "sessions", session_id, "corrections")
        if dry_run:
            _show_trial(service, f"{path}?dry_run=true", claim, wait_s, as_json=as_json)
            return
        sent = send_until_rated(service, path, claim, wait_s=wait_s)
        answer = service.read(CorrectionAnswer, sent.content)
        if as_json:
            say_json(sent.content)
        else:
            _show_correction(service, session_id, answer, is_new=sent.is_new)
    if answer["status"] == "refused":
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Games:
    """How to read a file of games, and which of its nights is meant."""

    rulebook: str
    players: str | None
    night: str | None
    session_date: str | None
    game_type: GameType


def _night_of(files: list[str], games: _Games) -> dict[str, Any]:
    """Return the session of one night in a file of games."""
    if len(files) != 1:
        raise typer.BadParameter("--score takes one file of games.")
    (file,) = files
    scored = games_in(file, games.rulebook)
    claims = claims_of(file, scored, games.players, games.session_date, games.game_type)
    dates = [claim["session_date"] for claim in claims]
    if games.night is None and len(claims) > 1:
        raise typer.BadParameter(
            f"{file} has several nights. Choose one with --night: {', '.join(dates)}."
        )
    found = [claim for claim in claims if games.night in {None, claim["session_date"]}]
    if not found:
        raise typer.BadParameter(f"{file} has no night of {games.night}, only {', '.join(dates)}.")
    return found[0]


def _claim_of(
    service: ServiceClient,
    session_id: str,
    files: list[str],
    said: dict[str, Any],
    *,
    sheet_name: str | None,
    wait_s: float,
) -> bytes:
    """Return the claim of one session as it is in JSON, or from score sheets."""
    contents = [(file, read_file(file)) for file in files]
    file, content = contents[0]
    expect(content, file, "workbook", "sheet", "session", wanted="a score sheet or a session")
    if len(contents) == 1 and not is_sheet(content):
        return _with(content, said, file)

    def read(corrects: str) -> dict[str, Any]:
        path = path_of("v1", "sessions", corrects, "corrections", "sheet")
        return joined(
            [
                (
                    file,
                    claim_of_file(service, path, file, each, sheet_name=sheet_name, wait_s=wait_s),
                )
                for file, each in contents
            ]
        )

    try:
        claim = read(session_id)
    except ServiceRefused as refused:
        newest = refused.extra.get("newest")
        if refused.told_code != "already_corrected" or not isinstance(newest, str):
            raise
        # The sheets say the same. If they are a correction already made, which is answered like
        # the first time, the service says so when all of them are sent together.
        claim = read(newest)
    return orjson.dumps(claim | said)


def _show_correction(
    service: ServiceClient, session_id: str, answer: CorrectionAnswer, *, is_new: bool
) -> None:
    show_warnings(news(warned(answer["warnings"]), is_new=is_new))
    show_effect(service, answer["effect"])
    place = f"{answer['session_id']} replaces {session_id}"
    hint(f"{place}; it is {answer['status']}.")


def _show_trial(
    service: ServiceClient, path: str, claim: bytes, wait_s: float, *, as_json: bool
) -> None:
    content = send_until_told(service, path, claim, wait_s=wait_s)
    if as_json:
        say_json(content)
        return
    tried = service.read(CorrectionTrialAnswer, content)
    for warning in tried["warnings"]:
        hint(f"{warning['code']}: {warning['message']}")
    rows = [[place_of(each), each["what"], each["message"]] for each in tried["rounds"]]
    show_table(("round", "what", "words"), rows)
    hint(f"The night is {TRIED[tried['kind']]}. Nothing was recorded.")


def _void_one(
    service: ServiceClient, session_id: str, said: dict[str, Any], wait_s: float
) -> bytes:
    path = path_of("v1", "sessions", session_id, "void")
    return send_until_told(service, path, orjson.dumps(said), wait_s=wait_s)


def _with(claim: bytes, said: dict[str, Any], file: str) -> bytes:
    """Return a claim with what the options say; everything else is sent as it is in the file.

    The service must judge every digit and name itself, not what a reader here makes of them.
    """
    if not said:
        return claim
    try:
        document = orjson.loads(claim)
    except orjson.JSONDecodeError as error:
        raise UnreadableFile(f"{file} is not JSON: {error.msg}.") from None
    if not isinstance(document, dict):
        raise UnreadableFile(f"{file} is not a session: it must be a JSON object with rounds.")
    if twice := sorted(said.keys() & document.keys()):
        raise UnreadableFile(f"{file} also says {' and '.join(twice)}. Say it in one place only.")
    members = orjson.dumps(said).removesuffix(b"}")
    return members + (b"," if document else b"") + claim.lstrip().removeprefix(b"{")


def _without_none(**said: str | None) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value is not None}
