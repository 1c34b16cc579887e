"""The figures of verification, for whoever watches the service."""

import contextlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.verification.room import Database, VerificationRoom
from services.verification.staff.holds import WAITING
from services.verification.work.worker import WorkTally
from shared.db.away import DATABASE_AWAY
from shared.db.retrying import before_retry

LOOK_S: Final = 60.0

READ: Final = f"""
SELECT (SELECT count(DISTINCT survivor_id) FROM mahjic.verified_players
        JOIN mahjic.read_players USING (player_id)) AS verified,
    (SELECT count(*) FROM mahjic.verification_watch WHERE is_in_grace AND is_verified) AS in_grace,
    (SELECT count(DISTINCT paid.enrollment_id) FROM mahjic.payments AS paid
        WHERE paid.period_end > $1 AND paid.refunded_cents < paid.amount_cents
            AND paid.dispute <> 'lost' AND NOT EXISTS (
                SELECT FROM mahjic.identity_checks AS checks
                WHERE checks.enrollment_id = paid.enrollment_id AND checks.passed_at IS NOT NULL
            )) AS waiting,
    (SELECT count(*) {WAITING}) AS held,
    (SELECT min(received_at) FROM mahjic.stripe_events WHERE done_at IS NULL) AS oldest_event
"""


@dataclass(frozen=True, slots=True)
class VerificationFigures:
    """The gauges and counters of one process."""

    verified: Gauge
    in_grace: Gauge
    waiting: Gauge
    held: Gauge
    oldest_event_s: Gauge
    events: Counter
    refused: Counter
    failed: Counter

    @classmethod
    def on(cls, registry: CollectorRegistry) -> "VerificationFigures":
        """Return the figures, registered."""
        return cls(
            Gauge("mahjic_verified_players", "Players who are Verified.", registry=registry),
            Gauge(
                "mahjic_verified_in_grace",
                "Verified players whose year has ended, and who have not paid for the next one.",
                registry=registry,
            ),
            Gauge(
                "mahjic_verification_waiting_for_identity",
                "Players who have paid, and whose identity is not checked.",
                registry=registry,
            ),
            Gauge(
                "mahjic_verification_held",
                "Identity checks that staff have to look at before they count.",
                registry=registry,
            ),
            Gauge(
                "mahjic_stripe_oldest_event_s",
                "The age of the oldest event of Stripe that is not done, in seconds; 0 if all are.",
                registry=registry,
            ),
            Counter(
                "mahjic_stripe_events",
                "Events of Stripe that this process has done, by what became of them.",
                ["outcome"],
                registry=registry,
            ),
            Counter(
                "mahjic_stripe_refusals",
                "Requests that Stripe refused; look at the log if it moves.",
                registry=registry,
            ),
            Counter(
                "mahjic_verification_failures",
                "Times that seeing to a payment or an identity check failed by a mistake of the "
                "program; look at the log if it moves.",
                registry=registry,
            ),
        )

    @property
    def tally(self) -> WorkTally:
        """What the worker tells."""
        return WorkTally(
            event=lambda outcome: self.events.labels(outcome).inc(),
            refused=self.refused.inc,
            failed=self.failed.inc,
        )

    async def look(self, database: Database, now: datetime) -> None:
        """Set the gauges to what is on record."""
        row = await database.fetchrow(READ, now)
        assert row is not None, "An aggregate has a row."
        self.verified.set(row["verified"])
        self.in_grace.set(row["in_grace"])
        self.waiting.set(row["waiting"])
        self.held.set(row["held"])
        oldest = row["oldest_event"]
        self.oldest_event_s.set(0 if oldest is None else (now - oldest).total_seconds())


async def tell_figures(room: VerificationRoom, figures: VerificationFigures) -> NoReturn:
    """Keep the gauges up to date, forever."""
    while True:
        with contextlib.suppress(*DATABASE_AWAY):
            await figures.look(room.pool, room.now())
        await before_retry(LOOK_S)
