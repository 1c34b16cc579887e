"""Clients that send sessions over HTTP and again until they are answered, whatever happens.

What was answered is kept, to be held against the log afterward.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import httpx

from tests.chaos.claims import Errand
from tests.chaos.place import OPERATOR, Place
from tests.log.deadlines import deadline

# As good clients do, they let the service breathe between two tries.
RETRY_S = 0.2
AT_ONCE = 6
ANSWER_S_MAX = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client was told for good: numbers as exact fractions, so that nothing is rounded."""

    errand: Errand
    status: int
    is_replayed: bool
    body: dict[str, Any]


@dataclass
class Crowd:
    """All clients of a site: what they were answered, and how many tries came to nothing."""

    site: Place
    http: httpx.AsyncClient
    answers: list[Answer] = field(default_factory=list)
    tries_in_vain: int = 0
    unavailable: list[httpx.Response] = field(default_factory=list)
    _attempts: "set[asyncio.Task[httpx.Response]]" = field(default_factory=set)
    _progress: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def send_all(self, errands: Iterable[Errand]) -> None:
        """Send errands in order, a few at a time, until every one of them is answered."""
        waiting = list(errands)[::-1]

        async def one_client() -> None:
            while waiting:
                await self.send(waiting.pop())

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(one_client())

    async def send(self, errand: Errand) -> list[Answer]:
        """Send an errand in as many copies as it has, until all of them are answered."""
        if errand.first_try != "whole":
            await self._send_badly(errand)
        copies = [self.send_once(errand) for _ in range(errand.copies)]
        return list(await asyncio.gather(*copies))

    async def send_once(self, errand: Errand) -> Answer:
        """Send one copy of an errand, again and again until it is answered."""
        response = await self.request(
            "POST",
            "/v1/sessions",
            key=self.site.keys[errand.source],
            json=errand.claim,
            headers=errand.headers,
        )
        answer = Answer(
            errand,
            response.status_code,
            response.headers.get("Idempotency-Replayed") == "true",
            json.loads(response.text, parse_float=Fraction),
        )
        self.answers.append(answer)
        async with self._progress:
            self._progress.notify_all()
        return answer

    async def operate(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Do something as the operator until it is done, and return the answer's body."""
        key = self.site.keys[OPERATOR]
        response = await self.request(method, f"/v1/admin/players{path}", key=key, json=body)
        assert response.is_success, response.text
        return response.json() if response.content else None

    async def request(
        self,
        method: str,
        path: str,
        *,
        key: str | None = None,
        json: object = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request as long as the answer is lost, or says to come again."""
        bearer = {} if key is None else {"Authorization": f"Bearer {key}"}
        sent = {**(headers or {}), **bearer}
        async with deadline():
            while True:
                url = self.site.url_for(method) + path
                attempt = asyncio.create_task(
                    self.http.request(method, url, json=json, headers=sent)
                )
                response = await self._outcome_of(attempt)
                if response is not None and not _says_to_come_again(response):
                    return response
                self.tries_in_vain += 1
                await asyncio.sleep(RETRY_S)

    async def answered(self, count: int) -> None:
        """Wait until so many answers have come."""
        async with deadline(), self._progress:
            await self._progress.wait_for(lambda: len(self.answers) >= count)

    def hang_up(self) -> int:
        """Cut off everybody who waits for an answer, and return how many did."""
        running = [attempt for attempt in self._attempts if attempt.cancel()]
        return len(running)

    async def _outcome_of(self, attempt: "asyncio.Task[httpx.Response]") -> httpx.Response | None:
        """Return the response to an attempt; None when it was cut off or the connection broke."""
        self._attempts.add(attempt)
        try:
            await asyncio.wait([attempt])
        finally:
            self._attempts.discard(attempt)
            attempt.cancel()
        if attempt.cancelled() or isinstance(attempt.exception(), httpx.TransportError):
            return None
        response = attempt.result()
        if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            self.unavailable.append(response)
        return response

    async def _send_badly(self, errand: Errand) -> None:
        """Send an errand so that no answer can be had, as clients do that crash."""
        address = httpx.URL(self.site.url_for("POST"))
        whole = _request_bytes(address, self.site.keys[errand.source], errand)
        told = whole if errand.first_try == "no ear for the answer" else whole[: -len(whole) // 3]
        try:
            _, writer = await asyncio.open_connection(address.host, address.port)
        except OSError:
            return
        writer.write(told)
        writer.close()
        # A service that was killed meanwhile takes the connection with it.
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


@asynccontextmanager
async def a_crowd(place: Place) -> AsyncIterator[Crowd]:
    """Give clients of a site."""
    async with httpx.AsyncClient(timeout=ANSWER_S_MAX) as http:
        yield Crowd(place, http)


def _says_to_come_again(response: httpx.Response) -> bool:
    if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return True
    is_conflict = response.status_code == httpx.codes.CONFLICT
    return is_conflict and response.json()["code"] == "request_in_progress"


def _request_bytes(address: httpx.URL, key: str, errand: Errand) -> bytes:
    request = httpx.Request(
        "POST",
        address.join("/v1/sessions"),
        json=errand.claim,
        headers={**errand.headers, "Authorization": f"Bearer {key}"},
    )
    lines = [b"POST /v1/sessions HTTP/1.1", *(b"%b: %b" % each for each in request.headers.raw)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + request.content
