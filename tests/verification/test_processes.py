"""Verification as an operator runs it: in `mahjic serve`, or by a process of its own on Kafka."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.processes import mahjic, serving, working
from tests.verification.served import EVENTS_PATH
from tests.verification.stripe.account.events import SECRET
from tests.verification.stripe.account.odd import ODD_WORDS
from tests.verification.stripe.over_http.server import FakeStripe, running_fake
from tests.whole.kafka.kafka_site import environment_of, running

pytestmark = pytest.mark.starts_servers

KEY, HASH_KEY = "rk_test_9f8e7d6c5b4a", "k3y-of-documents-0123456789abcdef"
PARTS = {
    "MAHJIC_STRIPE_KEY": KEY,
    "MAHJIC_STRIPE_WEBHOOK_SECRETS": f'["{SECRET}"]',
    "MAHJIC_STRIPE_PRICE": "price_ofayear",
    "MAHJIC_IDENTITY_HASH_KEY": HASH_KEY,
}
SECRETS = (KEY, SECRET, HASH_KEY)
OPEN_EVENTS = "SELECT count(*) FROM mahjic.stripe_events WHERE done_at IS NULL"


@pytest.fixture
async def fake(stripe_mock_url: str) -> AsyncIterator[FakeStripe]:
    async with running_fake(stripe_mock_url, lambda: datetime.now(UTC)) as fake:
        yield fake


def assert_silent(told: str) -> None:
    """Check that no secret and nothing of a document is told."""
    assert not [each for each in (*SECRETS, *ODD_WORDS) if each in told], told


async def figure(url: str, name: str) -> float | None:
    async with httpx.AsyncClient() as client:
        text = (await client.get(f"{url}/metrics")).text
    families = text_string_to_metric_families(text)
    return {each.name: each.value for family in families for each in family.samples}.get(name)


async def test_what_serves_sees_to_events_and_tells_no_secret(
    database: Database, fake: FakeStripe
) -> None:
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_STRIPE_API_BASE": fake.url,
        **PARTS,
    }
    async with serving(environment) as served:
        await fake_customer(fake)
        async with httpx.AsyncClient(base_url=served.url) as client:
            assert set(await fake.deliver(client, EVENTS_PATH)) == {200}
            forged = await fake.deliver(client, EVENTS_PATH, secrets=["whsec_forged"])
            assert set(forged) == {400}

        async def is_done() -> bool:
            return bool(await database.pool.fetchval(OPEN_EVENTS) == 0)

        await until(is_done)
        assert await figure(served.url, "mahjic_stripe_oldest_event_s") is not None
        told = [
            await mahjic(environment, *each) for each in (("status",), ("verification", "list"))
        ]
        assert_silent("\n".join(told))
    assert_silent(served.log)
    # It has said something, and seen what was sent to it.
    assert EVENTS_PATH in served.log


async def fake_customer(fake: FakeStripe) -> None:
    """Let Stripe tell of somebody who is nobody's here, and of a check."""
    fake.account.make_customer()
    check = fake.account.begin_check(
        {"mahjic_check": "ask_elsewhere"}, return_url="https://x.example"
    )
    fake.people.pass_check(check.id)


async def test_on_kafka_a_process_of_its_own_sees_to_events_that_ingest_takes(
    database: Database, kafka_broker: Broker, kafka_prefix: str, fake: FakeStripe
) -> None:
    environment = {
        **environment_of(database.dsn, kafka_broker, kafka_prefix),
        "MAHJIC_STRIPE_API_BASE": fake.url,
        **PARTS,
    }
    await mahjic(environment, "kafka", "init")
    await fake_customer(fake)
    async with running(environment, ["ingest"]) as served:
        async with httpx.AsyncClient(base_url=served["ingest"].url) as client:
            assert set(await fake.deliver(client, EVENTS_PATH)) == {200}
        assert await database.pool.fetchval(OPEN_EVENTS) == len(fake.account.outbox)
        async with working(environment, "verification", "work") as worker:

            async def is_done() -> bool:
                return bool(await database.pool.fetchval(OPEN_EVENTS) == 0)

            await until(is_done)
            assert await figure(worker.url, "mahjic_verified_players") == 0
            assert_silent(worker.log + served["ingest"].log)
