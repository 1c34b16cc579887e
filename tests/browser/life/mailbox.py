"""What has arrived at a real mail server, and how a reader finds a link or a code in it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Final

from tests.log.deadlines import until
from tests.mail.post_office import PostOffice

_LINK: Final = re.compile(r"^https?://\S+$", re.MULTILINE)
_CODE: Final = re.compile(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", re.MULTILINE)


@dataclass(frozen=True)
class ReceivedMail:
    """A mail in the hands of its reader."""

    message: EmailMessage

    @property
    def subject(self) -> str:
        """What it is about."""
        return str(self.message["Subject"])

    @property
    def text(self) -> str:
        """What it says."""
        body = self.message.get_body(("plain",))
        assert body is not None
        return "\n".join(str(body.get_content()).splitlines())

    @property
    def html(self) -> str:
        """What it says, with links."""
        body = self.message.get_body(("html",))
        assert body is not None
        return str(body.get_content())

    @property
    def links(self) -> Sequence[str]:
        """Every address in it, those of its headers too."""
        header = str(self.message.get("List-Unsubscribe", ""))
        return [*_LINK.findall(self.text), *re.findall(r"<(https?://[^>]+)>", header)]

    def link(self, part: str) -> str:
        """Return the one link that leads to pages of a kind."""
        (found,) = {each for each in self.links if part in each}
        return found

    @property
    def code(self) -> str:
        """The code to type."""
        (found,) = _CODE.findall(self.text)
        return str(found)


@dataclass
class Mailbox:
    """Everything that arrived, for whoever it was, at a server that speaks nothing but TLS."""

    office: PostOffice
    read: Counter[str] = field(default_factory=Counter)

    async def next_to(self, address: str) -> ReceivedMail:
        """Wait for the next mail to an address that nobody has read yet."""

        async def has_arrived() -> bool:
            return self.unread(address) > 0

        await until(has_arrived)
        mail = self._all_to(address)[self.read[address]]
        self.read[address] += 1
        return mail

    def unread(self, address: str) -> int:
        """Return how many mails to an address nobody has read yet."""
        return len(self._all_to(address)) - self.read[address]

    def _all_to(self, address: str) -> list[ReceivedMail]:
        return [
            ReceivedMail(message)
            for envelope, message in zip(self.office.envelopes, self.office.messages(), strict=True)
            if [each.casefold() for each in envelope.rcpt_tos] == [address.casefold()]
        ]
