"""Keeps the log of the service under test out of the report, in the form it has in production."""

import io

import pytest

from shared.http.logs import configure_logs


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    """Send the log nowhere; a test that reads it configures its own."""
    configure_logs(stream=io.StringIO())
