"""While Stripe is away, a service records, rates and shows as always."""

from datetime import UTC, datetime

import pytest

from services.verification.starting import pay
from services.verification.stripe.inbox import add_event
from services.verification.stripe.port import StripeAway
from tests.conftest import Database
from tests.ingest.answers import CLAIM
from tests.log.deadlines import until
from tests.service import bearer
from tests.verification.events.sending import NOWHERE
from tests.verification.life.served import served_club


async def test_everything_but_stripe_goes_on_without_it(database: Database) -> None:
    async with served_club(database, NOWHERE, wait_s_default=30) as club:
        service, pool = club.service, club.service.pool
        ann = await club.comes("ann@example.com")
        for number in range(5):
            await add_event(
                pool, f"evt_{number}", "invoice.paid", f"in_{number}", datetime.now(UTC)
            )
        with pytest.raises(StripeAway):
            await pay(club.room, club.login(ann), (ann.player_id,))
        await until(lambda: pool.fetchval("SELECT away_since FROM mahjic.verification_place"))
        answer = await service.submit(CLAIM, await service.source_key())
        assert answer.status_code == 201
        assert answer.json()["status"] == "rated"
        ada = answer.json()["results"][0]["player_id"]
        seq = answer.json()["seq"]
        read = await service.client.get(f"/v1/players/{ada}", params={"min_seq": seq})
        assert read.status_code == 200
        operator = bearer(await service.operator_key())
        path = f"/v1/admin/players/{ada}/verification"
        granted = await service.client.put(path, json={"verified": True}, headers=operator)
        assert granted.json()["verified"] is True
        assert (await service.client.get("/healthz")).status_code == 200
        metrics = (await service.client.get("/metrics")).text
        assert "mahjic_verification_failures_total 0.0" in metrics
        # What waits is tried again, and nothing of it is given up.
        assert await pool.fetchval("SELECT count(*) FROM mahjic.stripe_events") == 5
        assert await pool.fetchval("SELECT max(tries) FROM mahjic.stripe_events") >= 1
        assert not await service.has_ended("verification")
