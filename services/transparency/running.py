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
from prometheus_client import CollectorRegistry, Gauge

from services.transparency.folder import Stopped, TransparencyFolder
from services.transparency.following import FollowedLog, LogFollower, LogStanding
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


async def run_transparency(room: PublicLogRoom | None, registry: CollectorRegistry) -> NoReturn:
    """Keep the public logs until canceled, if there are any."""
    if room is None:
        await asyncio.Event().wait()  # A part never ends by itself.
        raise AssertionError
    figures = _Figures(registry, len(room.witnesses))
    while True:
        try:
            with room.folder.held() as is_held:
                if is_held:
                    await _keep(room, figures)
        except OSError as error:
            _log.error("public_log_not_written", error=type(error).__name__, detail=str(error))
        except MahjicError as error:
            figures.stopped.set(1)
            _log.error("public_log_stopped", code=error.code, detail=error.detail)
            await _stand_still(room, error)
        else:
            _log.info("public_log_held_by_another")
        await asyncio.sleep(RETRY_S)


async def _keep(room: PublicLogRoom, figures: "_Figures") -> NoReturn:
    """Follow both logs at once: when one of them may not be signed, neither is."""
    timeout = httpx.Timeout(5.0)
    async with httpx.AsyncClient(trust_env=False, timeout=timeout) as client:
        followers = [
            LogFollower(_followed(room, name, log, client, figures), room.witnesses)
            for name, log in room.logs.items()
        ]
        try:
            async with asyncio.TaskGroup() as tasks:
                for each in followers:
                    tasks.create_task(each.begin())
            room.folder.go_on()
            figures.stopped.set(0)
            async with asyncio.TaskGroup() as tasks:
                for each in followers:
                    tasks.create_task(each.follow())
        except ExceptionGroup as group:
            raise _first(group) from None
    raise AssertionError("A part never ends by itself.")


def _followed(
    room: PublicLogRoom, name: LogName, log: Log, client: httpx.AsyncClient, figures: "_Figures"
) -> FollowedLog:
    def tell(standing: LogStanding) -> None:
        figures.show(name, standing)

    path = room.folder.path
    return FollowedLog(
        log=log,
        folder=room.folder.current(name),
        signing_key=read_signing_key(path),
        salt_key=read_salt_key(path),
        client=client,
        tell=tell,
        now_s=lambda: room.now().timestamp(),
    )


async def _stand_still(room: PublicLogRoom, error: MahjicError) -> None:
    """Sign nothing anymore, and write down why, until the operator has begun the logs again."""
    begun = room.folder.begun()
    since = room.now().isoformat(timespec="seconds")
    with contextlib.suppress(OSError):  # The log and the figure have said it already.
        room.folder.stop(Stopped(error.code, error.detail, since))
    while room.folder.begun() == begun:
        await asyncio.sleep(LOOK_S)


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """Return what matters most: a log that may not be signed, before a folder that is full."""
    found = list[Exception]()
    for each in group.exceptions:
        found.append(_first(each) if isinstance(each, ExceptionGroup) else each)
    return next((each for each in found if isinstance(each, MahjicError)), found[0])


class _Figures:
    """What is told of the public logs to whoever watches the process that keeps them."""

    def __init__(self, registry: CollectorRegistry, witnesses: int) -> None:
        self._size = Gauge(
            "mahjic_transparency_size",
            "How many records of a log are in its signed public log.",
            ["log"],
            registry=registry,
        )
        self._signed_at = Gauge(
            "mahjic_transparency_signed_at_seconds",
            "When a public log was signed last, in seconds since 1970.",
            ["log"],
            registry=registry,
        )
        self._cosigned = Gauge(
            "mahjic_transparency_cosigned",
            "How many witnesses have cosigned the last checkpoint of a public log.",
            ["log"],
            registry=registry,
        )
        self._witnesses = Gauge(
            "mahjic_transparency_witnesses", "How many witnesses are asked.", registry=registry
        )
        self._witnesses.set(witnesses)
        self.stopped = Gauge(
            "mahjic_transparency_stopped",
            "1 while nothing is signed, because a log has another history than was signed.",
            registry=registry,
        )

    def show(self, name: LogName, standing: LogStanding) -> None:
        """Show how far a log is."""
        self._size.labels(name).set(standing.size)
        self._signed_at.labels(name).set(standing.signed_at_s)
        self._cosigned.labels(name).set(standing.cosigned)
