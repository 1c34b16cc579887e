"""The command that submits a session and shows who moved.

Its requests carry a key made from the claim, so the same file counts once no matter how often it is
sent, and can be sent again whenever an answer is lost or late.
"""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from services.cli.nights.kinds import expect
from services.cli.nights.repeated import correcting, show_night
from services.cli.nights.trying import SESSIONS, try_claim
from services.cli.nights.warned import Warned, by_option, show_warnings, warned
from services.cli.terminal.client import ServiceClient, ServiceRefused, open_service
from services.cli.terminal.options import (
    AsJson,
    DryRun,
    IfSimilar,
    WaitForRatings,
    read_settings,
)
from services.cli.terminal.output import (
    hint,
    is_terminal,
    or_dash,
    points,
    say_json,
    show_table,
    signed,
)
from services.cli.terminal.sending import Sent, send_until_rated, with_query
from shared.answers.sessions import PlayerAnswer, SessionAnswer, SubmittedSession
from shared.errors import MahjicError

COLUMNS: Final = ("player", "mahjic_id", "rating_before", "rating_after", "rating_change")
VERIFIED_COLUMNS: Final = (
    "verified_rating_before",
    "verified_rating_after",
    "verified_rating_change",
)


# The exit code when a session has since been voided or corrected, so that nothing counts.
NOTHING_COUNTED: Final = 4
ALREADY_RECORDED: Final = "already_recorded"
ENDED: Final = frozenset({"voided", "corrected"})


class UnreadableFile(MahjicError):
    """The file of a claim cannot be read."""

    code = "unreadable_file"
    title = "The file cannot be read"


def submit(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A session as JSON; - for stdin.")],
    wait_s: WaitForRatings = 60,
    dry_run: DryRun = False,
    if_similar: IfSimilar = None,
    as_json: AsJson = False,
) -> None:
    """Submit a session, and show who moved. The same file sent again counts once. Ends with 4 if
    the session has since been voided or corrected, so that nothing in it counts.
    """
    claim = read_file(file)
    expect(claim, file, "session", wanted="a session as JSON")
    with open_service(read_settings()) as service:
        try:
            if dry_run:
                try_claim(
                    service,
                    claim,
                    wait_s=wait_s,
                    if_similar=if_similar,
                    as_json=as_json,
                    has_options=False,
                )
                return
            sent = submit_claim(service, claim, wait_s=wait_s, if_similar=if_similar)
        except ServiceRefused as refused:
            allow = 'put "allow_duplicate": true in the file'
            if as_json or not show_night(refused, correcting(file), allow=allow):
                raise
            raise typer.Exit(1) from None
        answer = service.read(SessionAnswer, sent.content)
    told = warned(answer["warnings"])
    show_sent(answer, told, sent, as_json=as_json, has_options=False)
    if code := exit_code_of(answer):
        raise typer.Exit(code)


def submit_claim(
    service: ServiceClient, claim: bytes, *, wait_s: float, if_similar: str | None = None
) -> Sent:
    """Submit a session until it is rated or the time is up, and return the last answer.

    Raises ServiceRefused; or ServiceUnreachable, at once if nothing answers at the start.
    """
    key = f"mahjic-{hashlib.sha256(claim).hexdigest()}"
    headers = {"Idempotency-Key": key}
    path = with_query(SESSIONS, if_similar=if_similar)
    return send_until_rated(service, path, claim, wait_s=wait_s, headers=headers)


def read_file(file: str) -> bytes:
    """Return what is in a file, or on stdin for a dash. Raises UnreadableFile."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnreadableFile(f"{file} cannot be read: {reason}.") from error


def show_sent(
    answer: SubmittedSession,
    warnings: Sequence[Warned],
    sent: Sent,
    *,
    as_json: bool,
    has_options: bool = True,
) -> None:
    """Show the answer to a submission, or print it as it came.

    `has_options` says if the command has an option for what a JSON file says itself.
    """
    if as_json:
        say_json(sent.content)
    else:
        told = by_option(warnings) if has_options else warnings
        _show_submitted(answer, news(told, is_new=sent.is_new))


def exit_code_of(answer: SubmittedSession) -> int:
    """Return the exit code of the command: 0 when the session counts."""
    if answer["status"] in ENDED:
        return NOTHING_COUNTED
    return int(answer["status"] == "refused")


def news(warnings: Sequence[Warned], *, is_new: bool) -> list[Warned]:
    """Return the warnings without those that this same sending caused."""
    return [each for each in warnings if not is_new or each.code != ALREADY_RECORDED]


def _show_submitted(answer: SubmittedSession, warnings: Sequence[Warned]) -> None:
    """Show who moved, unless nothing has been rated yet or nothing in it counts anymore."""
    show_warnings(warnings)
    if answer["status"] in ENDED:
        return
    if answer["status"] == "accepted":
        hint(f"{answer['session_id']} is recorded and counts; it is not rated yet.")
        hint("Submit the same file again later to see the ratings.")
        return
    has_verified = any(moved["verified_rating_change"] for moved in answer["results"])
    columns = COLUMNS + VERIFIED_COLUMNS if has_verified or not is_terminal() else COLUMNS
    rows = [_cells(moved)[: len(columns)] for moved in answer["results"]]
    show_table(columns, rows, numbers=columns[2:])
    hint(
        f"{answer['session_id']} is {answer['status']}. Its seq, for --min-seq, is {answer['seq']}."
    )


def _cells(moved: PlayerAnswer) -> Sequence[str]:
    return (
        moved["player"] or moved["player_id"],
        or_dash(moved["mahjic_id"]),
        points(moved["rating_before"]),
        points(moved["rating_after"]),
        signed(moved["rating_change"]),
        points(moved["verified_rating_before"]),
        points(moved["verified_rating_after"]),
        signed(moved["verified_rating_change"]),
    )
