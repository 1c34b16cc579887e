"""The part of a process that keeps the public logs.

What is wrong with them never stops the process that it runs in: sessions are taken and pages shown
in whatever becomes of them. But nothing is signed anymore, and everybody who asks is told so.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NoReturn

import httpx
import structlog

from services.transparency.folder import Standstill, TransparencyFolder
from services.transparency.keeping.following import FollowedLog, LogFollower
from services.transparency.key_files import read_salt_key, read_signing_key
from services.transparency.witnesses import Witness
from shared.errors import MahjicError
from shared.log.port import Log
from shared.tlog.leaves import LogName

# Between two tries to write into a folder that took nothing, or to become the one who keeps it.
RETRY_S: Final = 5.0
# Between two looks whether the operator has begun the logs again.
LOOK_S: Final = 2.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PublicLogRoom:
    """What the public logs are kept with: their folder, the logs, and who cosigns them."""

    folder: TransparencyFolder
    logs: Mapping[LogName, Log]
    witnesses: Sequence[Witness] = field(default=())
    now: Callable[[], datetime] = field(kw_only=True)


async def run_transparency(room: PublicLogRoom | None) -> NoReturn:
    """Keep the public logs until canceled, if there are any."""
    if room is None:
        _log.info("no_public_log")
        await asyncio.Event().wait()  # A part never ends by itself.
        raise AssertionError
    while True:
        try:
            with room.folder.held() as is_held:
                if is_held:
                    await _keep(room)
        except OSError as error:
            _log.error("public_log_not_written", error=type(error).__name__, detail=str(error))
        except MahjicError as error:
            _log.error("public_log_stopped", code=error.code, detail=error.detail)
            await _stand_still(room, error)
        else:
            _log.info("public_log_held_by_another")
        await asyncio.sleep(RETRY_S)


async def _keep(room: PublicLogRoom) -> NoReturn:
    """Follow both logs at once: when one of them may not be signed, neither is."""
    timeout = httpx.Timeout(5.0)
    async with httpx.AsyncClient(trust_env=False, timeout=timeout) as client:
        followers = [
            LogFollower(_followed(room, name, log, client), room.witnesses)
            for name, log in room.logs.items()
        ]
        try:
            async with asyncio.TaskGroup() as tasks:
                for each in followers:
                    tasks.create_task(each.begin())
            room.folder.go_on()
            async with asyncio.TaskGroup() as tasks:
                for each in followers:
                    tasks.create_task(each.follow())
        except ExceptionGroup as group:
            raise _first(group) from None
    raise AssertionError("A part never ends by itself.")


def _followed(
    room: PublicLogRoom, name: LogName, log: Log, client: httpx.AsyncClient
) -> FollowedLog:
    path = room.folder.path
    return FollowedLog(
        log=log,
        folder=room.folder.current(name),
        signing_key=read_signing_key(path),
        salt_key=read_salt_key(path),
        client=client,
        now_s=lambda: room.now().timestamp(),
    )


async def _stand_still(room: PublicLogRoom, error: MahjicError) -> None:
    """Sign nothing anymore, and write down why, until the operator has begun the logs again."""
    begun = _begun(room)
    since = room.now().isoformat(timespec="seconds")
    with contextlib.suppress(OSError):  # The log and the figure have said it already.
        room.folder.stop(Standstill(error.code, error.detail, since))
    while _begun(room) == begun:
        await asyncio.sleep(LOOK_S)


def _begun(room: PublicLogRoom) -> bytes | None:
    """Return which logs there are; None as long as the folder can't be read."""
    with contextlib.suppress(OSError):
        return room.folder.begun()
    return None


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """Return what matters most: a log that may not be signed, before a folder that is full."""
    found = list[Exception]()
    for each in group.exceptions:
        found.append(_first(each) if isinstance(each, ExceptionGroup) else each)
    return next((each for each in found if isinstance(each, MahjicError)), found[0])
