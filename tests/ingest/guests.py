"""A service that the tests of a file share: each test is a guest with players of its own.

A guest writes addresses at example.com. They are sent as addresses of its own domain, so that no
two guests name one player, and read back as they were written.
"""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import httpx

from tests.service import RunningService

_numbers = itertools.count(1)


@dataclass
class Guest:
    """One test on a service where others have left sessions."""

    service: RunningService
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def client(self) -> httpx.AsyncClient:
        """Calls the service; what is sent is sent as it is."""
        return self.service.client

    @property
    def pool(self) -> asyncpg.Pool:
        """The connections of the service."""
        return self.service.pool

    def own(self, text: str) -> str:
        """Return a text with the addresses of this guest."""
        return text.replace("@example.com", f"@guest{self.number}.example.com")

    def plain(self, text: str) -> str:
        """Return a text of the service with the addresses as they were written."""
        return text.replace(f"@guest{self.number}.example.com", "@example.com")

    def told(self, answer: httpx.Response) -> Any:
        """Return what an answer tells, with the addresses as they were written."""
        return json.loads(self.plain(answer.text))

    async def source_key(self, slug: str = "a-club") -> str:
        """Return a new API key of a source that only this guest has."""
        return await self.service.source_key(f"{slug}-{self.number}")

    async def operator_key(self) -> str:
        """Return a new API key of the operator."""
        return await self.service.operator_key()

    async def auditor_key(self) -> str:
        """Return a new API key of an auditor."""
        return await self.service.auditor_key()

    async def submit(self, claim: dict[str, Any], key: str) -> httpx.Response:
        """Submit a session of the players of this guest."""
        return await self.service.submit(json.loads(self.own(json.dumps(claim))), key)

    async def facts(self) -> int:
        """Return how many sessions of this guest's sources are on record."""
        return await self._count("mahjic.submissions", "source", f"%-{self.number}")

    async def people(self) -> int:
        """Return how many of this guest's players are known by their address."""
        return await self._count("mahjic.people", "email", f"%@guest{self.number}.%")

    async def private_words(self) -> int:
        """Return of how many players this guest's sources said that they are private."""
        return await self._count("mahjic.private_words", "source", f"%-{self.number}")

    async def _count(self, table: str, column: str, like: str) -> int:
        query = f"SELECT count(*) FROM {table} WHERE {column} LIKE $1"
        count = await self.pool.fetchval(query, like)
        assert isinstance(count, int)
        return count
