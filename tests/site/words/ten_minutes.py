"""Follows the ten minutes of the page for developers, each command as it stands there."""

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

from tests.log.deadlines import until
from tests.site.words.html import ReadPage

# What the page has in place of an id that only the reader knows.
DOTS = "MJ-..."


async def run_in_shell(folder: Path, command: str, variables: dict[str, str]) -> tuple[int, str]:
    """Run a command in a shell; return the status that curl saw, and what it wrote."""
    # As `curl` of the reader's shell, but that it also tells the status.
    told = 'curl() { command curl -sS -w "%{stderr}%{http_code}" "$@"; }\n'
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euc", told + command),
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "no_proxy": "*", **variables},
    )
    out, status = await process.communicate()
    assert process.returncode == 0, (command, out, status)
    return int(status or 0), out.decode(errors="replace")


async def _no_page(_lines: str) -> None:
    """Put nothing on a page, for want of a browser."""


async def follow_ten_minutes(
    page: ReadPage,
    folder: Path,
    key: str,
    *,
    put_on_page: Callable[[str], Awaitable[None]] = _no_page,
) -> None:
    """Do all that the page says to somebody with a key, and check what comes of it.

    `put_on_page` is given the lines for a page, with the id of a player who stands at 1555.5.
    """
    commands = [each for each in page.code if each.startswith(("cat > night", "curl "))]
    night, dry_run, send, read, history, events, void = commands
    shown, widget = _starting_with(page, "{"), _starting_with(page, "<script ")
    variables = {"MAHJIC_KEY": key}

    async def run(command: str) -> tuple[int, Any]:
        status, out = await run_in_shell(folder, command, variables)
        return status, httpx.Response(200, content=out).json() if out else None

    await run(night)
    status, tried = await run(dry_run)
    assert (status, tried["status"]) == (200, "dry_run")
    status, answer = await run(send)
    assert status == 201
    check_promised(httpx.Response(200, content=shown).json(), answer)
    status, again = await run(send)
    assert (status, again["session_id"]) == (200, answer["session_id"])
    variables |= {"SEQ": str(answer["seq"]), "SESSION_ID": answer["session_id"]}
    variables["PLAYER_ID"] = answer["results"][0]["player_id"]
    status, player = await run(read)
    assert (status, player["rating"]) == (200, 1500 + 55.5)
    status, changes = await run(history)
    assert (status, len(changes["changes"])) == (200, 1)
    assert DOTS in widget
    await put_on_page(widget.replace(DOTS, variables["PLAYER_ID"]))

    async def is_told() -> bool:
        status, told = await run(events)
        assert status == 200
        return [each["type"] for each in told["events"]] == ["session.rated"]

    await until(is_told)
    status, voided = await run(void)
    assert (status, voided["status"]) == (201, "voided")


def _starting_with(page: ReadPage, beginning: str) -> str:
    (found,) = [each for each in page.code if each.startswith(beginning)]
    return found


def check_promised(promised: Any, answer: Any) -> None:
    """Check that what the page shows of the answer is in the answer."""
    assert promised["status"] == answer["status"]
    assert len(promised["results"]) == len(answer["results"]) == 4
    for each, got in zip(promised["results"], answer["results"], strict=True):
        assert each == {name: got[name] for name in each}
    # By hand: K is 32 and 0.5 is expected of everyone, so 3 x 16 and the points, 45 / 50,
    # 80 / 50 and 375 / 50, of which only 5 count.
    assert promised["results"][0]["rating_change"] == 48 + 0.9 + 1.6 + 5
