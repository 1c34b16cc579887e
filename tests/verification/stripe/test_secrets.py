"""Nothing that a document says, and no key, gets into a log, an exception or a text of ours."""

import asyncio
import json
import logging
import os
import sys
import traceback
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import astuple
from pathlib import Path

import pytest

from services.verification.stripe.adapter import StripeSdk
from services.verification.stripe.port import DocumentRead, StripeAway
from tests.verification.stripe.account.holdings import Report
from tests.verification.stripe.account.odd import ODD, ODD_WORDS, a_document
from tests.verification.stripe.over_http.server import FakeStripe
from tests.verification.stripe.over_http.serving import Request, Response, Serving

KEY = "rk_test_0123456789"
RETURN = "https://mahjic.example/me/verified"
# Reads a document as a service does, in a process whose environment wants everything printed.
READING = """
import asyncio, logging, sys
from services.verification.stripe.adapter import StripeSdk

async def read(key, url, report_id):
    stripe = StripeSdk(key, "price_1", url)
    logging.basicConfig(level=logging.DEBUG)
    read = await stripe.document(report_id)
    await stripe.aclose()
    print(read, repr(read), "read" if read.number.startswith("Q7-ODD") else "not read")

asyncio.run(read(*sys.argv[1:]))
"""


@pytest.fixture
async def stripe(fake_stripe: FakeStripe) -> AsyncIterator[StripeSdk]:
    """Return a client of the fake."""
    async with aclosing(StripeSdk(KEY, "price_1", fake_stripe.url)) as client:
        yield client


async def a_report(stripe: StripeSdk, fake_stripe: FakeStripe) -> str:
    check = await stripe.begin_check("key-1", return_url=RETURN)
    fake_stripe.people.pass_check(check.session_id)
    return next(iter(fake_stripe.account.reports))


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def assert_silent(text: str) -> None:
    found = [each for each in (*ODD_WORDS, KEY) if each in text]
    assert not found, text


async def test_a_document_is_never_shown(stripe: StripeSdk, fake_stripe: FakeStripe) -> None:
    read = await stripe.document(await a_report(stripe, fake_stripe))
    assert read is not None
    # It was there to be shown.
    assert ODD.number in astuple(read)
    assert_silent(f"{read} {read!r} {[read]} {(read,)!s}")
    assert repr(read) == "DocumentRead(...)"


def test_the_accounts_of_tests_show_none_either() -> None:
    assert_silent(repr(Report("vr_1", "vs_1", ODD)))


async def test_no_logger_is_told(
    stripe: StripeSdk, fake_stripe: FakeStripe, caplog: pytest.LogCaptureFixture
) -> None:
    report_id = await a_report(stripe, fake_stripe)
    with caplog.at_level(logging.DEBUG):
        assert await stripe.document(report_id) is not None
        await stripe.check(next(iter(fake_stripe.account.checks)))
    assert any(each.name.startswith("httpcore") for each in caplog.records)
    assert_silent(caplog.text)


async def test_nothing_is_printed_or_kept_whatever_the_environment_wants(
    stripe: StripeSdk, fake_stripe: FakeStripe, tmp_path: Path
) -> None:
    report_id = await a_report(stripe, fake_stripe)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", READING, KEY, fake_stripe.url, report_id),
        env={**os.environ, **home, "STRIPE_LOG": "debug"},
        stdout=PIPE,
        stderr=PIPE,
    )
    printed, told = await process.communicate()
    assert process.returncode == 0, told.decode()
    assert printed.decode().strip().endswith(" read")
    assert "httpcore" in told.decode()
    assert_silent(printed.decode() + told.decode())
    assert names_in(tmp_path) == []


async def test_an_exception_holds_nothing_of_the_answer() -> None:
    """Half an answer with a document in it: the library puts it into its own exception."""
    half = json.dumps({"document": {"number": ODD.number, "first_name": ODD.first_name}})[:-2]

    async def handle(request: Request) -> Response:
        return Response(200, half.encode(), {"Content-Type": "application/json"})

    async with (
        Serving(handle) as serving,
        aclosing(StripeSdk(KEY, "price_1", serving.url)) as client,
    ):
        with pytest.raises(StripeAway) as away:
            await client.document("vr_1")
    error = away.value
    assert error.__cause__ is None
    assert error.__context__ is None
    assert error.__traceback__ is not None
    # Without this test itself, which knows the answer.
    within = error.__traceback__.tb_next
    shown = traceback.TracebackException(StripeAway, error, within, capture_locals=True)
    assert_silent("".join(shown.format()))


def test_the_documents_of_others_are_as_odd() -> None:
    other = a_document(7)
    read = DocumentRead(
        other.country,
        other.document_type,
        other.number,
        other.first_name,
        other.last_name,
        other.born_on,
    )
    assert other.number.startswith("Q7-ODD-DOC-")
    assert "Q7-ODD" not in repr(read)
