"""What the tests of pages for readers share: somebody without a key, who reads them."""

import pytest

from tests.cli.scripted import ScriptedService


@pytest.fixture
def a_public_reader(service: ScriptedService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands of the test have no key."""
    monkeypatch.delenv("MAHJIC_KEY")
