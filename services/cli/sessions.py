"""The commands that void and correct sessions, for their source and the operator."""

from typing import Annotated, Any

import orjson
import typer

from services.cli.client import Service, open_service, path_of
from services.cli.effects import Note, Wait, show_effect
from services.cli.options import AsJson, read_settings
from services.cli.output import hint, say_json
from services.cli.sending import send_until_rated, send_until_told
from services.cli.submit import UnreadableFile, Warned, news, read_file, show_warnings
from shared.answers.effects import CorrectionAnswer, VoidAnswer, VoidsAnswer
from shared.events.facts import Reason


def void(
    session_ids: Annotated[
        list[str],
        typer.Argument(metavar="SESSION", help="Their ids; several take an operator's key."),
    ],
    *,
    reason: Annotated[Reason, typer.Option(help="Why.")],
    note: Note = None,
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Leave sessions out, all of them or none, and show who moved. Again, it shows the same."""
    said = _without_none(reason=reason, note=note)
    with open_service(read_settings()) as service:
        if len(session_ids) == 1:
            content = _void_one(service, session_ids[0], said, wait_s)
            effect = service.read(VoidAnswer, content).effect
        else:
            body = orjson.dumps({"session_ids": session_ids, **said})
            content = send_until_told(service, "/v1/admin/sessions/void", body, wait_s=wait_s)
            answer = service.read(VoidsAnswer, content)
            effect = answer.effect
            if answer.skipped:
                hint(f"Voided before: {', '.join(answer.skipped)}.")
        if as_json:
            say_json(content)
        else:
            show_effect(service, effect)


def correct(
    session_id: Annotated[str, typer.Argument(metavar="SESSION", help="The id of the old one.")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The new session as JSON; - for stdin.")
    ],
    *,
    reason: Annotated[
        Reason | None, typer.Option(help="Why; else the file says it, or it is wrong_result.")
    ] = None,
    note: Note = None,
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Put a whole session in the place of another, and show who moved. Again, it shows the same."""
    claim = _with(read_file(file), _without_none(reason=reason, note=note), file)
    with open_service(read_settings()) as service:
        path = path_of("v1", "sessions", session_id, "corrections")
        sent = send_until_rated(service, path, claim, wait_s=wait_s)
        answer = service.read(CorrectionAnswer, sent.content)
        if as_json:
            say_json(sent.content)
        else:
            warnings = [Warned(code=each.code, message=each.message) for each in answer.warnings]
            show_warnings(news(warnings, is_new=sent.is_new))
            show_effect(service, answer.effect)
            place = f"{answer.session_id} stands in the place of {session_id}"
            hint(f"{place}; it is {answer.status}.")
    if answer.status == "refused":
        raise typer.Exit(1)


def _void_one(service: Service, session_id: str, said: dict[str, Any], wait_s: float) -> bytes:
    path = path_of("v1", "sessions", session_id, "void")
    return send_until_told(service, path, orjson.dumps(said), wait_s=wait_s)


def _with(claim: bytes, said: dict[str, Any], file: str) -> bytes:
    """Return a claim with what the options say; all else is sent as it stands in the file.

    The service shall judge every digit and name of it, and not what a reader here makes of them.
    """
    if not said:
        return claim
    try:
        document = orjson.loads(claim)
    except orjson.JSONDecodeError as error:
        raise UnreadableFile(f"{file} is not JSON: {error.msg}.") from None
    if not isinstance(document, dict):
        raise UnreadableFile(f"{file} is no session: a JSON object with its rounds.")
    if twice := sorted(said.keys() & document.keys()):
        raise UnreadableFile(f"{file} says {' and '.join(twice)} too. Say it in one place.")
    members = orjson.dumps(said).removesuffix(b"}")
    return members + (b"," if document else b"") + claim.lstrip().removeprefix(b"{")


def _without_none(**said: str | None) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value is not None}
