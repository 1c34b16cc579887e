"""What the money page of the staff desk shows: what came in, what is due, and what went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from services.verification.room import Connection
from services.verification.staff.holds import Hold, list_hints, list_holds
from services.verification.staff.listing import OnFileNow, list_on_file
from services.verification.stripe.port import Dispute

# Whoever looks at a page reads no more; `mahjic verification list` lists all.
LISTED_MAX: Final = 200
DUE_WITHIN_DAYS: Final = (30, 60)

# Money that went back is counted to the month in which it had come.
MONTHS: Final = """
SELECT date_trunc('month', paid_at AT TIME ZONE 'UTC')::date AS month, currency, count(*),
    sum(amount_cents)::bigint, sum(refunded_cents)::bigint,
    COALESCE(sum(amount_cents - refunded_cents) FILTER (WHERE dispute = 'lost'), 0)::bigint
FROM mahjic.payments GROUP BY 1, 2 ORDER BY 1 DESC, 2
"""
# A year is due when that which is paid ends, if its subscription renews.
DUE: Final = """
SELECT * FROM (
    SELECT DISTINCT ON (paid.subscription_id)
        own.player_id, paid.subscription_id, paid.period_end AS due_at, paid.amount_cents,
        paid.currency
    FROM mahjic.payments AS paid
    JOIN mahjic.subscriptions AS sub USING (subscription_id)
    JOIN mahjic.enrollments AS own ON own.enrollment_id = sub.enrollment_id
    WHERE sub.renews AND own.account_id IS NOT NULL
    ORDER BY paid.subscription_id, paid.period_end DESC
) AS newest WHERE due_at > $1 AND due_at <= $2 ORDER BY due_at, subscription_id
"""
FAILURES: Final = """
SELECT own.player_id, sub.subscription_id, sub.status,
    (SELECT max(paid.period_end) FROM mahjic.payments AS paid
        WHERE paid.subscription_id = sub.subscription_id) AS paid_until,
    watched.until
FROM mahjic.subscriptions AS sub
JOIN mahjic.enrollments AS own USING (enrollment_id)
LEFT JOIN mahjic.verification_watch AS watched
    ON watched.player_id = mahjic.survivor(own.player_id)
    AND watched.is_in_grace AND watched.is_verified
WHERE own.account_id IS NOT NULL
    AND (sub.status IN ('past_due', 'unpaid') OR watched.player_id IS NOT NULL AND sub.renews)
ORDER BY watched.until NULLS LAST, sub.subscription_id LIMIT $1
"""
TAKEN_BACK: Final = """
SELECT own.player_id, paid.invoice_id, paid.paid_at, paid.amount_cents, paid.currency,
    paid.refunded_cents, paid.dispute
FROM mahjic.payments AS paid LEFT JOIN mahjic.enrollments AS own USING (enrollment_id)
WHERE paid.refunded_cents > 0 OR paid.dispute <> 'none'
ORDER BY paid.dispute = 'open' DESC, paid.paid_at DESC, paid.invoice_id LIMIT $1
"""
AWAY: Final = """
SELECT away_since,
    (SELECT min(received_at) FROM mahjic.stripe_events WHERE done_at IS NULL) AS oldest_event
FROM mahjic.verification_place
"""


@dataclass(frozen=True, slots=True)
class MonthOfMoney:
    """What came in a month, and how much of it was given back or lost in a dispute since."""

    month: date
    currency: str
    payments: int
    came_cents: int
    given_back_cents: int
    lost_cents: int


@dataclass(frozen=True, slots=True)
class YearDue:
    """A year that somebody's card will be charged for."""

    player_id: str
    subscription_id: str
    due_at: datetime
    amount_cents: int
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentFailing:
    """A renewal for which the money has not come; `until` is the end of the days of grace."""

    player_id: str
    subscription_id: str
    status: str
    paid_until: datetime | None
    until: datetime | None


@dataclass(frozen=True, slots=True)
class MoneyTakenBack:
    """A payment that was given back, or that a bank wants back. Nobody's, once forgotten."""

    player_id: str | None
    invoice_id: str
    paid_at: datetime
    amount_cents: int
    currency: str
    refunded_cents: int
    dispute: Dispute


@dataclass(frozen=True, slots=True)
class MoneyStanding:
    """Everything on the money page. `due` are the years due within the most days of all."""

    looked_at: datetime
    months: Sequence[MonthOfMoney]
    due: Sequence[YearDue]
    failing: Sequence[PaymentFailing]
    taken_back: Sequence[MoneyTakenBack]
    waiting: Sequence[OnFileNow]
    unexplained: Sequence[OnFileNow]
    holds: Sequence[Hold]
    hints: Sequence[tuple[str, str]]
    away_since: datetime | None
    oldest_event: datetime | None

    def due_within(self, days: int) -> Sequence[YearDue]:
        """Return the years due within some days."""
        end = self.looked_at + timedelta(days=days)
        return [each for each in self.due if each.due_at <= end]


async def look_at_money(connection: Connection, now: datetime) -> MoneyStanding:
    """Return how the money stands, and what waits for staff."""
    end = now + timedelta(days=max(DUE_WITHIN_DAYS))
    place = await connection.fetchrow(AWAY)
    assert place is not None, "A migration makes this row."
    taken_back = await connection.fetch(TAKEN_BACK, LISTED_MAX)
    return MoneyStanding(
        looked_at=now,
        months=[MonthOfMoney(*row) for row in await connection.fetch(MONTHS)],
        due=[YearDue(*row) for row in await connection.fetch(DUE, now, end)],
        failing=[PaymentFailing(*row) for row in await connection.fetch(FAILURES, LISTED_MAX)],
        taken_back=[MoneyTakenBack(*row) for row in taken_back],
        waiting=await list_on_file(connection, now, state="waiting_for_identity"),
        unexplained=await list_on_file(connection, now, state="unexplained"),
        holds=await list_holds(connection),
        hints=await list_hints(connection),
        away_since=place["away_since"],
        oldest_event=place["oldest_event"],
    )
