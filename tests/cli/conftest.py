"""What the tests of commands share: a service that answers as told, and settings of their own."""

import os
from collections.abc import Iterator

import pytest

from tests.cli.running import without_settings
from tests.cli.scripted import ScriptedService
from tests.conftest import Database


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ.keys() - without_settings().keys():
        monkeypatch.delenv(name)


@pytest.fixture
def own_database(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Return a fresh database that the commands of the test work on."""
    monkeypatch.setenv("MAHJIC_DATABASE_URL", database.dsn)
    return database


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    """Return a service on the loopback that the commands of the test talk to."""
    with ScriptedService() as service:
        monkeypatch.setenv("MAHJIC_URL", service.url)
        monkeypatch.setenv("MAHJIC_KEY", "mjk_" + "k" * 43)
        yield service
