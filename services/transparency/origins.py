"""Names the public logs: what their checkpoints and keys call them, and where they are. Pure."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from shared.tlog.leaves import LOG_NAMES, LogName

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class LogOrigin:
    """One public log. `number` is how often it was begun: one that was never begun again is 1."""

    host: str
    log_name: LogName
    number: int = 1

    @property
    def path(self) -> str:
        """Where it is: below `/log/` for everybody, and in the folder."""
        return self.log_name if self.number == 1 else f"{self.log_name}/{self.number}"

    @property
    def name(self) -> str:
        """What its checkpoints and its key call it."""
        return f"{self.host}/{self.path}"

    @property
    def next(self) -> "LogOrigin":
        """The log that is begun after this one ended."""
        return LogOrigin(self.host, self.log_name, self.number + 1)


def host_of(public_url: str) -> str:
    """Return how logs are named that are found there; a port belongs to it."""
    return urlsplit(public_url.lower()).netloc


def read_origin(name: str) -> LogOrigin | None:
    """Return the log of a name; None unless it is the name of one."""
    host, _, rest = name.partition("/")
    log_name, has_number, number = rest.partition("/")
    if not host or (has_number and _NUMBER.fullmatch(number) is None):
        return None
    for each in LOG_NAMES:
        origin = LogOrigin(host, each, int(number or 1))
        if log_name == each and origin.name == name:
            return origin
    return None
