"""The fixtures of tests that need a real Kafka, for every folder of tests."""

import itertools
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NoReturn

import pytest

from tests.folders import open_folder
from tests.kafka.broker import NONE, Broker
from tests.kafka.tools import REQUIRE, KafkaMissing

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
async def kafka_broker() -> AsyncIterator[Broker]:
    """Return the broker that all tests of a run share; none of them stops, kills or pauses it."""
    async with a_broker() as broker:
        yield broker


@pytest.fixture
async def own_broker() -> AsyncIterator[Broker]:
    """Return a broker of one test, which may do with it what it likes."""
    async with a_broker() as broker:
        yield broker


@pytest.fixture
def kafka_prefix() -> str:
    """Return a prefix of topics that no other test has."""
    return f"test-{next(_numbers)}-{secrets.token_hex(4)}"


@asynccontextmanager
async def a_broker(
    *, listeners: Mapping[str, str] = NONE, properties: Mapping[str, str] = NONE
) -> AsyncIterator[Broker]:
    """Run a broker on a folder of its own; skip the test if there is no Kafka."""
    folder = open_folder()
    try:
        async with Broker(folder, listeners=listeners, properties=properties) as broker:
            yield broker
    except KafkaMissing as missing:
        not_tried(missing)
    finally:
        shutil.rmtree(folder)


def not_tried(missing: KafkaMissing) -> NoReturn:
    """Skip a test that needs Kafka, and fail it where nothing may be left out."""
    if os.environ.get(REQUIRE):
        pytest.fail(f"{REQUIRE} is set, and Kafka cannot run. {missing}", pytrace=False)
    pytest.skip(f"NOT TRIED: no Kafka. {missing}")
