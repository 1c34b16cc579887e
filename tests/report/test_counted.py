"""What no log tells is counted once, from what a real service has on record."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from services.report.counting import count_year
from services.report.folder import COUNTED, REPORT
from services.report.making import ReportLogs, YearNotOver, write_report
from services.report.shapes import CountedBeside
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.report.years import no_progress
from tests.service import FOUNDED, LOG_ID, RunningService, bearer, running_service

YEAR = 2026
END = datetime(YEAR + 1, 1, 1, tzinfo=UTC)
DISPUTE = """
INSERT INTO mahjic.disputes (player_id, session_id, source, said, said_at, answer, answered_at)
SELECT player_id, session_id, 'a-club', 'not me', $2, $3, $4 FROM mahjic.seats
WHERE session_id = $1 ORDER BY player_id LIMIT 1
"""
PAY = """
INSERT INTO mahjic.payments (invoice_id, subscription_id, amount_cents, currency, paid_at,
    period_end, refunded_cents, dispute)
VALUES ($1, 'sub', $2, $3, $4, $4, $5, 'none')
"""
DECLINE = """
INSERT INTO mahjic.application_reviews (application_id, was_asked, decision, decided_at)
VALUES ($1, false, $2, $3)
"""
SUSPEND = "UPDATE mahjic.sources SET is_suspended = true WHERE slug = ANY($1)"
LONG_AGO, IN_YEAR = datetime(2025, 7, 1, tzinfo=UTC), datetime(YEAR, 7, 1, tzinfo=UTC)


async def counted_on(service: RunningService, facts: int) -> CountedBeside:
    return await count_year(
        service.pool, YEAR, log_id=LOG_ID, facts=(1, facts), now=END, so_far=False
    )


async def play_a_little(service: RunningService) -> list[str]:
    """Submit seven sessions of the same four people, each with a guest; return their ids."""
    key = await service.source_key(region="west")
    ids = []
    for at in range(7):
        table = {"ada": 2, "PRIVATE:bo@example.com": 1, f"ANON:Guest {at}": 0, f"guest{at}": 1}
        answer = await service.submit(a_session(a_round(table), on=f"2026-01-{at + 1:02}"), key)
        assert answer.status_code == 201, answer.text
        ids.append(answer.json()["session_id"])
    return ids


async def test_the_figures_are_what_is_on_record(database: Database) -> None:
    async with running_service(database) as service:
        ids = await play_a_little(service)
        pool = service.pool
        for at in range(6):
            await service.source_key(f"club-{at}", region="midwest")
        await pool.execute(SUSPEND, [f"club-{at}" for at in range(5)])
        for at, session_id in enumerate(ids):
            answered = (None, None) if at < 1 else ("It was you.", IN_YEAR)
            await pool.execute(DISPUTE, session_id, IN_YEAR if at < 6 else LONG_AGO, *answered)
            await pool.execute(PAY, f"in-{at}", 2_000, "usd", IN_YEAR, 2_000 if at < 2 else 0)
            await pool.execute(PAY, f"was-{at}", 2_000, "usd", LONG_AGO, 0)
            await pool.execute(DECLINE, f"app-{at}", "declined" if at < 6 else "approved", IN_YEAR)
        await pool.execute(PAY, "eur", 1_800, "eur", IN_YEAR, 0)
        facts = await pool.fetchval("SELECT fact_seq FROM mahjic.head")
        counted = await counted_on(service, facts)
        assert counted["sources"] == {"came": 7, "declined": 6, "suspended": 5}
        assert counted["regions"]["a-club"] == "west"
        # Five were answered; one is open, and could be worked out of the total.
        assert counted["disputes"]["total"] == 6
        assert counted["disputes"]["each"] == []
        # Seven of each: Ada and the guests, private Bo, and nicknames.
        assert [(each["names"], each["count"]) for each in counted["seats"]["each"]] == [
            (["public"], 14),
            (["private"], 7),
            (["anonymous"], 7),
        ]
        assert counted["money"] == [
            {
                "currency": "usd",
                "payments": 7,
                "paid_cents": 14_000,
                "refunds": None,
                "refunded_cents": None,
            }
        ]
        assert counted["forgotten"] is None
        await forget_guests(service)
        later = await counted_on(service, facts)
        assert later["forgotten"] == 5
        # Whoever is forgotten is private.
        assert [each["count"] for each in later["seats"]["each"]] == [9, 12, 7]


async def forget_guests(service: RunningService) -> None:
    """Forget five people who played once."""
    operator = bearer(await service.operator_key())
    find = "SELECT player_id FROM mahjic.people WHERE email = $1"
    for at in range(5):
        found = await service.pool.fetchval(find, f"guest{at}@example.com")
        path = f"/v1/admin/players/{found}/personal-data"
        answer = await service.client.delete(path, headers=operator)
        assert answer.is_success, answer.text


async def test_figures_are_counted_once_and_kept(database: Database, tmp_path: Path) -> None:
    async with running_service(database) as service:
        await play_a_little(service)

        async def write(folder: Path, **more: Any) -> dict[str, Any]:
            verdicts = service.service.logs.verdicts
            end = (await verdicts.tail()).seq
            logs = ReportLogs(service.service.logs.facts, verdicts, LOG_ID, end)
            await write_report(service.pool, logs, year, folder, no_progress, **more)
            report: dict[str, Any] = orjson.loads((folder / REPORT).read_bytes())
            return report

        year = datetime.now(UTC).year
        over = datetime(year + 1, 1, 1, tzinfo=UTC)
        one = await write(tmp_path, so_far=False, now=over)
        assert one["counted"]["sources"]["came"] is None
        west = one["figures"]["played"]["by_region"]
        assert west["each"] == []
        assert one["figures"]["played"]["total"]["sessions"] == 7
        kept = (tmp_path / COUNTED).read_bytes()
        for at in range(6):
            await service.source_key(f"club-{at}")
        assert await write(tmp_path, so_far=False, now=over) == one
        assert (tmp_path / COUNTED).read_bytes() == kept
        with pytest.raises(YearNotOver):
            await write(tmp_path / "draft", so_far=False, now=datetime(year, 12, 31, tzinfo=UTC))
        assert not (tmp_path / "draft").exists()
        draft = await write(tmp_path / "draft", so_far=True, now=datetime(year, 12, 31, tzinfo=UTC))
        assert (draft["so_far"], draft["counted"]["so_far"]) == (True, True)
        assert draft["counted"]["sources"]["came"] == (7 if year == FOUNDED.year else None)
