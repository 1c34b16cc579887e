"""The service that is measured, with routes beside its own that show the limits: a validated echo,
and the leaderboard out of a Redis sorted set.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import redis.asyncio
import uvloop
from fastapi import Depends, Request
from starlette.responses import Response

from bench.rerate import rerating
from bench.shown.board import fill_board, fill_sorted_set
from services.database import open_database
from services.ingest.api import Intake
from services.ingest.claim.reading import read_session
from services.role import build_app
from services.roles import SERVE
from services.serving import run_role
from services.site.reads import Reads
from services.wiring import table_service
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.http.bodies import read_json_body
from shared.http.callers import Caller, require
from shared.http.conditional import public_json
from shared.http.logs import configure_logs
from shared.http.routes import Route, add_routes, handed_in
from shared.settings import Settings

PAGE = 50


async def echo(
    request: Request,
    caller: Annotated[Caller, Depends(require("source"))],
    intake: Annotated[Intake, handed_in(Intake)],
) -> Response:
    """Check a session as the real route does, and send it back."""
    raw = await read_json_body(request, bytes_max=intake.settings.body_bytes_max)
    read_session(raw, source=caller.source or "", today_latest=intake.today_latest())
    return Response(raw, status_code=201, media_type="application/json")


@dataclass(frozen=True)
class SortedSet:
    """Where the board stands as well."""

    store: redis.asyncio.Redis


Board = Annotated[SortedSet, handed_in(SortedSet)]


async def redis_page(request: Request, board: Board) -> Response:
    """Answer with the page as a sorted set has it, without names or privacy."""
    offset = int(request.query_params.get("offset", 0))
    rows: list[tuple[bytes, float]] = await board.store.zrange(  # type: ignore[assignment]
        "board", offset, offset + PAGE - 1, desc=True, withscores=True
    )
    players = [
        {"place": offset + number, "mahjic_id": player.decode(), "rating": rating / 100}
        for number, (player, rating) in enumerate(rows, start=1)
    ]
    return public_json(request, {"board": "global", "players": players}, 5)


async def redis_rank(request: Request, player_id: str, board: Board) -> Response:
    """Answer with the rank as a sorted set has it."""
    score, place = await asyncio.gather(
        board.store.zscore("board", player_id), board.store.zrevrank("board", player_id)
    )
    assert score is not None
    assert place is not None
    return public_json(request, {"id": player_id, "rating": score / 100, "rank": place + 1}, 5)


async def json_leaderboard(request: Request, reads: Reads) -> Response:
    """Answer with what the page of the leaderboard reads."""
    return public_json(request, await reads.boards.leaderboard(limit=PAGE, offset=0), 5)


async def json_player(request: Request, player_id: str, reads: Reads) -> Response:
    """Answer with what the page of a player reads."""
    players = reads.players
    told = {
        "profile": await players.profile(player_id),
        "sessions": await players.sessions(player_id),
        "chart": await players.chart(player_id),
        "met": await players.head_to_head(player_id),
    }
    return public_json(request, told, 5)


JSON_ROUTES = (
    Route("GET", "/bench/json/leaderboard", json_leaderboard),
    Route("GET", "/bench/json/players/{player_id}", json_player),
)
ECHO_ROUTES = (Route("POST", "/bench/echo", echo, status=201),)
REDIS_ROUTES = (
    Route(
        "GET",
        "/bench/redis/leaderboard",
        redis_page,
        extra={"parameters": [{"name": "offset", "in": "query"}]},
    ),
    Route("GET", "/bench/redis/rank/{player_id}", redis_rank),
)


async def main() -> None:
    """Serve until stopped; says `ready PORT KEY` once it answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--players", type=int, default=0, help="Players to fill the board with.")
    parser.add_argument("--redis", help="The socket of a Redis server to fill, too.")
    parser.add_argument(
        "--rerate",
        type=int,
        nargs=2,
        metavar=("PLAYERS", "ROUNDS"),
        help="Rate so long a history again and again meanwhile, in this process.",
    )
    options = parser.parse_args()
    configure_logs()
    settings = Settings(
        data=options.data,
        port=0,
        public_limit_per_minute=10**9,
        source_limit_per_minute=10**9,
        page_limit_per_minute=10**9,
    )
    async with open_database(settings, role="serve") as pool:
        service = table_service(settings, pool)
        now = datetime.now(UTC)
        await add_source(pool, "a-league", SourceDetails("A League", "league", None), now=now)
        _, key = await create_key(pool, "source", "a-league", now=now)
        app = build_app(service, SERVE)
        add_routes(app, ECHO_ROUTES)
        # It is found as quickly as the route that it is compared with.
        app.router.routes.insert(0, app.router.routes.pop())
        if options.players:
            add_routes(app, JSON_ROUTES)
            await fill_board(pool, service.logs.verdicts, options.players)
        if options.redis:
            store = redis.asyncio.Redis(unix_socket_path=options.redis)
            await fill_sorted_set(store, options.players)
            add_routes(app, REDIS_ROUTES, SortedSet(store))
        async with AsyncExitStack() as beside:
            if options.rerate:
                await beside.enter_async_context(
                    rerating(options.data.parent / "rerated", *options.rerate)
                )
            await run_role(SERVE, service, app, lambda port: print("ready", port, key, flush=True))


if __name__ == "__main__":
    uvloop.run(main())
