"""Has the files that take longest run first, so that no worker is left with one at the end."""

from typing import Final

import pytest

# They start whole services, break them and wait for them; those that break most and wait longest
# stand apart, so that they don't all run at once.
LONGEST: Final = (
    "tests/chaos_kafka/test_chaos_kafka.py",
    "tests/browser/",
    "tests/cli/",
    "tests/chaos/",
    "tests/operating/",
    "tests/whole/",
    "tests/chaos_kafka/",
    "tests/log/kafka/",
    "tests/invitations/killed/",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest folders first; those of one file stay together, in order."""
    items.sort(key=lambda item: _place(item.nodeid))


def _place(nodeid: str) -> int:
    return next(
        (place for place, folder in enumerate(LONGEST) if nodeid.startswith(folder)), len(LONGEST)
    )
