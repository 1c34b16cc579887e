"""Letters and outboxes for tests, with a clock that is wound by hand."""

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import asyncpg

from shared.mail.address_hash import AddressHashes
from shared.mail.letters import Letter
from shared.mail.outbox import MailOutbox

KEY = bytes(range(32))
START = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that stands still until it is wound on."""

    at: datetime = START

    def now(self) -> datetime:
        return self.at

    def wind(self, by: timedelta) -> None:
        self.at += by


@dataclass
class AnOutbox:
    """An outbox whose ids are counted, and the clock that it looks at."""

    clock: Clock = field(default_factory=Clock)
    hashes: AddressHashes | None = field(default_factory=lambda: AddressHashes(KEY))

    def __post_init__(self) -> None:
        numbers = itertools.count(1)
        self.port = MailOutbox(self.hashes, self.clock.now, lambda: f"mail_{next(numbers):016}")

    async def queue(self, pool: asyncpg.Pool, letter: Letter) -> str | None:
        """Queue a letter in a transaction of its own."""
        async with pool.acquire() as connection, connection.transaction():
            return await self.port.queue(connection, letter)


def a_letter(address: str = "carol@example.com", **other: object) -> Letter:
    """Return a letter that was asked for, or with `is_asked_for=False` one that was not."""
    is_asked_for = other.get("is_asked_for", True)
    given: dict[str, object] = {
        "kind": "proof",
        "subject": "Your code",
        "text": "Type 7K3Q-9XZM.\n",
        "html": "<p>Type 7K3Q-9XZM.</p>\n",
        "is_asked_for": True,
        "no_more_url": None if is_asked_for else "https://mahjic.example/mail/no-more/abc",
    }
    return Letter(address=address, **(given | other))  # type: ignore[arg-type]
