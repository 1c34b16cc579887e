"""The command that scores games counted by hand, and makes sessions from them.

A file with a mistake leaves nothing behind: no table is written, and no session is sent.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer

from services.cli.nights.kinds import expect
from services.cli.nights.repeated import correcting, show_night
from services.cli.nights.submit import exit_code_of, read_file, show_sent, submit_claim
from services.cli.nights.trying import try_claim
from services.cli.nights.warned import warned
from services.cli.terminal.client import ServiceClient, ServiceRefused, open_service
from services.cli.terminal.options import (
    AsJson,
    DryRun,
    IfSimilar,
    WaitForRatings,
    read_settings,
)
from services.cli.terminal.output import hint, say, say_json, tell
from services.ingest.claim.people import one_spelling, what_is_wrong
from shared.answers import SessionAnswer
from shared.errors import MahjicError
from shared.scoring.games import GameType, ScoredGames, sessions_of, shared_addresses
from shared.scoring.lines import read_date, read_text
from shared.scoring.mistakes import InvalidScores
from shared.scoring.players_file import read_players
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.scoring.table import table_of, table_tsv

STDIN: Final = "-"
# An invalid key, too many requests, a busy service: the next night would fare the same.
ABOUT_ALL_NIGHTS: Final = frozenset({401, 403, 404, 405, 429, 502, 503, 504})


class UnwritableFile(MahjicError):
    """The table cannot be written next to the file of scores."""

    code = "unwritable_file"
    title = "The file cannot be written"


RuleBook: TypeAlias = Annotated[
    Literal["hk", "banker", "wp", "american"],
    typer.Argument(help="The rule book: Hong Kong, banker, Wright-Patterson or American."),
]
File: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help=("The scores; - reads stdin and prints the table to stdout.")
    ),
]
PrintSession: TypeAlias = Annotated[
    bool, typer.Option("--session", help="Print a session for each date, as one line of JSON.")
]
Players: TypeAlias = Annotated[
    str | None,
    typer.Option("--players", metavar="MAP", help="A file with the address of each name."),
]
SessionDate: TypeAlias = Annotated[
    str | None,
    typer.Option("--date", metavar="YYYY-MM-DD", help="The date for games that have none."),
]
GameTypeOption: TypeAlias = Annotated[
    GameType, typer.Option("--game-type", help="The game type of the sessions.")
]
Submit: TypeAlias = Annotated[
    bool, typer.Option("--submit", help="Submit each session, and show whose rating moved.")
]
AllowDuplicate: TypeAlias = Annotated[
    bool, typer.Option("--allow-duplicate", help="Record nights even though they are on record.")
]
PrintVersion: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--version",
        "-v",
        help="Print the version.",
        is_eager=True,
        callback=lambda is_asked: _print_version() if is_asked else None,
    ),
]


@dataclass(frozen=True, slots=True)
class Sending:
    """How nights are sent. `way_back` has the arguments of a command that reads the file again."""

    way_back: Sequence[str]
    wait_s: float
    if_similar: str | None
    is_trial: bool
    as_json: bool


def score(
    rulebook: RuleBook,
    file: File,
    *,
    session: PrintSession = False,
    players: Players = None,
    session_date: SessionDate = None,
    game_type: GameTypeOption = "league",
    submit: Submit = False,
    allow_duplicate: AllowDuplicate = False,
    wait_s: WaitForRatings = 60,
    dry_run: DryRun = False,
    if_similar: IfSimilar = None,
    as_json: AsJson = False,
    _version: PrintVersion = False,
) -> None:
    """Score games counted by hand into FILE.tsv, or make sessions from them.

    docs/scoring.md shows what the files look like. The same file sent again counts once.
    """
    scored = games_in(file, rulebook)
    if not session and not submit:
        if players is not None or session_date is not None:
            raise typer.BadParameter("--players and --date need --session or --submit.")
        _write_table(file, scored)
        if file == STDIN:
            typer.echo(table_tsv(table_of(scored)), nl=False)
        return
    # A file of games has each whole night.
    also = {"whole_night": True} | ({"allow_duplicate": True} if allow_duplicate else {})
    nights = [claim | also for claim in claims_of(file, scored, players, session_date, game_type)]
    if submit:
        way_back = [file, "--score", rulebook, "--players", str(players), "--game-type", game_type]
        way_back += [] if session_date is None else ["--date", session_date]
        _submit(file, scored, nights, Sending(way_back, wait_s, if_similar, dry_run, as_json))
        return
    _write_table(file, scored)
    for night in nights:
        say_json(_json(night))


def games_in(file: str, rulebook: str) -> ScoredGames:
    """Return the games in a file under a rule book, by its short name.

    Raises OtherKindOfFile, UnreadableFile or InvalidScores.
    """
    raw = read_file(file)
    expect(raw, file, "games", wanted="a file of games")
    with _told_of(file):
        return RULE_BOOKS[SHORT_NAMES[rulebook]](read_text(raw))


def claims_of(
    file: str,
    scored: ScoredGames,
    players: str | None,
    session_date: str | None,
    game_type: GameType,
) -> list[dict[str, Any]]:
    """Return the session of each date; the same games give the same sessions."""
    if players is None:
        raise typer.BadParameter("A session needs --players MAP, which says who each name is.")
    if file == players == STDIN:
        raise typer.BadParameter("Scores and players cannot both come from stdin.")
    day = None if session_date is None else read_date(session_date)
    if session_date is not None and day is None:
        raise typer.BadParameter("Write a date as YYYY-MM-DD.", param_hint="--date")
    raw = read_file(players)
    with _told_of(players):
        addresses = one_spelling(read_players(read_text(raw), judge=what_is_wrong))
    with _told_of(file):
        claims = sessions_of(scored, addresses, game_type=game_type, session_date=day)
    for each in shared_addresses(scored, addresses):
        hint(f"line {each.line}: {each.code}: {each.message}")
    return claims


def _json(claim: Mapping[str, Any]) -> bytes:
    return json.dumps(claim, ensure_ascii=False).encode()


@contextmanager
def _told_of(file: str) -> Iterator[None]:
    try:
        yield
    except InvalidScores as error:
        raise InvalidScores(error.mistakes, file=file) from None


def _write_table(file: str, scored: ScoredGames) -> None:
    """Write the table next to the file; scores from a pipe have no place for one."""
    if file == STDIN:
        return
    place = f"{file}.tsv"
    try:
        Path(place).write_bytes(table_tsv(table_of(scored)).encode())
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnwritableFile(f"{place} cannot be written: {reason}.") from error
    hint(f"Wrote {place}.")


def _submit(
    file: str, scored: ScoredGames, nights: Sequence[Mapping[str, Any]], sending: Sending
) -> None:
    """Submit one night after the other, no matter what became of those before.

    It fails at the end if any of them does not count, and at once if none would be accepted.
    """
    with open_service(read_settings()) as service:
        service.check_key()
        if not sending.is_trial:
            _write_table(file, scored)
        codes = [_submit_night(service, night, sending) for night in nights]
    # A refusal matters more than a session that no longer counts.
    if code := min(set(codes) - {0}, default=0):
        if not sending.is_trial:
            counted = f"{codes.count(0)} of {len(nights)} sessions are recorded."
            hint(f"{counted} The same command sends the")
            hint("others once they are fixed; what is recorded counts only once.")
        raise typer.Exit(code)


def _submit_night(service: ServiceClient, night: Mapping[str, Any], sending: Sending) -> int:
    """Submit or try a night, and return the exit code for the result."""
    day, claim = night["session_date"], _json(night)
    wait_s, if_similar, as_json = sending.wait_s, sending.if_similar, sending.as_json
    try:
        if sending.is_trial:
            if not as_json:
                hint(f"{day}:")
            try_claim(service, claim, wait_s=wait_s, if_similar=if_similar, as_json=as_json)
            return 0
        sent = submit_claim(service, claim, wait_s=wait_s, if_similar=if_similar)
    except ServiceRefused as refused:
        if refused.extra.get("status") in ABOUT_ALL_NIGHTS:
            raise
        way = correcting(*sending.way_back, "--night", day)
        if as_json or not show_night(refused, way, day=f"{day}: "):
            tell(f"{day}: {refused.told_code}", refused)
        return refused.exit_code
    answer = service.read(SessionAnswer, sent.content)
    if not as_json:
        hint(f"{day}:")
    show_sent(answer, warned(answer["warnings"]), sent, as_json=as_json)
    return exit_code_of(answer)


def _print_version() -> None:
    say(f"mahjic score version {version('mahjic')}")
    raise typer.Exit
