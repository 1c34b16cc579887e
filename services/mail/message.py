"""A mail as it goes over the wire: text and HTML that say the same, in lines every server takes.

Pure. The same mail always has the same bytes, also when it is sent again.
"""

import re
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import parseaddr
from typing import Final, Protocol

# RFC 5322, 2.1.1. Python would encode a longer link as if it were words, which no program opens.
HEADER_CHARACTERS_MAX: Final = 998
# What would begin something else in a header or a command; no address in its one form has them.
_NEVER_PLAIN: Final = re.compile(r"[\s<>()\[\]\\,;:\"\x00-\x1f\x7f]")


class UnwritableMail(Exception):
    """The address cannot stand in a message. It is not told, nor is what Python says about it."""


class MailContent(Protocol):
    """What a message is made of."""

    @property
    def address(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def no_more_url(self) -> str | None: ...
    @property
    def queued_at(self) -> datetime: ...


def message_bytes(mail: MailContent, *, message_id: str, sender: str) -> bytes:
    """Return a mail as bytes, with lines that end in CRLF; `sender` is MAHJIC_MAIL_FROM.

    Raises UnwritableMail.
    """
    try:
        return _message_bytes(mail, message_id, sender)
    except (MessageError, ValueError, IndexError):  # What Python's parser of addresses may raise.
        raise UnwritableMail from None


def _message_bytes(mail: MailContent, message_id: str, sender: str) -> bytes:
    message = EmailMessage(policy=SMTP if mail.address.isascii() else SMTPUTF8)
    name, address = parseaddr(sender)
    message["From"] = Address(name, addr_spec=address)
    message["To"] = _receiver(mail.address)
    message["Subject"] = mail.subject
    message["Date"] = mail.queued_at
    message["Message-ID"] = f"<{message_id}>"
    # Nobody's answering machine should answer this (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    if mail.no_more_url is not None:
        message["List-Unsubscribe"] = f"<{mail.no_more_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # Quoted-printable: lines of at most 76 plain characters, whatever the text holds.
    message.set_content(mail.text, cte="quoted-printable")
    message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
    message.set_boundary(f"=_{message_id.partition('@')[0]}")
    return message.as_bytes(policy=message.policy.clone(max_line_length=HEADER_CHARACTERS_MAX))


def _receiver(address: str) -> Address:
    local, _, domain = address.rpartition("@")
    if not local or not domain or _NEVER_PLAIN.search(address):
        raise ValueError
    return Address(username=local, domain=domain)
