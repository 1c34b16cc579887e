"""Puts logging back after each test, as a command run in this process sets it up anew."""

import logging
from collections.abc import Iterator

import pytest
import structlog

# Whose levels `configure_logs` sets.
_NAMES = (None, "uvicorn.error", "aiokafka")


@pytest.fixture(autouse=True)
def _logging_as_found() -> Iterator[None]:
    """Have what a test did to logging end with it, or later tests see no warnings."""
    found = structlog.get_config()
    levels = {name: logging.getLogger(name).level for name in _NAMES}
    handlers = list(logging.getLogger().handlers)
    yield
    structlog.configure(**found)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    root = logging.getLogger()
    root.handlers[:] = [handler for handler in root.handlers if handler in handlers]
