"""What becomes of every fault on the way to Stripe: away, refused, or unknown."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from services.verification.stripe.adapter import StripeSdk
from services.verification.stripe.port import StripeAway, StripeRefused
from tests.verification.stripe.over_http.serving import Request, Response, Serving

HTML = "<html><body>Bad gateway</body></html>"


def told(kind: str, code: str | None = None) -> str:
    error = {"type": kind, "message": "Nobody should rely on this."}
    return json.dumps({"error": error if code is None else {**error, "code": code}})


AWAY = {
    "too many requests": (429, told("invalid_request_error", "rate_limit")),
    "too many requests, as it was said in former times": (
        400,
        told("invalid_request_error", "rate_limit"),
    ),
    "another request holds it": (409, told("invalid_request_error", "lock_timeout")),
    "the same key is being worked on": (409, told("idempotency_error")),
    "a part of theirs failed": (424, told("api_error")),
    "an error of theirs": (500, told("api_error")),
    "a proxy without Stripe behind it": (502, HTML),
    "some other server that knows no such path": (404, HTML),
    "some other server that wants a login": (401, HTML),
    "some other server that is content": (200, HTML),
    "half an answer": (200, '{"id": "vs_1", "stat'),
    "a redirect": (302, ""),
}
REFUSED = {
    "a key that is wrong": (401, told("invalid_request_error"), "unauthorized"),
    "a key that has expired": (401, told("invalid_request_error", "api_key_expired"), None),
    "a key that may not": (403, told("invalid_request_error"), "forbidden"),
    "a card that was declined": (402, told("card_error", "card_declined"), None),
    "a word that Stripe does not know": (
        400,
        told("invalid_request_error", "parameter_unknown"),
        None,
    ),
    "a reason without a word for it": (
        400,
        told("invalid_request_error"),
        "invalid_request_error",
    ),
    "a key that was used for something else": (
        400,
        told("idempotency_error"),
        "idempotency_error",
    ),
}


@asynccontextmanager
async def answering(status: int, body: str) -> AsyncIterator[StripeSdk]:
    """Give a client of a server that has only one answer."""

    async def handle(request: Request) -> Response:
        headers = {"Content-Type": "application/json", "Request-Id": "req_123"}
        return Response(status, body.encode(), headers)

    async with (
        Serving(handle) as serving,
        aclosing(StripeSdk("rk_test_0123456789", "price_1", serving.url)) as stripe,
    ):
        yield stripe


@pytest.mark.parametrize("case", AWAY)
async def test_stripe_is_away_when_nobody_knows_what_was_done(case: str) -> None:
    async with answering(*AWAY[case]) as stripe:
        with pytest.raises(StripeAway):
            await stripe.check("vs_1")
        with pytest.raises(StripeAway):
            await stripe.make_customer("key-1")


@pytest.mark.parametrize("case", REFUSED)
async def test_a_refusal_says_why_in_stripes_word_and_where_to_look_for_it(case: str) -> None:
    status, body, word = REFUSED[case]
    code = word or json.loads(body)["error"]["code"]
    async with answering(status, body) as stripe:
        for asked in (stripe.check("vs_1"), stripe.make_customer("key-1")):
            with pytest.raises(StripeRefused) as refused:
                await asked
            assert refused.value.code == code
            assert str(refused.value) == f"Stripe refused the request: {code} (request req_123)."


async def test_what_is_unknown_is_none_to_who_reads_and_refused_to_who_makes() -> None:
    async with answering(404, told("invalid_request_error", "resource_missing")) as stripe:
        assert await stripe.check("vs_1") is None
        assert await stripe.payments("cus_1") == []
        with pytest.raises(StripeRefused, match="resource_missing"):
            await stripe.make_customer("key-1")


async def test_nobody_listens() -> None:
    async def handle(request: Request) -> None:
        raise AssertionError("It has closed.")

    async with Serving(handle) as closed:
        pass
    async with aclosing(StripeSdk("rk_test_0123456789", "price_1", closed.url)) as stripe:
        with pytest.raises(StripeAway):
            await stripe.check("vs_1")


async def test_an_answer_that_drips_is_not_waited_for() -> None:
    """Every byte comes in time, and the whole never."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        try:
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, aclosing(StripeSdk("rk_test_0123456789", "price_1", url, 0.5)) as stripe:
        with pytest.raises(StripeAway, match=r"within 0\.5 s"):
            await stripe.check("vs_1")
