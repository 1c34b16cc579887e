"""Stripe over HTTP: its own mock judges what is asked, and an account of ours answers it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

import httpx

from tests.verification.stripe.account.events import SECRET, deliver
from tests.verification.stripe.account.holdings import Event
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account, Refusal
from tests.verification.stripe.account.switches import Switches
from tests.verification.stripe.over_http.answers import (
    Answered,
    answer,
    error_json,
    expanded,
    refused,
)
from tests.verification.stripe.over_http.pages import page
from tests.verification.stripe.over_http.serving import Request, Response, Serving

# Stripe writes it out for a restricted key; its mock has no example of it, and gives up.
BEYOND_THE_MOCK: Final = "document.number"
JUDGED_S_MAX: Final = 30.0


@dataclass
class FakeStripe:
    """Stripe at `url`. What people do to it, `people` can do, or a browser on its pages.

    `requests` are all that were asked of the interface, but for those it never got.
    """

    account: Account
    mock: httpx.AsyncClient
    switches: Switches = field(default_factory=Switches)
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.account.site

    @property
    def people(self) -> People:
        return People(self.account)

    async def deliver(
        self,
        http: httpx.AsyncClient,
        url: str,
        events: Iterable[Event] | None = None,
        *,
        at: datetime | None = None,
        secrets: Sequence[str] = (SECRET,),
    ) -> list[int]:
        """Send events, or all there ever were, to an address; return the statuses of the answers.

        They are signed now, unless it is said when: a late one is signed when it is sent.
        """
        chosen = list(self.account.outbox if events is None else events)
        return await deliver(http, url, chosen, at=at or self.account.now(), secrets=secrets)

    async def handle(self, request: Request) -> Response | None:
        if not request.path.startswith("/v1/"):
            return page(self.account, request)
        if self.switches.away is not None:
            return await self._stay_away()
        self.requests.append(request)
        judged = await self._judge(request)
        if judged.status_code != httpx.codes.OK:
            return _json_response(judged.status_code, judged.content)
        status, told = self._answer(request, judged)
        if request.method != "GET" and self.switches.loses():
            return None
        await self.switches.travels()
        return _json_response(status, json.dumps(told).encode())

    async def _stay_away(self) -> Response | None:
        if self.switches.away == "hangs_up":
            return None
        if self.switches.away == "hangs":
            await asyncio.Event().wait()
        return _json_response(500, json.dumps(error_json("api_error", None, "Sorry.")).encode())

    async def _judge(self, request: Request) -> httpx.Response:
        query = [each for each in request.query.items() if not each[0].startswith("expand[")]
        query += [("expand[]", each) for each in expanded(request.query) - {BEYOND_THE_MOCK}]
        names = {"authorization", "content-type"} & request.headers.keys()
        return await self.mock.request(
            request.method,
            f"{request.path}?{urlencode(query)}",
            content=request.body,
            headers={name: request.headers[name] for name in names},
        )

    def _answer(self, request: Request, judged: httpx.Response) -> Answered:
        def do() -> Answered:
            return answer(self.account, request, judged.json())

        key = request.headers.get("idempotency-key")
        try:
            if request.method != "POST" or key is None:
                return do()
            return self.account.once(key, (request.path, request.body), do)
        except Refusal as refusal:
            return refused(refusal)


@asynccontextmanager
async def running_fake(mock_url: str, clock: Callable[[], datetime]) -> AsyncIterator[FakeStripe]:
    """Run Stripe on an account that holds nothing yet, while the context is open."""
    async with httpx.AsyncClient(base_url=mock_url, timeout=JUDGED_S_MAX, trust_env=False) as mock:
        fake = FakeStripe(Account(clock), mock)
        async with Serving(fake.handle) as serving:
            fake.account.site = serving.url
            yield fake


def _json_response(status: int, body: bytes) -> Response:
    headers = {"Content-Type": "application/json", "Request-Id": "req_of_a_test"}
    return Response(status, body, headers)
