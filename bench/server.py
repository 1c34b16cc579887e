"""The service that is measured, with routes beside its own that show the limits: a validated echo,
and the leaderboard out of a Redis sorted set.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import redis.asyncio
import uvloop
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from bench.board import fill_board, fill_sorted_set
from bench.rerate import rerating
from services.database import open_database
from services.ingest.claim.reading import read_session
from services.roles import SERVE, build_app
from services.serving import run_role
from services.wiring import table_service, today_latest
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.http.bodies import read_json_body
from shared.http.callers import Caller, require
from shared.http.conditional import public_json
from shared.http.logs import configure_logs
from shared.settings import Settings

PAGE = 50


def echo_route(settings: Settings) -> APIRouter:
    """Return a route that checks a session as the real one does, and sends it back."""
    router = APIRouter()

    @router.post("/bench/echo", response_model=None)
    async def echo(
        request: Request, caller: Annotated[Caller, Depends(require("source"))]
    ) -> Response:
        raw = await read_json_body(request, bytes_max=settings.body_bytes_max)
        read_session(raw, source=caller.source or "", today_latest=today_latest())
        return Response(raw, status_code=201, media_type="application/json")

    return router


def redis_routes(store: redis.asyncio.Redis) -> APIRouter:
    """Return the page and the rank as a sorted set answers them, without names or privacy."""
    router = APIRouter()

    @router.get("/bench/redis/leaderboard", response_model=None)
    async def page(request: Request) -> Response:
        offset = int(request.query_params.get("offset", 0))
        rows: list[tuple[bytes, float]] = await store.zrange(  # type: ignore[assignment]
            "board", offset, offset + PAGE - 1, desc=True, withscores=True
        )
        players = [
            {"place": offset + number, "mahjic_id": player.decode(), "rating": rating / 100}
            for number, (player, rating) in enumerate(rows, start=1)
        ]
        return public_json(request, {"board": "global", "players": players}, 5)

    @router.get("/bench/redis/rank/{player_id}", response_model=None)
    async def rank(request: Request, player_id: str) -> Response:
        score, place = await asyncio.gather(
            store.zscore("board", player_id), store.zrevrank("board", player_id)
        )
        assert score is not None
        assert place is not None
        return public_json(request, {"id": player_id, "rating": score / 100, "rank": place + 1}, 5)

    return router


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
        data=options.data, port=0, public_limit_per_minute=10**9, source_limit_per_minute=10**9
    )
    async with open_database(settings, role="serve") as pool:
        service = table_service(settings, pool)
        now = datetime.now(UTC)
        await add_source(pool, "a-league", SourceDetails("A League", "league", None), now=now)
        _, key = await create_key(pool, "source", "a-league", now=now)
        app = build_app(service, SERVE)
        app.include_router(echo_route(settings))
        # It is found as quickly as the route that it is compared with.
        app.router.routes.insert(0, app.router.routes.pop())
        if options.players:
            await fill_board(pool, service.logs.verdicts, options.players)
        if options.redis:
            store = redis.asyncio.Redis(unix_socket_path=options.redis)
            await fill_sorted_set(store, options.players)
            app.include_router(redis_routes(store))
        async with AsyncExitStack() as beside:
            if options.rerate:
                await beside.enter_async_context(
                    rerating(options.data.parent / "rerated", *options.rerate)
                )
            await run_role(SERVE, service, app, lambda port: print("ready", port, key, flush=True))


if __name__ == "__main__":
    uvloop.run(main())
