"""What has arrived at a real mail server, and how a reader finds a link or a code in it."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from tests.log.deadlines import until
from tests.mail.post_office import PostOffice, parsed

_LINK: Final = re.compile(r"^https?://\S+$", re.MULTILINE)
_CODE: Final = re.compile(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", re.MULTILINE)


@dataclass(frozen=True)
class ReceivedMail:
    """A mail in the hands of its reader."""

    message: EmailMessage

    def __str__(self) -> str:
        return f"{self.message['To']} {self.subject}\n{self.text}\n{self.html}"

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
class Mailbox(ABC):
    """Everything that arrived, for whoever it was."""

    read: Counter[str] = field(default_factory=Counter, init=False)

    async def next_to(self, address: str) -> ReceivedMail:
        """Wait for the next mail to an address that nobody has read yet."""

        async def has_arrived() -> bool:
            return self.unread(address) > 0

        await until(has_arrived)
        mail = self._all_to(address)[self.read[address]]
        self.read[address] += 1
        return mail

    async def next_about(self, subject: str, address: str) -> ReceivedMail:
        """Wait for the next mail to an address with this subject; what came before is read."""
        while True:
            mail = await self.next_to(address)
            if mail.subject == subject:
                return mail

    async def first_about(self, start: str, addresses: Sequence[str]) -> ReceivedMail:
        """Wait for the first mail to one of several addresses whose subject begins so."""

        def found() -> list[ReceivedMail]:
            mails = [mail for address in addresses for mail in self._all_to(address)]
            return [mail for mail in mails if mail.subject.startswith(start)]

        async def has_arrived() -> bool:
            return bool(found())

        await until(has_arrived)
        return found()[0]

    def unread(self, address: str) -> int:
        """Return how many mails to an address nobody has read yet."""
        return len(self._all_to(address)) - self.read[address]

    def _all_to(self, address: str) -> list[ReceivedMail]:
        return [
            each
            for each in self.arrived()
            if str(each.message["To"]).casefold() == address.casefold()
        ]

    @abstractmethod
    def arrived(self) -> list[ReceivedMail]:
        """Return all mails, the first one first."""


@dataclass
class ServerMailbox(Mailbox):
    """What a real server took, which speaks nothing but TLS."""

    office: PostOffice

    def arrived(self) -> list[ReceivedMail]:
        """Return all mails, the first one first."""
        return [ReceivedMail(each) for each in self.office.messages()]


@dataclass
class FolderMailbox(Mailbox):
    """The folder into which mail is written where there is no server."""

    folder: Path

    def arrived(self) -> list[ReceivedMail]:
        """Return all mails, the first one first."""
        files = sorted(self.folder.glob("*.eml"), key=lambda each: each.stat().st_mtime_ns)
        return [ReceivedMail(parsed(each.read_bytes())) for each in files]

    def contents(self) -> dict[str, str]:
        """Return everything in the folder, also as its readers see it."""
        return {
            f"file {file.name}": file.read_text() + str(ReceivedMail(parsed(file.read_bytes())))
            for file in self.folder.iterdir()
        }
