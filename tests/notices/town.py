"""Clubs on a real service that read what they are told."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from services.notices.following import NoticeRoom, follow_notices
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer


@dataclass
class NoticeTown:
    """Clubs that send nights, and an operator; the clock is wound by hand."""

    service: RunningService
    operator: str
    ahead: timedelta = timedelta()
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def room(self) -> NoticeRoom:
        """The room as one process has it."""
        return NoticeRoom(self.service.pool, self.now)

    def now(self) -> datetime:
        """Return the time by the town's clock."""
        return datetime.now(UTC) + self.ahead

    async def key(self, slug: str) -> str:
        """Return the key of a club."""
        if slug not in self.keys:
            self.keys[slug] = await self.service.source_key(slug)
        return self.keys[slug]

    async def night(self, *players: str, at: str = "a-club", on: str = "2026-01-31") -> Any:
        """Record a session of one round that the first player wins, and return the answer."""
        won = {who: len(players) - place for place, who in enumerate(players)}
        claim = a_session(a_round(won), on=on)
        return done(await self.service.submit(claim, await self.key(at), prefer="wait=30"))

    async def post(self, path: str, body: Any, *, key: str) -> Any:
        """Send a change, and return the answer."""
        headers = {**bearer(key), "prefer": "wait=30"}
        return done(await self.service.client.post(path, json=body, headers=headers))

    async def player(self, email: str) -> str:
        """Return the id of an address."""
        found = await self.service.pool.fetchval(
            "SELECT player_id FROM mahjic.people WHERE email = $1", email
        )
        assert found is not None
        return str(found)

    async def verify(self, email: str) -> None:
        """Have the operator verify a player."""
        path = f"/v1/admin/players/{await self.player(email)}/verification"
        headers = bearer(self.operator)
        done(await self.service.client.put(path, json={"verified": True}, headers=headers))

    async def hide(self, email: str) -> None:
        """Have the operator make a player private."""
        path = f"/v1/admin/players/{await self.player(email)}/privacy"
        headers = bearer(self.operator)
        done(await self.service.client.put(path, json={"privacy": "private"}, headers=headers))

    async def follow(self) -> None:
        """Tell of all verdicts."""
        while await follow_notices(self.room, self.service.service.logs.verdicts):
            pass

    async def ask(self, at: str, headers: dict[str, str] | None = None, **asked: Any) -> Any:
        """Ask for the events of a club."""
        fields = {**bearer(await self.key(at)), **(headers or {})}
        return await self.service.client.get("/v1/events", params=asked, headers=fields)

    async def told(self, at: str = "a-club", **asked: Any) -> list[Any]:
        """Follow the verdicts, and return the events of a club."""
        await self.follow()
        answer = await self.ask(at, **asked)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["events"])


def done(answer: httpx.Response) -> Any:
    """Return what was answered to a request that must succeed."""
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None
