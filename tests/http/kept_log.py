"""Keeps what the program logs, for tests that read it."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from shared.http.logs import configure_logs


@contextmanager
def kept_log(level: str = "info") -> Iterator[io.StringIO]:
    """Log into a text while the context is open."""
    stream = io.StringIO()
    configure_logs(stream=stream, level=level)
    yield stream
    structlog.reset_defaults()
    logging.getLogger().handlers.clear()
