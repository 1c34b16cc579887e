"""The command that scores games that were kept by hand, and makes sessions of them.

A file with a mistake leaves nothing behind: no table is written, and no session is sent.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import typer

from services.cli.client import Service, open_service
from services.cli.options import AsJson, IfSimilar, read_settings
from services.cli.output import hint, say, say_json
from services.cli.submit import Submitted, exit_code_of, read_file, show_sent, submit_claim
from services.ingest.people import one_spelling, what_is_wrong
from shared.errors import MahjicError
from shared.scoring.games import GameType, ScoredGames, sessions_of, shared_addresses
from shared.scoring.lines import read_date, read_text
from shared.scoring.mistakes import InvalidScores
from shared.scoring.players_file import read_players
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.scoring.table import table_of, table_tsv

T = TypeVar("T")

STDIN: Final = "-"


class UnwritableFile(MahjicError):
    """The table of a file of scores cannot be written beside it."""

    code = "unwritable_file"
    title = "The file cannot be written"


def score(
    rulebook: Annotated[
        Literal["hk", "banker", "wp"],
        typer.Argument(help="The rule book: Hong Kong, banker or Wright-Patterson."),
    ],
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="The scores; - for stdin, and the table to stdout."),
    ],
    *,
    session: Annotated[
        bool, typer.Option("--session", help="Print the session of each date, as JSON in a line.")
    ] = False,
    players: Annotated[
        str | None,
        typer.Option("--players", metavar="MAP", help="A file with the address of each name."),
    ] = None,
    session_date: Annotated[
        str | None,
        typer.Option("--date", metavar="YYYY-MM-DD", help="The date of games without one."),
    ] = None,
    game_type: Annotated[
        GameType, typer.Option("--game-type", help="What the sessions are.")
    ] = "league",
    submit: Annotated[
        bool, typer.Option("--submit", help="Submit each session, and show who moved.")
    ] = False,
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, max=3600, help="Wait for ratings.")
    ] = 60,
    if_similar: IfSimilar = None,
    as_json: AsJson = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-v",
            help="Print the version.",
            is_eager=True,
            callback=lambda is_asked: _print_version() if is_asked else None,
        ),
    ] = False,
) -> None:
    """Score games kept by hand into FILE.tsv, or make sessions of them.

    docs/scoring.md shows what the files look like. The same file sent again counts once.
    """
    scored = _in_file(file, RULE_BOOKS[SHORT_NAMES[rulebook]])
    if not session and not submit:
        if players is not None or session_date is not None:
            raise typer.BadParameter("--players and --date go with --session or --submit.")
        _write_table(file, scored)
        if file == STDIN:
            typer.echo(table_tsv(table_of(scored)), nl=False)
        return
    claims = _claims(file, scored, players, session_date, game_type)
    if not submit:
        _write_table(file, scored)
        for claim in claims:
            say_json(claim)
        return
    with open_service(read_settings()) as service:
        service.check_key()
        _write_table(file, scored)
        _submit(service, claims, wait_s=wait_s, if_similar=if_similar, as_json=as_json)


def _claims(
    file: str,
    scored: ScoredGames,
    players: str | None,
    session_date: str | None,
    game_type: GameType,
) -> list[bytes]:
    """Return the session of each date as JSON; the same games give the same bytes."""
    if players is None:
        raise typer.BadParameter("A session needs --players MAP: who stands behind each name.")
    if file == players == STDIN:
        raise typer.BadParameter("Scores and players cannot both come through stdin.")
    day = None if session_date is None else read_date(session_date)
    if session_date is not None and day is None:
        raise typer.BadParameter("Write a date as YYYY-MM-DD.", param_hint="--date")
    addresses = one_spelling(_in_file(players, partial(read_players, judge=what_is_wrong)))
    with _told_of(file):
        claims = sessions_of(scored, addresses, game_type=game_type, session_date=day)
    for each in shared_addresses(scored, addresses):
        hint(f"line {each.line}: {each.code}: {each.message}")
    return [json.dumps(claim, ensure_ascii=False).encode() for claim in claims]


def _in_file(file: str, read: Callable[[str], T]) -> T:
    """Return what a file says. Raises UnreadableFile, or InvalidScores with its name."""
    raw = read_file(file)
    with _told_of(file):
        return read(read_text(raw))


@contextmanager
def _told_of(file: str) -> Iterator[None]:
    try:
        yield
    except InvalidScores as error:
        raise InvalidScores(error.mistakes, file=file) from None


def _write_table(file: str, scored: ScoredGames) -> None:
    """Write the table beside the file; scores that came through a pipe have no place for one."""
    if file == STDIN:
        return
    place = f"{file}.tsv"
    try:
        Path(place).write_bytes(table_tsv(table_of(scored)).encode())
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnwritableFile(f"{place} cannot be written: {reason}.") from error
    hint(f"{place} is written.")


def _submit(
    service: Service,
    claims: Sequence[bytes],
    *,
    wait_s: float,
    if_similar: str | None,
    as_json: bool,
) -> None:
    """Submit one session after the other, and fail at the end if any of them does not count."""
    codes: set[int] = set()
    for number, claim in enumerate(claims):
        try:
            sent = submit_claim(service, claim, wait_s=wait_s, if_similar=if_similar)
        except MahjicError:
            hint(f"{number} of {len(claims)} sessions are recorded. The same command sends the")
            hint("rest once that is mended; what is recorded counts once.")
            raise
        answer = service.read(Submitted, sent.content)
        show_sent(answer, sent, as_json=as_json)
        codes.add(exit_code_of(answer))
    # A refusal says more than a session that no longer counts.
    if code := min(codes - {0}, default=0):
        raise typer.Exit(code)


def _print_version() -> None:
    say(f"mahjic score version {version('mahjic')}")
    raise typer.Exit
