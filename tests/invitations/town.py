"""A town with clubs and players on a real service, and letters that are written by a wound clock.

Everything goes through the service's own doors: what is on record is what ingest recorded, and the
verdicts are the rater's.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import asyncpg
import httpx

from services.accounts.own.mail_choices import MailChoice, choose_mail
from services.accounts.owners import lock_or_make_owner, lock_owner
from services.accounts.room import Accounts, Chance
from services.invitations.following import follow_on
from services.invitations.inviting import invite_next, is_untrue
from services.invitations.room import InvitationRoom
from services.invitations.shown_nights import NightViews
from services.invitations.summing_up import is_summary_untrue, sum_up_next
from services.ports import people_of_accounts
from shared.mail.address_hash import AddressHashes
from shared.mail.outbox import MailOutbox
from shared.mail.taking import MailQueue
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.mail.letters import KEY, Clock
from tests.service import RunningService, bearer

SITE = "https://mahjic.example.org"
HASHES = AddressHashes(KEY)
READ_LETTERS = """
SELECT mail_id, address, subject, plain FROM mahjic.mails WHERE kind = $1 ORDER BY number
"""
_NOT_ME = re.compile(re.escape(SITE) + r"/invited/([0-9A-Za-z_-]{43})\b")


@dataclass(frozen=True)
class ALetter:
    """An invitation as its reader has it."""

    mail_id: str
    address: str
    subject: str
    text: str

    @property
    def who(self) -> str:
        """The name of the reader, which is what comes before the @."""
        return self.address.partition("@")[0]

    @property
    def token(self) -> str:
        """What the link "this is not me" ends with."""
        return str(_NOT_ME.findall(self.text)[0])


@dataclass
class Town:
    """Clubs, players, and the room that writes to them."""

    service: RunningService
    operator: str
    domain: str = "example.com"
    clock: Clock = field(default_factory=lambda: Clock(datetime.now(UTC)))
    per_hour: int = 500
    keys: dict[str, str] = field(default_factory=dict)
    _points: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _begun_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._begun_at = self.clock.now()

    @property
    def pool(self) -> asyncpg.Pool:
        return self.service.pool

    @property
    def room(self) -> InvitationRoom:
        """The room as one process has it."""
        outbox = MailOutbox(HASHES, self.clock.now)
        return InvitationRoom(self.pool, outbox, lambda: SITE, self.per_hour)

    @property
    def nights(self) -> NightViews:
        """What the views show of nights."""
        return NightViews(self.service.service.views.reader)

    @property
    def today(self) -> date:
        """The day: another one once the clock is wound by whole days, whatever the hour was."""
        return self._begun_at.date() + timedelta(days=(self.clock.now() - self._begun_at).days)

    def address(self, who: str) -> str:
        return who if "@" in who else f"{who}@{self.domain}"

    def seat(self, who: str) -> str:
        """Return how a source sends somebody: "PRIVATE: ada" is private, "anon: x" a nickname."""
        kind, colon, name = who.partition(": ")
        if not colon:
            return self.address(who)
        return f"{kind}:{name if kind == 'ANON' else self.address(name)}"

    async def key(self, slug: str) -> str:
        if slug not in self.keys:
            self.keys[slug] = await self.service.source_key(slug)
        return self.keys[slug]

    def claim(self, *players: str, days_ago: int = 0, **more: Any) -> dict[str, Any]:
        """Return a session of one round, which no other looks like."""
        day = (self.today - timedelta(days=days_ago)).isoformat()
        won = {self.seat(who): place for place, who in enumerate(players)}
        wall_games = next(self._points) % 40
        return a_session(a_round(won, wall_games=wall_games), on=day, **more)

    async def night(self, *players: str, at: str = "a-club", days_ago: int = 0, **more: Any) -> str:
        """Record a session of one round, and return its id."""
        claim = self.claim(*players, days_ago=days_ago)
        told = done(await self.service.submit(claim, await self.key(at), **more))
        return str(told["session_id"])

    async def void(self, session_id: str, *, at: str = "a-club") -> None:
        await self._post(f"/v1/sessions/{session_id}/void", {"reason": "not_played"}, at)

    async def correct(
        self, session_id: str, *players: str, at: str = "a-club", days_ago: int = 0
    ) -> str:
        claim = self.claim(*players, days_ago=days_ago)
        body = {**claim, "reason": "wrong_players"}
        told = await self._post(f"/v1/sessions/{session_id}/corrections", body, at)
        return str(told["session_id"])

    async def merge(self, who: str, into: str) -> None:
        await self._admin("POST", who, "merge", {"into": await self.player(into)})

    async def unmerge(self, who: str) -> None:
        await self._admin("POST", who, "unmerge", {})

    async def reseat(self, who: str, to: str, *sessions: str) -> None:
        body = {"sessions": list(sessions), "email": self.address(to)}
        await self._admin("POST", who, "reseat", body)

    async def adopt(self, formula: str) -> None:
        """Rate everything again by another formula."""
        body = {"formula": formula, "since": "beginning"}
        headers = bearer(self.operator)
        done(await self.service.client.post("/v1/admin/formulas", json=body, headers=headers))

    async def forget(self, who: str) -> None:
        await self._admin("DELETE", who, "personal-data", None)

    async def hide(self, who: str) -> None:
        await self._admin("PUT", who, "privacy", {"privacy": "private"})

    async def claim_address(self, who: str) -> None:
        """Prove an address by an account, and claim its player, as logging in does."""
        people = people_of_accounts(self.service.service.recording)
        async with self.pool.acquire() as connection, connection.transaction():
            await people.claim(connection, self.address(who))
            chance = Chance(now=self.clock.now)
            await lock_or_make_owner(chance, connection, self.address(who), is_proved=True)

    async def want(self, who: str, wants: MailChoice) -> None:
        """Choose what mail to get, as the owner of an address."""
        await self.claim_address(who)
        people = people_of_accounts(self.service.service.recording)
        outbox = MailOutbox(HASHES, self.clock.now)
        chance = Chance(now=self.clock.now)
        accounts = Accounts(self.pool, outbox, lambda: SITE, people, HASHES, chance)
        async with self.pool.acquire() as connection, connection.transaction():
            owner = await lock_owner(connection, self.address(who))
            assert owner is not None
            await choose_mail(accounts, connection, owner.account_id, wants)

    async def told(self, *, after: timedelta = timedelta(minutes=61)) -> list[str]:
        """Follow, wait, write; return who was ever told of a night, in the order of the letters."""
        await self.all_shown()
        await self.follow()
        self.clock.wind(after)
        while await sum_up_next(self.room, self.nights) is not None:
            pass
        return [letter.who for letter in await self.letters("summary")]

    async def all_shown(self) -> None:
        """Wait until the views show everything that is on record."""
        end = (await self.service.service.logs.facts.tail()).seq

        async def is_shown() -> bool:
            return self.service.service.views.feed.fact_seq >= end

        await until(is_shown)

    async def player(self, who: str) -> str:
        """Return the id of the address, as it was given out."""
        found = await self.pool.fetchval(
            "SELECT player_id FROM mahjic.people WHERE email = $1", self.address(who)
        )
        assert found is not None, f"Nobody has sent {who}."
        return str(found)

    async def follow(self) -> None:
        """Take in all verdicts."""
        while await follow_on(self.room, self.service.service.logs.verdicts):
            pass

    async def write_due(self) -> int:
        """Write what is due, and return how many letters that were."""
        count = 0
        while (is_written := await invite_next(self.room)) is not None:
            count += is_written
        return count

    async def invited(self, *, after: timedelta = timedelta(minutes=16)) -> list[str]:
        """Follow, wait, write; return all who were ever invited, in the order of their letters."""
        await self.follow()
        self.clock.wind(after)
        await self.write_due()
        return [letter.who for letter in await self.letters()]

    async def letters(self, kind: str = "rated") -> Sequence[ALetter]:
        """Return all letters of a kind that were ever written."""
        rows = await self.pool.fetch(READ_LETTERS, kind)
        return [
            ALetter(row["mail_id"], row["address"], row["subject"] or "", row["plain"] or "")
            for row in rows
        ]

    async def sent(self) -> list[str]:
        """Take all mails out of the outbox as a worker does; return whom it would send one."""
        room = self.room

        checks = {"rated": partial(is_untrue, room), "summary": partial(is_summary_untrue, room)}
        queue = MailQueue(self.pool, HASHES, "mahjic.example.org", is_untrue=checks)
        sent: list[str] = []
        while (mail := await queue.take("lease", now=self.clock.now())) is not None:
            if await queue.is_unwanted(mail):
                await queue.unwanted(mail, now=self.clock.now())
            else:
                await queue.sent(mail, now=self.clock.now())
                sent.append(mail.address.partition("@")[0])
        return sent

    async def _post(self, path: str, body: dict[str, Any], at: str) -> Any:
        key = await self.key(at)
        return done(await self.service.client.post(path, json=body, headers=bearer(key)))

    async def _admin(self, method: str, who: str, act: str, body: Any) -> None:
        path = f"/v1/admin/players/{await self.player(who)}/{act}"
        headers = bearer(self.operator)
        done(await self.service.client.request(method, path, json=body, headers=headers))


def done(answer: httpx.Response) -> Any:
    """Return what an answer tells; fail with it if it is a problem."""
    assert answer.status_code < 300, answer.text
    assert answer.status_code != 202, "The verdict did not come in time."
    return answer.json() if answer.content else None
