"""Gives the tests of this folder the two tellers of stories, and the logs of every adapter."""

import pytest

from tests.corrections.stories import TELLERS, Teller
from tests.log.adapters import kafka_logs, logs, memory_logs, postgres_logs

__all__ = ["kafka_logs", "logs", "memory_logs", "postgres_logs"]


@pytest.fixture(params=TELLERS)
def told(request: pytest.FixtureRequest) -> Teller:
    """Return who tells the story: the replays by hand, and the rater."""
    teller: Teller = TELLERS[request.param]
    return teller
