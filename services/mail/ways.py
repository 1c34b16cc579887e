"""How mail leaves this installation: by an SMTP server, as files, or by the operator's hand."""

from dataclasses import dataclass, field
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

SUBMISSION_PORT: Final = 587
SUBMISSIONS_PORT: Final = 465
DEFAULT_SENDER: Final = "Mahjic <mahjic@localhost>"
MAIL_FOLDER: Final = "mail"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """The server that takes our mail. `safety` is how the connection is made safe."""

    host: str
    port: int
    safety: Literal["tls", "starttls", "loopback"]
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class BySmtp:
    """Mail is handed to a server."""

    server: SmtpServer


@dataclass(frozen=True, slots=True)
class ByFiles:
    """Each mail is written as a file, for who tries Mahjic out or has no SMTP server."""

    folder: Path


@dataclass(frozen=True, slots=True)
class ByHand:
    """Mails wait in the outbox, and the operator hands on what they say."""


@dataclass(frozen=True, slots=True)
class ToVisitors:
    """Mails of a sandbox wait in the outbox, and the visitors who caused them are shown them."""


MailWay: TypeAlias = BySmtp | ByFiles | ByHand | ToVisitors


def way_of(smtp_url: str | None, data_folder: Path | None) -> MailWay:
    """Return how mail leaves; there is a data folder only with the embedded database."""
    if smtp_url is not None:
        return BySmtp(read_smtp_url(smtp_url))
    return ByHand() if data_folder is None else ByFiles(data_folder / MAIL_FOLDER)


def read_smtp_url(text: str) -> SmtpServer:
    """Return the server that a URL names. Raises ValueError, which never quotes the password.

    `smtp://` uses STARTTLS, but not to this machine itself; `smtps://` begins with TLS.
    """
    try:
        url = urlsplit(text)
        port, host = url.port, url.hostname
    except ValueError:
        raise ValueError(_SHAPE) from None
    is_whole = url.path in {"", "/"} and not url.query and not url.fragment
    if url.scheme not in {"smtp", "smtps"} or not host or not is_whole:
        raise ValueError(_SHAPE)
    user, password = _login(url)
    if url.scheme == "smtps":
        return SmtpServer(host, port or SUBMISSIONS_PORT, "tls", user, password)
    safety: Literal["starttls", "loopback"] = "loopback" if _is_loopback(host) else "starttls"
    return SmtpServer(host, port or SUBMISSION_PORT, safety, user, password)


def domain_of(sender: str) -> str:
    """Return the domain of MAHJIC_MAIL_FROM."""
    return parseaddr(sender)[1].rpartition("@")[2]


def _login(url: SplitResult) -> tuple[str | None, str | None]:
    if url.username is None and url.password is None:
        return None, None
    if not url.username or not url.password:
        raise ValueError("Give a user and a password in the URL, or neither.")
    return unquote(url.username), unquote(url.password)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


_SHAPE: Final = (
    "Write smtp://user:password@host:587 or smtps://user:password@host:465, with special "
    "characters percent-encoded; user, password and port may be left out."
)
