"""A test that sets logging up leaves nothing of it to the next one."""

import logging

import pytest
import structlog
from structlog.testing import capture_logs

from shared.http.logs import configure_logs


@pytest.mark.parametrize("turn", ["first", "second"])
def test_each_test_sees_warnings_whatever_the_one_before_set_up(turn: str) -> None:
    with capture_logs() as logged:
        structlog.get_logger().warning("seen", turn=turn)
    assert [line["turn"] for line in logged] == [turn]
    handlers = list(logging.getLogger().handlers)

    configure_logs(level="critical")

    assert logging.getLogger().handlers != handlers
    assert logging.getLogger("aiokafka").level == logging.CRITICAL
    with capture_logs() as logged:
        structlog.get_logger().warning("no longer seen")
    assert logged == []


def test_libraries_log_as_they_did_before() -> None:
    assert logging.getLogger("aiokafka").level == logging.NOTSET
