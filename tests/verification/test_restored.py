"""After a restore of an older backup Stripe is asked first, and nobody loses what they paid."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg

from services.verification.deciding import decide
from services.verification.staff.holds import list_holds, release
from shared.db.backups.backup import backup
from shared.db.backups.restore import restore
from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.db.rows import rows_by_table
from tests.verification.staff.club import HASH_KEY, Club, a_club
from tests.verification.stripe.account.odd import a_document

ANN, BEN, CARL, DORA = (f"{name}@example.com" for name in ("ann", "ben", "carl", "dora"))
BEGUN = datetime(2027, 3, 1, 12, tzinfo=UTC)
VERIFIED = "SELECT is_verified FROM mahjic.players WHERE player_id = $1"
NEWS = "SELECT count(*) FROM mahjic.mails WHERE kind = 'verified' AND state = 'queued'"


async def test_what_was_paid_and_given_back_since_a_backup_is_found_before_anything_ends(
    database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    club = await a_club(database.pool, BEGUN)
    renewed, refunded = await club.pays(ANN), await club.pays(BEN)
    await club.shows(ANN, a_document(1))
    await club.shows(BEN, a_document(2))
    await decide(club.room, await club.player(CARL), "grant", "An old friend.")
    who = {email: await club.player(email) for email in (ANN, BEN, CARL, DORA)}
    club.house.clock.wind(timedelta(days=360))
    await club.tick()
    await club.pays(DORA)
    session = await club.begins(DORA)
    await backup(database.dsn, tmp_path / "b")
    # All of this is lost.
    club.people.renew(renewed)
    club.people.refund(invoice_of(club, refunded))
    club.people.pass_check(session, a_document(3))
    club.house.clock.wind(timedelta(days=30))
    await club.catch_up()
    async with fresh_database(postgres_server, template=TEMPLATE) as target:
        await target.pool.close()
        await restore(target.dsn, tmp_path / "b", replace=True)
        pool = await asyncpg.create_pool(target.dsn, min_size=1, max_size=8)
        try:
            again = Club(pool, club.house.clock.at, club.stripe)
            again.told = len(club.stripe.account.outbox)
            # A year is over by what is on record here, and nothing ends before Stripe was asked.
            await again.tick()
            assert await verified(pool, who) == {ANN, BEN, CARL}
            assert await pool.fetchval(NEWS) == 0
            await again.catch_up()
            assert await verified(pool, who) == {ANN, CARL}
            # What her document says was erased at Stripe since, so staff let it count.
            async with pool.acquire() as connection:
                (hold,) = await list_holds(connection)
            assert (hold.player_id, hold.held_for) == (who[DORA], "no_number")
            await release(again.room, hold.key, "It had counted before the loss.")
            await again.tick()
            assert await verified(pool, who) == {ANN, CARL, DORA}
            await end_year(again, club, renewed)
            assert await verified(pool, who) == {CARL}
        finally:
            await pool.close()


async def end_year(again: Club, club: Club, subscription_id: str) -> None:
    """Let a year pass after which nobody pays: time goes on as before the restore."""
    again.house.clock.wind(timedelta(days=400))
    club.house.clock.wind(timedelta(days=400))
    club.people.end(subscription_id)
    await again.tick()
    await again.catch_up()


def invoice_of(club: Club, subscription_id: str) -> str:
    (invoice,) = [
        each.id
        for each in club.stripe.account.invoices.values()
        if each.subscription_id == subscription_id
    ]
    return invoice


async def verified(pool: asyncpg.Pool, who: dict[str, str]) -> set[str]:
    return {email for email, each in who.items() if await pool.fetchval(VERIFIED, each)}


async def test_a_backup_takes_every_row_along_and_no_key(
    database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    club = await a_club(database.pool, BEGUN)
    await club.pays(ANN)
    await club.shows(ANN, a_document(1))
    await decide(club.room, await club.player(ANN), "grant", "An old friend.")
    await club.pool.execute(
        "INSERT INTO mahjic.verification_doubts SELECT player_id FROM mahjic.people"
    )
    before = ours(await rows_by_table(club.pool))
    assert [table for table, rows in before.items() if not rows] == []
    await backup(database.dsn, tmp_path / "b")
    async with fresh_database(postgres_server, template=TEMPLATE) as target:
        await target.pool.close()
        await restore(target.dsn, tmp_path / "b", replace=True)
        pool = await asyncpg.create_pool(target.dsn, min_size=1, max_size=2)
        try:
            after = ours(await rows_by_table(pool))
        finally:
            await pool.close()
    changed = {table for table in before if before[table] != after[table]}
    # When Stripe is asked, and nothing else.
    assert changed <= {"mahjic.enrollments", "mahjic.verification_watch"}
    assert HASH_KEY not in "".join(row for rows in after.values() for row in rows)


def ours(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    names = (
        "verification_",
        "enrollments",
        "stripe_",
        "identity_checks",
        "document_hashes",
        "subscriptions",
        "payments",
    )
    return {
        table: held
        for table, held in rows.items()
        if table.removeprefix("mahjic.").startswith(names)
    }
