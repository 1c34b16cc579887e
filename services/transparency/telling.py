"""Reports how the public logs stand to whoever watches a process that keeps or shows them.

What everybody sees is what counts, so it is read from the folder: also by processes that only show
them, so that it is missed when nobody keeps them.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final, NoReturn

from prometheus_client import CollectorRegistry, Gauge

from services.transparency.folder import TransparencyFolder
from services.transparency.public_logs import PublicLogs
from services.transparency.refusals import PublicLogMisplaced
from services.transparency.standing import standing_of
from services.transparency.witnesses import Witness, read_witnesses

# More often than figures are collected.
LOOK_S: Final = 5.0


async def tell_public_logs(logs: PublicLogs, registry: CollectorRegistry) -> NoReturn:
    """Report how the public logs stand until canceled, if there are any."""
    folder, witnesses = logs.folder, read_witnesses(logs.witnesses)
    if folder is None:
        await asyncio.Event().wait()  # A part never ends by itself.
        raise AssertionError
    figures = _Figures(registry, len(witnesses))
    while True:
        # Whoever keeps them says what is wrong; the last figures stay.
        with contextlib.suppress(OSError, PublicLogMisplaced):
            figures.show(folder, witnesses)
        await asyncio.sleep(LOOK_S)


class _Figures:
    def __init__(self, registry: CollectorRegistry, witnesses: int) -> None:
        self._size = Gauge(
            "mahjic_transparency_size",
            "How many records of a log are in its public log, signed.",
            ["log"],
            registry=registry,
        )
        self._signed_at = Gauge(
            "mahjic_transparency_signed_at_seconds",
            "When the checkpoint of a public log was written, in seconds since 1970.",
            ["log"],
            registry=registry,
        )
        self._cosigned = Gauge(
            "mahjic_transparency_cosigned",
            "How many witnesses have cosigned the checkpoint of a public log.",
            ["log"],
            registry=registry,
        )
        self._stopped = Gauge(
            "mahjic_transparency_stopped",
            "1 while nothing is signed, because a log has another history than was signed.",
            registry=registry,
        )
        asked = Gauge(
            "mahjic_transparency_witnesses",
            "How many witnesses are asked to cosign.",
            registry=registry,
        )
        asked.set(witnesses)

    def show(self, folder: TransparencyFolder, witnesses: Sequence[Witness]) -> None:
        """Show how the logs stand that go on."""
        self._stopped.set(folder.stopped() is not None)
        for key in folder.verifier_keys():
            log = folder.log_of(key)
            standing = standing_of(log, key, witnesses)
            if standing.has_ended or standing.size is None or standing.published is None:
                continue
            name = log.origin.log_name
            self._size.labels(name).set(standing.size)
            self._signed_at.labels(name).set(standing.published.timestamp())
            self._cosigned.labels(name).set(len(standing.cosigned_by))
