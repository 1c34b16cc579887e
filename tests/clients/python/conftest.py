"""A service in a process of its own that the tests of the client share."""

from collections.abc import Iterator

import pytest

from tests.whole.conftest import ServedSite, served_site


@pytest.fixture(scope="session")
def site() -> Iterator[ServedSite]:
    """Return the service, with keys of every kind."""
    with served_site() as running:
        yield running
