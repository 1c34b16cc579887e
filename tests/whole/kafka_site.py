"""Mahjic on a real Kafka, every role a process of its own, as an operator runs it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx

from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.processes import Served, mahjic, serving

ROLES: Final = ("ingest", "relay", "rater", "projections", "read")


def environment_of(database: Database, broker: Broker, prefix: str) -> dict[str, str]:
    """Return the settings of Kafka mode on one broker."""
    return {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_KAFKA_SERVERS": broker.address,
        "MAHJIC_KAFKA_PREFIX": prefix,
        "MAHJIC_KAFKA_REPLICATION": "1",
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000",
        "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000",
    }


@dataclass(frozen=True, slots=True)
class KafkaSite:
    """The processes by their role, and the key of a club."""

    environment: dict[str, str]
    served: dict[str, Served]
    key: str

    async def submit(self, claim: dict[str, Any]) -> httpx.Response:
        """Submit a session to ingest."""
        async with self._client("ingest") as client:
            return await client.post("/v1/sessions", json=claim)

    async def get(self, role: str, path: str) -> httpx.Response:
        """Ask one of the processes for something."""
        async with self._client(role) as client:
            return await client.get(path)

    def _client(self, role: str) -> httpx.AsyncClient:
        bearer = {"Authorization": f"Bearer {self.key}"}
        return httpx.AsyncClient(base_url=self.served[role].url, headers=bearer, timeout=60)


@asynccontextmanager
async def a_kafka_site(
    environment: dict[str, str], *, roles: tuple[str, ...] = ROLES
) -> AsyncIterator[KafkaSite]:
    """Move the logs of a database to Kafka and run a process for each role."""
    await mahjic(environment, "kafka", "init")
    await mahjic(environment, "source", "add", "a-club", "--name", "A Club", "--type", "club")
    key = await mahjic(environment, "key", "create", "a-club")
    async with AsyncExitStack() as running:
        served = {
            role: await running.enter_async_context(serving(environment, command=role))
            for role in roles
        }
        yield KafkaSite(environment, served, key)
