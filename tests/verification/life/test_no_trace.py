"""Of a document nothing is kept but a keyed hash: no number, name, birth date or file, anywhere."""

import asyncio
import io
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from services.verification.starting import be_checked, pay
from shared.db.backups.backup import backup
from shared.db.server.binaries import packaged_binaries
from shared.http.layers.paths import STRIPE_EVENTS_PATH
from tests.conftest import Database
from tests.db.rows import rows_by_table
from tests.http.kept_log import kept_log
from tests.log.deadlines import until
from tests.service import bearer
from tests.verification.events.sending import OPEN
from tests.verification.histories.world import Someone
from tests.verification.life.served import ServedClub, served_club
from tests.verification.stripe.account.odd import ODD, ODD_WORDS
from tests.verification.stripe.over_http.server import FakeStripe

# However it is written: without the hyphens, in small letters, or as another country writes a day.
WORDS: Final = (
    *ODD_WORDS,
    ODD.number.replace("-", ""),
    "4711",
    "oddingtonval",
    "zephyrinequ",
    "02/17/1903",
    "17.02.1903",
    "1903, 2, 17",
    "19030217",
    OPEN["identity_hash_key"],
    OPEN["stripe_key"],
    "whsec_",
)
HELD: Final = "SELECT count(*) FROM mahjic.identity_checks WHERE held_for = 'same_document'"
PASSED: Final = "SELECT count(*) FROM mahjic.identity_checks WHERE passed_at IS NOT NULL"
LEFT: Final = "SELECT count(*) = 0 FROM mahjic.enrollments"
# What somebody is at is due in two minutes again, and what was put off sooner.
HURRY: Final = tuple(
    f"UPDATE mahjic.{table} SET {due} = now() "
    f"WHERE {due} BETWEEN now() + interval '2 s' AND now() + interval '1 min' AND {waits}"
    for table, due, waits in (
        ("stripe_events", "due_at", "done_at IS NULL"),
        ("stripe_requests", "due_at", "done_at IS NULL"),
        ("enrollments", "look_taken", "look_due_at IS NOT NULL"),
    )
)
HASHES: Final = "SELECT document_hash FROM mahjic.document_hashes"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with kept_log("debug") as stream:
        yield stream


def traces_in(text: str) -> list[str]:
    folded = text.casefold()
    return [word for word in WORDS if word.casefold() in folded]


def test_the_search_finds_what_it_looks_for() -> None:
    assert traces_in(f"x {ODD.number.lower()} y") == [ODD.number, "4711"]
    assert traces_in("born 1903-02-17") == [ODD.born_on.isoformat()]
    assert traces_in("nothing to see") == []


def texts_of_backup(dsn_file: Path) -> str:
    """Return a backup as the SQL that would bring it back."""
    program = packaged_binaries().bin_folder / "pg_restore"
    done = subprocess.run(
        [program, "-f", "-", dsn_file], capture_output=True, text=True, timeout=60, check=False
    )
    assert "COPY mahjic.document_hashes" in done.stdout
    return done.stdout


async def everything(club: ServedClub, log: io.StringIO, file: Path, dsn: str) -> dict[str, str]:
    """Return all that a service holds and tells, as text, by where it stands."""
    tables = await rows_by_table(club.service.pool)
    await backup(dsn, file)
    return {
        **{name: "\n".join(rows) for name, rows in tables.items()},
        "backup": await asyncio.to_thread(texts_of_backup, file),
        "log": log.getvalue(),
        "metrics": (await club.service.client.get("/metrics")).text,
    }


async def shows(club: ServedClub, fake: FakeStripe, who: Someone) -> None:
    """Pay, fail with a document, and pass with it."""
    login, own_ids = club.login(who), (who.player_id,)
    fake.people.pay((await pay(club.room, login, own_ids)).rpartition("/")[2])
    session_id = (await be_checked(club.room, login, own_ids)).rpartition("/")[2]
    fake.people.fail_check(session_id, "document_unverified_other")
    fake.people.pass_check(session_id, ODD)


async def deliver(club: ServedClub, fake: FakeStripe) -> None:
    assert set(await fake.deliver(club.service.client, STRIPE_EVENTS_PATH)) == {200}


async def test_a_whole_life_leaves_no_trace_of_a_document(
    log: io.StringIO, database: Database, fake_stripe: FakeStripe, tmp_path: Path
) -> None:
    async with served_club(database, fake_stripe.url, is_rating=False) as club:
        pool = club.service.pool
        ann, ben = await club.comes("ann@example.com"), await club.comes("ben@example.com")
        await shows(club, fake_stripe, ann)
        await deliver(club, fake_stripe)
        await until(partial(pool.fetchval, PASSED))
        await shows(club, fake_stripe, ben)
        fake_stripe.switches.away = "fails"
        await deliver(club, fake_stripe)
        await until(lambda: pool.fetchval("SELECT away_since FROM mahjic.verification_place"))
        fake_stripe.switches.away = None
        await until(partial(is_so_soon, club, HELD))
        # It was there to be read.
        asked = [each.path for each in fake_stripe.requests]
        assert [each for each in asked if each.startswith("/v1/identity/verification_reports/")]
        (kept,) = await pool.fetch(HASHES)
        found = await everything(club, log, tmp_path / "before", database.dsn)
        assert {name: each for name, text in found.items() if (each := traces_in(text))} == {}
        assert kept["document_hash"].hex() in found["mahjic.document_hashes"]
        assert "You are a Verified player now" in found["mahjic.mails"]
        assert "stripe_away" in found["log"]
        assert "mahjic_stripe_events_total" in found["metrics"]

        await are_forgotten(club, ann, ben)
        found = await everything(club, log, tmp_path / "after", database.dsn)
        assert {name: each for name, text in found.items() if (each := traces_in(text))} == {}
        gone = (ann.account_id, ann.address, ben.account_id, ben.address)
        assert [each for each in gone if each in found["backup"]] == []
        assert all(each.document is None for each in fake_stripe.account.reports.values())
        assert all(each.is_deleted for each in fake_stripe.account.customers.values())


async def are_forgotten(club: ServedClub, *people: Someone) -> None:
    """Have the operator forget people, and wait until Stripe has erased what it had."""
    operator = bearer(await club.service.operator_key())
    for each in people:
        path = f"/v1/admin/players/{each.player_id}/personal-data"
        assert (await club.service.client.delete(path, headers=operator)).status_code == 204
    await until(partial(is_so_soon, club, LEFT))


async def is_so_soon(club: ServedClub, query: str) -> object:
    """Ask whether something is so, and have what is due or was put off done meanwhile."""
    for hurry in HURRY:
        await club.service.pool.execute(hurry)
    await club.hurry()
    return await club.service.pool.fetchval(query)
