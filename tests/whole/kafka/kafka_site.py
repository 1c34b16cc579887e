"""Mahjic on a real Kafka, every role a process of its own, as an operator runs it."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import httpx

from shared.http.layers.paths import is_of_site
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.processes import Served, mahjic, start

ROLES: Final = ("ingest", "relay", "rater", "projections", "read", "site")
READING: Final = frozenset({"GET", "HEAD"})
LOG_CHARACTERS_SHOWN: Final = 5_000


def environment_of(dsn: str, broker: Broker, prefix: str) -> dict[str, str]:
    """Return the settings of Kafka mode on a database and one broker; nobody is slowed down."""
    return {
        "MAHJIC_DATABASE_URL": dsn,
        "MAHJIC_KAFKA_SERVERS": broker.address,
        "MAHJIC_KAFKA_PREFIX": prefix,
        "MAHJIC_KAFKA_REPLICATION": "1",
        "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000",
        "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000",
    }


@dataclass(frozen=True, slots=True)
class KafkaSite:
    """The processes by their names, and a key of each kind: source (a club), operator, auditor."""

    environment: dict[str, str]
    served: dict[str, Served]
    keys: dict[str, str]

    @property
    def key(self) -> str:
        """The key of the club."""
        return self.keys["source"]

    def url_for(self, method: str, path: str) -> str:
        """Return where a request goes, as a reverse proxy would send it."""
        return url_for(self.served, method, path)

    async def submit(self, claim: dict[str, Any]) -> httpx.Response:
        """Submit a session to ingest."""
        async with self.client("ingest", "source") as client:
            return await client.post("/v1/sessions", json=claim)

    async def get(self, name: str, path: str) -> httpx.Response:
        """Ask one of the processes for something."""
        async with self.client(name, "source") as client:
            return await client.get(path)

    def client(self, name: str, key: str) -> httpx.AsyncClient:
        """Return a client of one of the processes, with a key of a kind."""
        bearer = {"Authorization": f"Bearer {self.keys[key]}"}
        return httpx.AsyncClient(base_url=self.served[name].url, headers=bearer, timeout=60)

    @property
    def logs(self) -> str:
        """The last that each process has written."""
        return "\n".join(
            f"--- {name}\n{served.log[-LOG_CHARACTERS_SHOWN:]}"
            for name, served in self.served.items()
        )


@asynccontextmanager
async def a_kafka_site(
    environment: dict[str, str], *, roles: Sequence[str] = ROLES
) -> AsyncIterator[KafkaSite]:
    """Move the logs of a database to Kafka and run a process for each role.

    One that runs twice has names: "ingest" and "ingest-2".
    """
    await mahjic(environment, "kafka", "init")
    await mahjic(environment, "source", "add", "a-club", "--name", "A Club", "--type", "club")
    keys = {"source": await mahjic(environment, "key", "create", "a-club")}
    for kind in ("operator", "auditor"):
        keys[kind] = await mahjic(environment, "key", "create", f"--{kind}")
    async with running(environment, roles) as served:
        site = KafkaSite(environment, served, keys)
        try:
            yield site
        except BaseException:
            print(site.logs)  # noqa: T201 - pytest shows it.
            raise


@asynccontextmanager
async def running(
    environment: Mapping[str, str], names: Sequence[str]
) -> AsyncIterator[dict[str, Served]]:
    """Run processes by their names while the context is open, all of them ready at first."""
    served: dict[str, Served] = {}
    try:
        for name in names:
            served[name] = await start(environment, name.partition("-")[0], "--port", "0")
        await asyncio.gather(*(each.serves() for each in served.values()))
        async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
            for each in served.values():
                await until(partial(is_ready, client, each.url))
        yield served
    finally:
        await asyncio.gather(*(each.stop() for each in served.values()))


def url_for(served: Mapping[str, Served], method: str, path: str) -> str:
    """Return where a request goes, as a reverse proxy would send it."""
    if is_of_site(path):
        return served["site"].url
    return served["read" if method in READING else "ingest"].url


async def is_ready(client: httpx.AsyncClient, url: str) -> bool:
    """Tell whether a process has all that it needs."""
    return (await client.get(f"{url}/readyz")).status_code == 200
