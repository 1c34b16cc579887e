"""What is kept of the answers of servers, whatever they do."""

import asyncio
import ssl
from collections.abc import AsyncIterator

import pytest

from services.notices.webhooks import posting
from services.notices.webhooks.network import CheckedNetwork
from services.notices.webhooks.posting import ANSWER_BYTES_MAX, WebhookPost
from tests.notices.webhooks.internet import PUBLIC, made_up_internet
from tests.notices.webhooks.receiver import Answer, Receiver, Request, a_receiver, says

# Long enough for a server on this machine, short for a test.
SHORT_S = 1.0


def raw(*pieces: bytes, then_hang: bool = False) -> Answer:
    """Return what answers with bytes as they are, and closes, or says nothing more."""

    async def answer(_request: Request, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if then_hang:
            await asyncio.Event().wait()

    return answer


async def drips(_request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer a byte at a time, forever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def drips_headers(_request: Request, writer: asyncio.StreamWriter) -> None:
    """Begin to answer, forever."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X: y\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def goes_on_and_on(_request: Request, writer: asyncio.StreamWriter) -> None:
    """Say that an answer will come, forever."""
    while True:
        writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def floods(_request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer with far more than anybody reads."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


@pytest.fixture
async def post() -> AsyncIterator[WebhookPost]:
    post = WebhookPost(CheckedNetwork(loopback=True), loopback=True)
    yield post
    await post.close()


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_every_kind_of_yes_is_one(post: WebhookPost, receiver: Receiver, status: int) -> None:
    receiver.usual = says(status)
    posted = await post.post(receiver.url(), [], b"{}")
    assert (posted.outcome, posted.status) == ("delivered", status)


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503, 599])
async def test_everything_else_is_no_and_nobody_is_led_elsewhere(
    post: WebhookPost, receiver: Receiver, status: int
) -> None:
    receiver.usual = says(status, "No.", location=receiver.url("/elsewhere"), retry_after="7")
    posted = await post.post(receiver.url(), [], b"{}")
    assert (posted.outcome, posted.status) == ("refused", status)
    assert (posted.answer, posted.retry_after) == ("No.", "7")
    assert receiver.at("/elsewhere") == []


@pytest.mark.parametrize(
    "answer",
    [
        drips_headers,
        goes_on_and_on,
        raw(then_hang=True),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", then_hang=True),
    ],
)
async def test_a_server_that_takes_its_time_is_given_so_much_and_no_more(
    post: WebhookPost, receiver: Receiver, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "TRY_S_MAX", SHORT_S)
    receiver.usual = answer
    posted = await post.post(receiver.url(), [], b"{}")
    assert (posted.outcome, posted.status) == ("no_answer", None)


async def test_a_server_that_drips_is_cut_off(
    post: WebhookPost, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "TRY_S_MAX", SHORT_S)
    receiver.usual = drips
    assert (await post.post(receiver.url(), [], b"{}")).outcome == "no_answer"


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"\0\1\2\3",
        b"HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_whole_answer_is_none(
    post: WebhookPost, receiver: Receiver, told: bytes
) -> None:
    receiver.usual = raw(told)
    posted = await post.post(receiver.url(), [], b"{}")
    assert (posted.outcome, posted.status, posted.answer) == ("no_answer", None, None)


async def test_of_a_long_answer_the_first_kibibyte_is_kept(
    post: WebhookPost, receiver: Receiver
) -> None:
    receiver.usual = floods
    posted = await post.post(receiver.url(), [], b"{}")
    assert (posted.outcome, posted.answer) == ("delivered", "x" * ANSWER_BYTES_MAX)


async def test_what_a_database_cannot_keep_is_not_in_what_is_kept(
    post: WebhookPost, receiver: Receiver
) -> None:
    receiver.usual = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na\0\xff\xedb")
    posted = await post.post(receiver.url(), [], b"{}")
    assert posted.answer is not None
    assert "\0" not in posted.answer
    assert posted.answer.encode().decode() == posted.answer


async def test_nobody_there_is_told_apart_from_no_answer(post: WebhookPost) -> None:
    async with a_receiver() as receiver:
        url = receiver.url()
    assert (await post.post(url, [], b"{}")).outcome == "no_connection"


async def test_a_certificate_is_checked_against_the_name() -> None:
    with made_up_internet() as internet:
        for host in ("club.example", "other.example", "stranger.example"):
            internet.name(host, [PUBLIC])
        post = internet.post()
        async with a_receiver(ssl=internet.server_context("club.example")) as receiver:
            good = await post.post(f"https://club.example:{receiver.port}/x", [], b"{}")
            bad = await post.post(f"https://other.example:{receiver.port}/x", [], b"{}")
        with made_up_internet() as elsewhere:
            context = elsewhere.server_context("stranger.example")
        async with a_receiver(ssl=context) as receiver:
            unknown = await post.post(f"https://stranger.example:{receiver.port}/", [], b"{}")
        assert [each.outcome for each in (good, bad, unknown)] == ["delivered", "no_tls", "no_tls"]
        assert internet.connected == [PUBLIC] * 3
        await post.close()


async def test_nothing_of_the_environment_leads_events_elsewhere(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    monkeypatch.delenv("NO_PROXY", raising=False)
    post = WebhookPost(CheckedNetwork(loopback=True), loopback=True)
    assert (await post.post(receiver.url(), [(b"webhook-id", b"x")], b"{}")).is_delivered
    assert receiver.requests[0].headers["host"] == f"127.0.0.1:{receiver.port}"
    await post.close()


async def test_a_server_that_breaks_off_tls_after_the_handshake_has_failed() -> None:
    with made_up_internet() as internet:
        internet.name("club.example", [PUBLIC])
        context = internet.server_context("club.example")
        # With TLS 1.3 it says only after the handshake that it wants to know who asks.
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        internet.ca.configure_trust(context)
        post = internet.post()
        async with a_receiver(ssl=context) as receiver:
            posted = await post.post(f"https://club.example:{receiver.port}/", [], b"{}")
        assert posted.outcome in {"no_tls", "no_answer"}
        assert posted.status is None
        await post.close()


async def test_whatever_goes_wrong_is_a_failure_of_that_server(
    post: WebhookPost, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(post, "_post", broken)
    assert (await post.post("http://127.0.0.1:9999/", [], b"{}")).outcome == "no_answer"
