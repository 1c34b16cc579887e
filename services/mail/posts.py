"""What a worker hands mails to, and what can come of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from shared.mail.taking import TakenMail

# What RFC 5321 and 6531 call a mailbox name that a server cannot take.
NAME_NOT_ALLOWED: Final = 553


class MailRefused(Exception):
    """The mail was refused for good: this address does not take it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class MailPutOff(Exception):
    """The mail was not taken this time; `code` is None if the connection was lost in the middle."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class PostAway(Exception):
    """Nothing can be sent at the moment, whatever the mail. The words are for the operator."""


class LeaseOver(Exception):
    """We were held up for so long that another worker may have the mail by now."""


@dataclass(frozen=True, slots=True)
class MailHold:
    """A mail in the hands of a worker, and whether it still is."""

    mail: TakenMail
    is_held: Callable[[], bool]

    def check(self) -> None:
        """Raise LeaseOver unless the mail is still ours."""
        if not self.is_held():
            raise LeaseOver


class MailPost(Protocol):
    """Takes mails, one after the other."""

    async def send(self, hold: MailHold) -> None:
        """Send a mail. Raises MailRefused, MailPutOff, PostAway or LeaseOver."""
        ...

    async def close(self) -> None:
        """Let go of what is kept open between mails."""
        ...
