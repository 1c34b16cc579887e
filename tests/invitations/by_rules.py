"""Who is to be invited at a moment, by the rules as they are written, from all that is on record.

Plain and slow: it reads everything, and knows nothing of verdicts, places and what was touched.
"""

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import asyncpg

from tests.invitations.town import HASHES

DAYS_30 = timedelta(days=30)
HOURS_14 = timedelta(hours=14)


@dataclass(frozen=True)
class ASession:
    """A session on record."""

    session_id: str
    source: str
    day: date
    status: str
    place: int
    sent_at: datetime
    corrects: str | None


@dataclass(frozen=True)
class TheRecord:
    """Everything that ingest, accounts and mail have on record."""

    emails: Mapping[str, str]
    hidden: Set[str]
    merged_into: Mapping[str, str]
    sessions: Mapping[str, ASession]
    seats: Mapping[str, Set[str]]
    # Also those who left their seat.
    ever_sat: Mapping[str, Set[str]]
    proved: Set[str]
    no_more: Set[bytes]
    switched_off: Set[str]

    def survivor(self, player_id: str) -> str:
        while player_id in self.merged_into:
            player_id = self.merged_into[player_id]
        return player_id

    def recorded_at(self, session: ASession) -> datetime:
        """When a session, or the first one that it corrects, was sent."""
        while session.corrects is not None:
            session = self.sessions[session.corrects]
        return session.sent_at


async def read_record(pool: asyncpg.Pool) -> TheRecord:
    people = await pool.fetch("SELECT * FROM mahjic.people")
    players = await pool.fetch("SELECT * FROM mahjic.players WHERE merged_into IS NOT NULL")
    sessions = await pool.fetch("SELECT * FROM mahjic.submissions")
    seats: dict[str, set[str]] = defaultdict(set)
    ever_sat: dict[str, set[str]] = defaultdict(set)
    for row in await pool.fetch("SELECT * FROM mahjic.seats"):
        ever_sat[row["session_id"]].add(row["player_id"])
        if row["sits"]:
            seats[row["session_id"]].add(row["player_id"])
    proved = await pool.fetch("SELECT address FROM mahjic.addresses WHERE proved_at IS NOT NULL")
    no_more = await pool.fetch("SELECT address_hash FROM mahjic.no_more_mail")
    off = await pool.fetch("SELECT slug FROM mahjic.sources WHERE NOT invites")
    return TheRecord(
        emails={row["player_id"]: row["email"] for row in people if row["email"]},
        hidden={
            row["player_id"]
            for row in people
            if row["is_private"] and row["privacy_by"] != "source"
        },
        merged_into={row["player_id"]: row["merged_into"] for row in players},
        sessions={
            row["session_id"]: ASession(
                row["session_id"],
                row["source"],
                row["session_date"],
                row["status"],
                row["place_seq"],
                row["submitted_at"],
                row["corrects"],
            )
            for row in sessions
        },
        seats=seats,
        ever_sat=ever_sat,
        proved={row["address"] for row in proved},
        no_more={row["address_hash"] for row in no_more},
        switched_off={row["slug"] for row in off},
    )


def to_invite(
    record: TheRecord, *, now: datetime, mark: datetime | None, invited: Set[str]
) -> dict[str, str]:
    """Return the addresses to invite, each with the session that its letter tells of."""
    found: dict[str, str] = {}
    persons: dict[str, set[str]] = defaultdict(set)
    for player_id in {*record.emails, *record.merged_into, *record.merged_into.values()}:
        persons[record.survivor(player_id)].add(player_id)
    for ids in persons.values():
        addresses = {record.emails[each] for each in ids if each in record.emails}
        first = min(
            (
                each
                for each in record.sessions.values()
                if each.status == "accepted" and record.seats[each.session_id] & ids
            ),
            key=lambda each: each.place,
            default=None,
        )
        if first is None or addresses & (record.proved | invited) or ids & record.hidden:
            continue
        if any(HASHES.of(each) in record.no_more for each in addresses):
            continue
        sent_at = record.recorded_at(first)
        if first.source in record.switched_off or first.day < (now - DAYS_30).date():
            continue
        if sent_at < now - DAYS_30:
            continue
        if mark is not None and (sent_at <= mark or ever_before(record, ids, mark)):
            continue
        seat = min(record.seats[first.session_id] & ids)
        if seat in record.emails:
            found[record.emails[seat]] = first.session_id
    return found


def ever_before(record: TheRecord, ids: Set[str], mark: datetime) -> bool:
    """Whether a person was in any session of before a mark, whatever became of it."""
    theirs = (each for each in record.sessions.values() if record.ever_sat[each.session_id] & ids)
    return any(each.sent_at <= mark or each.day <= (mark + HOURS_14).date() for each in theirs)
