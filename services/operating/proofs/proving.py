"""Proves everything that can be proved about one installation, and stores how that ended.

First both logs, then what the public sees against the verdicts, then what ingest goes by
against the facts. `mahjic status` says how the last proof ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import asyncpg

from services.operating.as_it_is import BothLogs, open_as_it_is, open_logs_on
from services.operating.proofs import verifying
from services.operating.proofs.proven import LastProof, Outcome, is_kept, keep_proof
from services.operating.proofs.recorded import RecordHeld, hold_record
from services.projections.building.comparing import Difference
from services.projections.building.holding import ViewHeld, hold_view
from services.projections.views import all_views
from shared.errors import MahjicError
from shared.settings import Settings

Progress = Callable[[str, int, int], None]

OLDER: Final = (
    "An older Mahjic wrote this database: only its logs can be compared. Start a service of "
    "this version on it, and verify again."
)
IS_STANDBY: Final = "SELECT pg_is_in_recovery()"


class IsStandby(MahjicError):
    """Verifying builds views next to the live ones, and a standby takes no changes."""

    code = "is_standby"
    title = "The database is a standby"

    def __init__(self) -> None:
        super().__init__(
            "This database is a standby, which takes only what its primary sends, but "
            "verifying builds each view again next to the live one. Verify on the primary."
        )


@dataclass(frozen=True, slots=True)
class Proven:
    """What was found about the logs, about each view, and about what ingest goes by.

    If an older program wrote the tables, there are only the logs.
    """

    logs: verifying.Verified
    views: tuple[ViewHeld, ...] = ()
    record: RecordHeld | None = None

    @property
    def differences(self) -> Sequence[Difference]:
        """Every row and column that is not what it should be, as far as they are listed."""
        shown = [difference for view in self.views for difference in view.differences]
        return shown if self.record is None else [*shown, *self.record.differences]

    @property
    def not_compared(self) -> Sequence[str]:
        """Why nothing can be said about some views, or about anything but the logs."""
        return (
            [OLDER]
            if self.record is None
            else [view.not_compared for view in self.views if view.not_compared is not None]
        )

    @property
    def outcome(self) -> Outcome:
        """How it ended, in one word."""
        if self.differences:
            return "differed"
        return "not_compared" if self.not_compared else "held"

    def as_last(self, ended_at: datetime) -> LastProof:
        """Return what is stored about it."""
        return LastProof(
            ended_at,
            self.outcome,
            fact_seq=self.logs.facts_end.seq,
            verdict_seq=self.logs.verdicts_end.seq,
            differences=len(self.differences),
        )


async def prove(settings: Settings, progress: Progress) -> Proven:
    """Prove everything, while everything else keeps running, and store how that ended.

    Raises IsStandby, NothingThere, and whatever breaks a log or its sums.
    """
    async with open_as_it_is(settings, "verify") as pool:
        if await pool.fetchval(IS_STANDBY):
            raise IsStandby
        async with open_logs_on(settings, pool) as logs:
            try:
                found = await prove_all(pool, logs, progress)
            except MahjicError as error:
                await keep_proof(pool, LastProof(datetime.now(UTC), "failed", error.code))
                raise
        await keep_proof(pool, found.as_last(datetime.now(UTC)))
    return found


async def prove_all(pool: asyncpg.Pool, logs: BothLogs, progress: Progress) -> Proven:
    """Prove the logs, then each view, and then what ingest goes by."""
    verified = await verifying.verify(logs, progress)
    if not await is_kept(pool):
        return Proven(verified)
    views = [
        await hold_view(view, pool=pool, log=logs.verdicts, progress=_of_a_view(progress))
        for view in all_views()
    ]
    return Proven(verified, tuple(views), await hold_record(pool, progress))


def told(proven: Proven) -> Sequence[str]:
    """Return what was proved, and then what was not, in sentences."""
    sentences = list(verifying.told(proven.logs))
    sentences += [
        f"View {view.view}: {view.rows} rows match the verdicts up to {view.seq}."
        for view in proven.views
        if view.not_compared is None and not view.differences
    ]
    record = proven.record
    if record is not None and not record.differences:
        sentences.append(
            f"What ingest goes by: {record.sessions} sessions, their seats and prints, and all "
            f"players match the facts up to {record.fact_seq}."
        )
    return sentences


def _of_a_view(progress: Progress) -> Progress:
    return lambda view, done, total: progress(f"view {view}", done, total)
