"""The fixtures of tests that say something to Stripe, for every folder of tests."""

import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from tests.go_tools import GoToolMissing
from tests.verification.stripe.mock import running_mock
from tests.verification.stripe.over_http.server import FakeStripe, running_fake
from tests.verification.stripe.tools import REQUIRE


@pytest.fixture(scope="session")
async def stripe_mock_url() -> AsyncIterator[str]:
    """Return where Stripe's own mock runs, which all tests of a run share."""
    try:
        async with running_mock() as url:
            yield url
    except GoToolMissing as missing:
        not_tried(missing)


@pytest.fixture
async def fake_stripe(stripe_mock_url: str) -> AsyncIterator[FakeStripe]:
    """Return Stripe at an address of its own, with an account that holds nothing yet.

    It goes by the real time until `account.clock` is another one.
    """
    async with running_fake(stripe_mock_url, lambda: datetime.now(UTC)) as fake:
        yield fake


def not_tried(missing: GoToolMissing) -> NoReturn:
    """Skip a test that needs the mock, and fail it where nothing may be left out."""
    if os.environ.get(REQUIRE):
        pytest.fail(f"{REQUIRE} is set, and Stripe's mock cannot run. {missing}", pytrace=False)
    pytest.skip(f"NOT TRIED: no mock of Stripe. {missing}")
