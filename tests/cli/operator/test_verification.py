"""The commands on Verified players: what they send, list and show, and what Stripe is asked."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from services.verification.deciding import decide
from services.verification.staff.asking_now import NobodyAsksStripe, ask_now
from tests.cli.running import mahjic
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import Database
from tests.verification.staff.club import Club, a_club
from tests.verification.stripe.account.odd import ODD, ODD_WORDS, a_document

PARTS = {
    "MAHJIC_STRIPE_KEY": "rk_test_a1b2c3d4e5",
    "MAHJIC_STRIPE_WEBHOOK_SECRETS": '["whsec_f6a7b8c9d0"]',
    "MAHJIC_STRIPE_PRICE": "price_ofayear",
    "MAHJIC_IDENTITY_HASH_KEY": "k3y-of-documents-0123456789abcdef",
}
SECRETS = ("a1b2c3d4e5", "f6a7b8c9d0", "k3y-of-documents")
STARTED = [("serve",), ("ingest",), ("site",), ("verification", "work")]
ANN, BEN, CARL = (f"{name}@example.com" for name in ("ann", "ben", "carl"))


@pytest.fixture
async def club(own_database: Database) -> Club:
    return await a_club(own_database.pool, datetime.now(UTC))


@contextlib.asynccontextmanager
async def working(club: Club) -> AsyncIterator[None]:
    """Have the worker of the club work meanwhile, at the time of day."""

    async def work() -> None:
        while True:
            club.house.clock.at = datetime.now(UTC)
            if not await club.worker.step():
                await asyncio.sleep(0.02)

    working = asyncio.create_task(work())
    try:
        yield
    finally:
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working


@pytest.mark.parametrize(
    ("arguments", "is_verified", "body", "said"),
    [
        (("grant",), True, b'{"verified":true}', "is Verified from here on."),
        (
            ("grant", "--reason", "Plays here."),
            True,
            b'{"verified":true,"reason":"Plays here."}',
            "is Verified from here on.",
        ),
        (
            ("end", "--reason", "Two people."),
            False,
            b'{"verified":false,"reason":"Two people."}',
            "is not Verified from here on, whatever is paid or checked.",
        ),
        (("leave",), True, b'{"verified":null}', "is Verified, as payment and identity decide"),
        (("leave",), False, b'{"verified":null}', "is not Verified, as payment and identity"),
    ],
)
async def test_what_staff_decide_is_sent_with_its_reason(
    arguments: tuple[str, ...],
    is_verified: bool,
    body: bytes,
    said: str,
    service: ScriptedService,
) -> None:
    service.told = [Told(200, {"player_id": "MJ-7K3Q9XZM", "verified": is_verified, "seq": 7})]
    ended = await mahjic("verification", arguments[0], "mj-7k3q9xzm", *arguments[1:])
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"MJ-7K3Q9XZM {said}")
    assert [each.body for each in service.asked] == [body]


async def test_who_is_on_file_is_listed_and_can_be_chosen_by_state(club: Club) -> None:
    ann = await club.player(ANN)
    await decide(club.room, ann, "grant", None)
    await club.pays(BEN)
    ben = await club.player(BEN)
    head, *rows = (await mahjic("verification", "list")).rows
    assert head == ["player", "state", "verified", "until"]
    assert rows[0] == [ann, "granted", "yes", "-"]
    assert rows[1][:3] == [ben, "waiting_for_identity", "no"]
    chosen = await mahjic("verification", "list", "--state", "granted")
    assert chosen.rows == [head, rows[0]]
    assert chosen.stderr == ""
    assert (await mahjic("verification", "list", "--state", "fine")).exit_code == 2
    await club.pool.execute("DELETE FROM mahjic.verification_decisions")
    await club.pool.execute("DELETE FROM mahjic.verification_watch")
    listed = await mahjic("verification", "list")
    assert [ann, "unexplained", "yes", "-"] in listed.rows
    assert listed.stderr.startswith("Verified, but nothing on file says why: 1.")


async def test_everything_about_a_player_is_shown_and_nothing_of_the_document(club: Club) -> None:
    await club.pays(BEN)
    await club.shows(BEN, ODD)
    await club.pays(CARL)
    await club.shows(CARL, ODD)
    ben, carl = await club.player(BEN), await club.player(CARL)
    await decide(club.room, carl, "block", "One document, two people.")
    shown = await mahjic("verification", "show", ben.lower())
    assert shown.exit_code == 0
    head, *rows = shown.rows
    assert head == ["what", "id", "state", "since", "value"]
    assert rows[0][:3] == ["person", ben, "paid"]
    by_what = {row[0]: row for row in rows}
    account = club.stripe.account
    first_invoice, first_check = next(iter(account.invoices)), next(iter(account.checks))
    assert by_what["payment"][1] == first_invoice
    assert "20.00 usd until " in by_what["payment"][4]
    assert by_what["check"][1:3] == [first_check, "verified"]
    assert "counts since" in by_what["check"][4]
    held = await mahjic("verification", "show", carl)
    told = {row[0]: row for row in held.rows}
    assert told["decision"][1:] == [carl, "block", told["decision"][3], "One document, two people."]
    assert f"held: same_document, shown before by {ben}" in told["check"][4]
    for word in ODD_WORDS:
        assert word not in shown.stdout + held.stdout
    nothing = await mahjic("verification", "show", await club.player(ANN))
    assert nothing.rows[1][2] == "nothing_on_file"
    assert (await mahjic("verification", "show", "MJ-0000001Y")).stderr.startswith("unknown_player")


async def test_stripe_is_asked_about_everything_and_what_changed_is_told(club: Club) -> None:
    await club.pays(BEN)
    await club.shows(BEN, a_document(1))
    await club.pays(CARL)
    ben = await club.player(BEN)
    (ben_invoice, _) = club.stripe.account.invoices
    # No event of this arrives.
    club.people.refund(ben_invoice)
    club.told = len(club.stripe.account.outbox)
    async with working(club):
        ended = await mahjic("verification", "reconcile")
        assert ended.exit_code == 0, ended.stderr
        head, *rows, last = ended.rows
        assert head == ["player", "what", "id", "before", "now"]
        assert [ben, "verified", ben, "yes", "no"] in rows
        (paid,) = [row for row in rows if row[1] == "payment"]
        assert paid[2] == ben_invoice
        assert "20.00 given back" in paid[4]
        assert "given back" not in paid[3]
        assert last[0].startswith("Stripe was asked about 2; ")
        again = await mahjic("verification", "reconcile", ben)
        assert again.stdout == "Stripe was asked about 1; 0 changed.\n"
        nobody = await mahjic("verification", "reconcile", await club.player(ANN))
        assert nobody.stdout == "Stripe was asked about 0; 0 changed.\n"


async def test_while_stripe_is_away_that_is_told_and_it_is_asked_later(club: Club) -> None:
    await club.pays(BEN)
    club.stripe.switches.away = "fails"

    async def hurry() -> None:
        """Let no time pass between two tries."""
        while True:
            await club.pool.execute("UPDATE mahjic.enrollments SET look_taken = NULL")
            await asyncio.sleep(0.05)

    async with working(club):
        hurrying = asyncio.create_task(hurry())
        ended = await mahjic("verification", "reconcile")
        hurrying.cancel()
    assert ended.exit_code == 75
    assert "Stripe was asked" not in ended.stdout
    assert ended.stderr.startswith("stripe_gives_no_answer: 1 of 1 could not be asked about")
    assert await club.pool.fetchval("SELECT look_due_at FROM mahjic.enrollments") is not None


async def test_without_a_worker_that_is_told(club: Club) -> None:
    await club.pays(BEN)
    with pytest.raises(NobodyAsksStripe, match="mahjic verification work"):
        await ask_now(
            club.pool, None, lambda: datetime.now(UTC), lambda _, __: None, patience_s=0.5
        )


async def test_the_worker_is_a_process_of_its_own_only_on_kafka() -> None:
    ended = await mahjic("verification", "work")
    assert (ended.exit_code, ended.stderr.split(":")[0]) == (2, "serve_does_it")
    assert "`mahjic serve` sees to payments" in ended.stderr


@pytest.mark.parametrize("missing", sorted(PARTS))
@pytest.mark.parametrize("command", STARTED, ids=" ".join)
async def test_half_set_up_nothing_starts_and_what_is_missing_is_told(
    command: tuple[str, ...], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_KAFKA_SERVERS", "kafka.invalid:9092")
    for given in (PARTS.keys() - {missing}, {missing}):
        for name, value in PARTS.items():
            if name in given:
                monkeypatch.setenv(name, value)
            else:
                monkeypatch.delenv(name, raising=False)
        ended = await mahjic(*command)
        assert (ended.exit_code, ended.stderr.split(":")[0]) == (2, "invalid_settings")
        also = ended.stderr.partition("Also give ")[2].partition(", or none of")[0]
        assert set(also.split(", ")) == PARTS.keys() - given
        assert not [secret for secret in SECRETS if secret in ended.stderr + ended.stdout]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAHJIC_STRIPE_KEY", "pk_live_5eCr3t"),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", "whsec_5eCr3t"),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", '["5eCr3t"]'),
        ("MAHJIC_STRIPE_WEBHOOK_SECRETS", "[]"),
        ("MAHJIC_STRIPE_PRICE", "prod_5eCr3t"),
        ("MAHJIC_IDENTITY_HASH_KEY", "short-5eCr3t"),
    ],
)
async def test_a_wrong_part_is_refused_by_its_name_and_never_repeated(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part, fit in PARTS.items():
        monkeypatch.setenv(part, value if part == name else fit)
    ended = await mahjic("serve")
    assert (ended.exit_code, ended.stderr.split(":")[0]) == (2, "invalid_settings")
    assert name in ended.stderr
    assert "5eCr3t" not in ended.stderr
