"""Writes the log: JSON lines on stderr, or readable ones on a terminal, without anyone's data.

No line holds an address, a name, a key, a path or a query as it was sent. Exceptions are shown by
their types and places in the code; their words are left out, since they may quote what was sent.
"""

import logging
import re
import sys
from typing import Final, TextIO, cast

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from shared.errors import places_of
from shared.ids import ANY_KEY, LIVE_KEY, SANDBOX_KEY

# A last safety net, for words that are not ours: what libraries log passes through here too.
# A match starts only at the beginning of a word, or a long word would be tried from each letter.
_IN_WORD: Final = r"[^\s\"'<>=:,;()\[\]{}|\\]"
_PERSONAL: Final = re.compile(rf"{ANY_KEY}[0-9A-Za-z]+|(?<!{_IN_WORD}){_IN_WORD}+@[\w.-]+\.\w+")


def configure_logs(
    *, stream: TextIO | None = None, level: str = "info", is_for_people: bool | None = None
) -> None:
    """Send every log line of the process, including those of libraries, to stderr or `stream`."""
    # Python has no stderr if it was closed before the start; then there is nowhere to log.
    out: TextIO | None = stream or sys.stderr
    if is_for_people is None:
        is_for_people = out is not None and out.isatty()
    lines = cast("TextIO", _Lines(out))
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        tell_exception_by_place,
    ]
    last: list[Processor] = [_readable() if is_for_people else _json, without_personal_data]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(lines),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(lines)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # What libraries say below a warning is for their own authors; httpx would log whole URLs.
    root.setLevel(max(threshold, logging.WARNING))
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
    logging.getLogger("uvicorn.error").setLevel(threshold)
    # It says twenty times a second that a cluster is away; we say it once, with what it means.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)


def tell_exception_by_place(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace an exception with the types and places of it and its causes, without their words."""
    exc_info = event.pop("exc_info", None)
    if isinstance(exc_info, BaseException):
        error: BaseException | None = exc_info
    elif isinstance(exc_info, tuple):
        error = exc_info[1]
    else:
        error = sys.exc_info()[1] if exc_info else None
    if error is not None:
        event["exception"] = "\n".join(places_of(error))
    return event


def without_personal_data(_logger: WrappedLogger, _method: str, line: object) -> str:
    """Blank out what looks like an email address or an API key in a finished line."""
    assert isinstance(line, str)
    # The search takes 15 us, and hardly any line needs it.
    may_be_found = "@" in line or LIVE_KEY in line or SANDBOX_KEY in line
    return _PERSONAL.sub("(removed)", line) if may_be_found else line


def _json(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    return orjson.dumps(event, default=_type_name, option=orjson.OPT_NON_STR_KEYS).decode()


def _type_name(value: object) -> str:
    # The text of an unknown object may hold anything; its type can't.
    return f"<{type(value).__qualname__}>"


def _readable() -> Processor:
    return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)


class _Lines:
    """A stream that drops what can't be written: a full disk must not make a request fail."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text)
        except (OSError, ValueError):
            return  # ValueError is what a closed stream raises.

    def flush(self) -> None:
        if self._stream is None:
            return
        try:
            self._stream.flush()
        except (OSError, ValueError):
            return
