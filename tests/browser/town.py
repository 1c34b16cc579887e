"""A town that plays: a whole service with a season on it, and somebody for every hard case."""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from services.accounts.tokens import token_hash
from services.cli.demo.doors import SOURCES
from services.cli.demo.league_night import LEAGUE_NIGHT
from services.cli.demo.people import CLUB, PEOPLE, PLATFORM
from services.cli.demo.season import make_up_season
from shared.access.sources import add_source
from shared.mail.address_hash import AddressHashes
from shared.mail.no_more import NO_MORE_PATH, no_more_token
from tests.browser import townsfolk as folk
from tests.conftest import Database
from tests.http.serving import serving
from tests.log.deadlines import until
from tests.service import FOUNDED, UNLIMITED, RunningService, bearer, running_service

SEED: Final = 1
HASH_KEY: Final = "the key of the town, 32 letters or more"
ALICE: Final = "alice@ex.com"
CHOOSE_NAME: Final = """
UPDATE mahjic.people SET name = $2 WHERE player_id = $1
"""
NOTE_CHANGE: Final = """
WITH counted AS (UPDATE mahjic.head SET people_seq = people_seq + 1 RETURNING people_seq)
INSERT INTO mahjic.people_changes (seq, player_id) SELECT people_seq, $1 FROM counted
"""
# The token of an invitation that was written long ago.
INVITED: Final = "A" * 43
NOTE_INVITATION: Final = """
INSERT INTO mahjic.invitations (
    mail_id, token_hash, address_hash, player_id, session_id, source, session_date, queued_at
) VALUES ('mail_1', $1, $1, $2, 'a session', $3, '2025-01-31', now())
"""


