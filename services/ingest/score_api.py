"""The route that scores games kept by hand, `POST /v1/score/{rulebook}`. It records nothing."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Final, Literal, NotRequired, cast

from fastapi import Path, Query, Request
from pydantic import AfterValidator, Field, TypeAdapter
from starlette.responses import Response
from typing_extensions import TypedDict

from services.ingest.claim.claims import Claimed, SessionClaim
from services.ingest.claim.openapi import json_body
from services.ingest.claim.people import one_spelling, what_is_wrong
from shared.documents import parse_strictly
from shared.errors import MISTAKES_MAX, MahjicError
from shared.http.bodies import read_text_or_json_body
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.limits import DATE_CHARACTERS_MAX, NAME_CHARACTERS_MAX, TEXT_CHARACTERS_MAX
from shared.mistakes import pointer
from shared.scoring.games import Game, GameType, ScoredGames, sessions_of, shared_addresses
from shared.scoring.lines import read_date, read_text
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.scoring.table import DECIMALS, TableRow, table_of
from shared.settings import Settings

PLAYERS_MAX: Final = 1_000
WHOLE_MAX: Final = 1 << 53
# The longest games take a second. A wait longer than this means that the line never ends.
TURN_S_MAX: Final = 10.0

GAMES_EXAMPLE: Final = "2026-01-31\nAnn Bea Cy Di\n3 - - d\n- - - -\n"


class ScoresBusy(MahjicError):
    """More games are coming in than the service can score."""

    code = "scores_busy"
    title = "The service has more games than it can score"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "The service is busy scoring other games, so these were not scored. Send them "
            "again in a few seconds.",
            headers={"Retry-After": "5"},
        )


def _date(text: str) -> str:
    if read_date(text) is None:
        raise ValueError("Write a calendar date as YYYY-MM-DD.")
    return text


class ScoresClaim(Claimed):
    """Games kept by hand, and what makes a session of them."""

    games: str = Field(
        description=("The games, in the format of the rule book: see docs/scoring.md.")
    )
    players: dict[str, Annotated[str, Field(max_length=TEXT_CHARACTERS_MAX)]] = Field(
        default_factory=dict,
        max_length=PLAYERS_MAX,
        description="For a session: an email address, `PRIVATE:` or `ANON:` for each name.",
    )
    session_date: (
        Annotated[str, Field(max_length=DATE_CHARACTERS_MAX), AfterValidator(_date)] | None
    ) = Field(default=None, description="The date for games that have none, YYYY-MM-DD.")
    game_type: GameType = Field(default="league", description="The game type of the sessions.")


class ScoredPlayer(TypedDict):
    """A line of the table; numbers have at most four decimals, and averages need a game."""

    name: Annotated[str, Field(description="The player's name; `*` is everyone together.")]
    game_count: int
    win_count: int
    win_fraction: float | None
    net_score: float
    net_score_per_game: float | None


class ScoredGame(TypedDict):
    """What one game brought."""

    line: Annotated[int, Field(description="The line of the game in the file, from 1.")]
    date: str | None
    winner: str | None
    points: Annotated[
        dict[str, float], Field(description="What each player got, in seating order.")
    ]


class ScoresWarning(TypedDict):
    """Something that is odd, but does not keep the games from making a session."""

    pointer: str
    line: Annotated[int | None, Field(description="The line in the games, from 1.")]
    code: str
    message: str


class Scores(TypedDict):
    """What games come to under a rule book."""

    rulebook: str
    players: Annotated[list[ScoredPlayer], Field(description="Best average first, `*` last.")]
    games: list[ScoredGame]
    sessions: NotRequired[
        Annotated[
            list[SessionClaim] | None,
            Field(
                description="With `?session=true`: a claim for `POST /v1/sessions` for each date."
            ),
        ]
    ]
    warnings: NotRequired[
        Annotated[
            list[ScoresWarning] | None,
            Field(description="With `?session=true`: what looks odd about the sessions."),
        ]
    ]


_CLAIM: Final = TypeAdapter(ScoresClaim)
_EXAMPLE: Final = {
    "games": GAMES_EXAMPLE,
    "players": {
        "Ann": "ann@example.com",
        "Bea": "PRIVATE:bea@example.com",
        "Cy": "cy@example.com",
        "Di": "ANON:Di",
    },
}
_TEXT_BODY: Final = {"schema": {"type": "string"}, "example": GAMES_EXAMPLE}
_JSON_BODY: Final = json_body(ScoresClaim, _EXAMPLE)
_BODY: Final = {**_JSON_BODY, "content": {**_JSON_BODY["content"], "text/plain": _TEXT_BODY}}
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": Scores, "description": "The table, each game, and the sessions if requested."},
    **problem_responses(400, 408, 413, 415, 422),
}


@dataclass(frozen=True, slots=True)
class Scoring:
    """What scoring needs. No one waits longer than `turn_s_max` for the `turn`."""

    settings: Settings
    turn_s_max: float = TURN_S_MAX
    # Scoring takes up the processor, and submitting needs it too.
    turn: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, 1))


async def post_scores(
    request: Request,
    rulebook: Annotated[
        Literal["hong-kong", "hk", "banker", "wright-patterson", "wp", "american"],
        Path(description="The rule book."),
    ],
    scoring: Annotated[Scoring, handed_in(Scoring)],
    *,
    session: Annotated[
        bool, Query(description="Also make a session for each date; needs a JSON body.")
    ] = False,
) -> Response:
    """Score games under a rule book, and return the session they make. Nothing is recorded.

    Mistakes are located by line. The session is not judged until it is submitted.
    """
    settings = scoring.settings
    kind, raw = await read_text_or_json_body(request, bytes_max=settings.scores_bytes_max)
    async with _holding(scoring.turn, scoring.turn_s_max):
        answer = await asyncio.to_thread(
            _score,
            SHORT_NAMES.get(rulebook, rulebook),
            raw,
            is_json=kind == "json",
            with_sessions=session,
            games_max=settings.scored_games_max,
        )
    return private_json(answer)


@asynccontextmanager
async def _holding(turn: asyncio.Semaphore, s_max: float) -> AsyncIterator[None]:
    """Hold the turn to score. Raises ScoresBusy if it does not come in time."""
    try:
        async with asyncio.timeout(s_max):
            await turn.acquire()
    except TimeoutError:
        raise ScoresBusy from None
    try:
        yield
    finally:
        turn.release()


def _score(
    rulebook: str,
    raw: bytes,
    *,
    is_json: bool,
    with_sessions: bool,
    games_max: int,
) -> Scores:
    """Return what the games of a body come to. Raises InvalidScores or ClaimRefused."""
    try:
        claim = parse_strictly(_CLAIM, raw) if is_json else ScoresClaim(games=read_text(raw))
        scored = RULE_BOOKS[rulebook](claim.games)
        _check_size(scored, games_max)
        answer = _answer(rulebook, scored)
        if with_sessions:
            _add_sessions(answer, scored, claim)
    except InvalidScores as error:
        if is_json:
            raise
        # The body holds only the games.
        whole = (replace(each, pointer="") for each in error.mistakes)
        raise InvalidScores(whole) from None
    return answer


def _add_sessions(answer: Scores, scored: ScoredGames, claim: ScoresClaim) -> None:
    _check_addresses(claim.players)
    addresses = one_spelling(claim.players)
    sessions = sessions_of(
        scored,
        addresses,
        game_type=claim.game_type,
        session_date=read_date(claim.session_date) if claim.session_date else None,
    )
    odd = itertools.islice(shared_addresses(scored, addresses), MISTAKES_MAX)
    # Games kept by hand are a whole night, like a file of them.
    nights = [{**each, "whole_night": True} for each in sessions]
    # They are written as they are sent; the model describes them.
    answer["sessions"] = cast("list[SessionClaim]", nights)
    answer["warnings"] = [_warning(each) for each in odd]


def _warning(odd: ScoreFileMistake) -> ScoresWarning:
    return {"line": odd.line, "code": odd.code, "message": odd.message, "pointer": odd.pointer}


def _check_addresses(players: Mapping[str, str]) -> None:
    """Check that every name belongs to someone. Raises InvalidScores."""
    judged = {name: what_is_wrong(text) for name, text in players.items()}
    mistakes = [
        ScoreFileMistake(None, *wrong, pointer(["players", name]))
        for name, wrong in judged.items()
        if wrong is not None
    ]
    if mistakes:
        raise InvalidScores(mistakes)


def _check_size(scored: ScoredGames, games_max: int) -> None:
    """Check that the answer will not be much longer than the request. Raises InvalidScores."""
    mistakes = []
    if any(len(name) > NAME_CHARACTERS_MAX for name in scored.players):
        what = f"A name has more than {NAME_CHARACTERS_MAX} characters."
        mistakes.append(ScoreFileMistake(None, "too_long", what))
    if len(scored.players) > PLAYERS_MAX:
        what = f"There are more than {PLAYERS_MAX} players. Score the games in several parts."
        mistakes.append(ScoreFileMistake(None, "too_many_players", what))
    if len(scored.games) > games_max:
        what = f"There are more than {games_max} games. Score them in several parts."
        line = scored.games[games_max].line
        mistakes.append(ScoreFileMistake(line, "too_many_games", what))
    if mistakes:
        raise InvalidScores(mistakes)


def _answer(rulebook: str, scored: ScoredGames) -> Scores:
    return {
        "rulebook": rulebook,
        "players": [_player(row) for row in table_of(scored)],
        "games": [_game(game) for game in scored.games],
    }


def _player(row: TableRow) -> ScoredPlayer:
    return {
        "name": row.name,
        "game_count": row.game_count,
        "win_count": row.win_count,
        "win_fraction": _average(row.win_fraction),
        "net_score": _rounded(row.net_score),
        "net_score_per_game": _average(row.net_score_per_game),
    }


def _game(game: Game) -> ScoredGame:
    return {
        "line": game.line,
        "date": None if game.date is None else game.date.isoformat(),
        "winner": game.winner,
        "points": {name: _number(points) for name, points in game.points.items()},
    }


def _rounded(number: Fraction) -> int | float:
    return _number(round(number, DECIMALS))


def _average(number: Fraction | None) -> int | float | None:
    return None if number is None else _rounded(number)


def _number(number: Fraction) -> int | float:
    """Return a number for JSON: a float beyond the whole numbers that every reader can handle."""
    is_whole = number.denominator == 1 and abs(number) < WHOLE_MAX
    return number.numerator if is_whole else float(number)


SCORE_ROUTES: Final = (
    Route(
        "POST",
        "/v1/score/{rulebook}",
        post_scores,
        "Score games counted by hand",
        tag="score",
        operation_id="score_games",
        responses=_RESPONSES,
        extra={"requestBody": _BODY},
    ),
)
