"""A program that serves one slow route, and writes what happens to it; a test sends it signals."""

import asyncio
import sys

import uvloop
from fastapi import FastAPI

from shared.http.wire.server import serve_until_stopped
from tests.http.serving import some_connections


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main() -> None:
    app = FastAPI()
    go_on = asyncio.Event()

    @app.get("/slow")
    async def slow() -> str:
        tell("begun")
        await go_on.wait()
        return "answered"

    def read_line() -> None:
        sys.stdin.readline()
        go_on.set()

    asyncio.get_running_loop().add_reader(sys.stdin, read_line)
    await serve_until_stopped(
        app,
        "127.0.0.1",
        0,
        grace_s=30,
        connections=some_connections(),
        on_ready=lambda port: tell(str(port)),
    )
    tell("returned")


if __name__ == "__main__":
    uvloop.run(main())