@dataclass
class Town:
    """A service that runs: its address, its keys, and the ids of people by their addresses."""

    running: RunningService
    url: str
    operator: dict[str, str]
    sources: dict[str, dict[str, str]]
    ids: dict[str, str] = field(default_factory=dict)
    # The rating of `PEAK` that a correction took back.
    peak_taken_back: float = 0.0
    # The newest change of the rating of each person that has one.
    changes: dict[str, str] = field(default_factory=dict)

    @property
    def client(self) -> httpx.AsyncClient:
        """Calls the interface, past the network."""
        return self.running.client

    def name(self, who: str) -> str:
        """The name that somebody chose."""
        return folk.CHOSEN_NAMES[who]

    def page(self, who: str) -> str:
        """The path of somebody's page."""
        return f"/players/{self.ids[who]}"

    def no_more_mail(self, who: str) -> str:
        """The path of the page that ends mail to somebody."""
        return NO_MORE_PATH + no_more_token(AddressHashes(HASH_KEY.encode()), who)

    def newest_change(self, who: str) -> str:
        """The path of the page that says why somebody's rating changed last."""
        return f"{self.page(who)}/changes/{self.changes[who]}"

    def admin(self, who: str, what: str) -> str:
        """The path of what only the operator does to somebody."""
        return f"/v1/admin/players/{self.ids[who]}/{what}"

    async def submit(self, claim: dict[str, Any]) -> dict[str, Any]:
        """Submit a session, and return the answer with its ratings."""
        headers = self.sources[claim["source_id"]]
        answer = await self.client.post("/v1/sessions", json=claim, headers=headers)
        assert answer.status_code == 201, answer.text
        told: dict[str, Any] = answer.json()
        self._meet(told["results"])
        return told

    async def submit_all(self, claims: Iterable[dict[str, Any]], source: str) -> None:
        """Submit many sessions of one source, in one request."""
        lines = "".join(json.dumps(claim) + "\n" for claim in claims)
        headers = self.sources[source] | {
            "Content-Type": "application/x-ndjson",
            "Prefer": "respond-async",
        }
        answer = await self.client.post(
            "/v1/sessions/batch", content=lines, headers=headers, timeout=120
        )
        for told in map(json.loads, answer.text.splitlines()):
            assert told["status"] == 202, told
            self._meet(told["session"]["players"])

    async def change(self, session: dict[str, Any], what: str, body: dict[str, Any]) -> None:
        """Void or correct a session, as the club that submitted it."""
        path = f"/v1/sessions/{session['session_id']}/{what}"
        answer = await self.client.post(path, json=body, headers=self.sources[CLUB])
        assert answer.status_code in {200, 201}, answer.text

    async def ask_operator(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask for something as the operator."""
        answer = await self.client.request(method, path, json=body, headers=self.operator)
        assert answer.status_code in {200, 201, 202, 204}, answer.text
        return dict(answer.json()) if answer.content else {}

    async def register(self, who: str, *, is_verified: bool) -> None:
        """Put somebody on record, as the operator does."""
        told = await self.ask_operator("POST", "/v1/admin/players", {"email": who})
        self.ids[who] = told["mahjic_id"]
        if is_verified:
            await self.ask_operator("PUT", self.admin(who, "verification"), {"verified": True})

    async def choose_names(self) -> None:
        """Let people choose the names that everybody reads, as they will when they claim."""
        async with self.running.pool.acquire() as connection, connection.transaction():
            for who, name in folk.CHOSEN_NAMES.items():
                await connection.execute(CHOOSE_NAME, self.ids[who], name)
                await connection.execute(NOTE_CHANGE, self.ids[who])

    async def all_shown(self) -> None:
        """Wait until the pages show everything that is on record."""
        end = (await self.running.service.logs.facts.tail()).seq
        for path in ("/v1/leaderboard", f"{self._v1(ALICE)}/history", "/v1/sources"):

            async def is_shown(path: str = path) -> bool:
                answer = await self.client.get(path, params={"min_seq": end})
                return answer.status_code == 200

            await until(is_shown)

    async def read_changes(self, *several: str) -> None:
        """Learn the newest change of several people."""
        for who in several:
            answer = await self.client.get(f"{self._v1(who)}/history", params={"limit": 1})
            self.changes[who] = answer.json()["changes"][0]["change_id"]

    def _meet(self, players: Iterable[dict[str, Any]]) -> None:
        for each in players:
            if each["mahjic_id"] is not None:
                self.ids[each["player"]] = each["mahjic_id"]

    def _v1(self, who: str) -> str:
        return f"/v1/players/{self.ids[who]}"


@asynccontextmanager
async def empty_town(database: Database, **settings: Any) -> AsyncIterator[Town]:
    """Run a service in which nobody has played yet, with a site to visit."""
    limits = {"page_limit_per_minute": UNLIMITED, **settings}
    async with running_service(database, address_hash_key=HASH_KEY, **limits) as running:
        for slug, details in SOURCES.items():
            await add_source(running.pool, slug, details, now=FOUNDED)
        keys = {slug: bearer(await running.source_key(slug)) for slug in SOURCES}
        operator = bearer(await running.operator_key())
        async with serving(running.app, deadline_s=None) as served:
            yield Town(running, f"http://127.0.0.1:{served.port}", operator, keys)


async def play_season(town: Town) -> None:
    """Play the season of the demo, and verify people before it."""
    for person in PEOPLE:
        if person.is_public:
            await town.register(person.submitted_as, is_verified=person.verified_on is not None)
    await town.submit(LEAGUE_NIGHT)
    for session in make_up_season(SEED).sessions:
        await town.submit(session.claim)


async def play_hard_cases(town: Town) -> None:
    """Play, void, correct, hide, erase and merge, until there is somebody for every hard case."""
    for who in (*folk.EQUALS, *folk.ODD_NAMES, folk.OFTEN, folk.HIDDEN, folk.ERASED, folk.PEAK):
        await town.register(who, is_verified=True)
    await town.submit_all(folk.often_sessions(), PLATFORM)
    await town.submit_all(folk.equal_sessions(), PLATFORM)
    await town.submit_all(folk.odd_sessions(), CLUB)
    await town.submit(folk.once_session())
    voided = await town.submit(folk.voided_session())
    await town.change(voided, "void", {"reason": "not_played"})
    peak, _ = [await town.submit(each) for each in folk.peak_sessions()]
    town.peak_taken_back = peak["results"][0]["rating_after"]
    await town.change(peak, "corrections", folk.peak_corrected() | {"reason": "wrong_result"})
    await town.choose_names()
    await town.running.pool.execute(NOTE_INVITATION, token_hash(INVITED), town.ids[ALICE], CLUB)
    await town.ask_operator("PUT", town.admin(folk.HIDDEN, "privacy"), {"privacy": "private"})
    await town.ask_operator("DELETE", town.admin(folk.ERASED, "personal-data"))
    into = {"into": town.ids[folk.MERGED_INTO]}
    await town.ask_operator("POST", town.admin(folk.MERGED, "merge"), into)
