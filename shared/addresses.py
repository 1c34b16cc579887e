"""Reads an email address in its one form, so that the same mailbox is the same text everywhere.

Pure. Who is named in a claim, who logs in and who wants no more mail are found by this form.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Final

import idna
from email_validator import EmailSyntaxError
from email_validator.syntax import validate_email_local_part

from shared.characters import has_blank
from shared.limits import TEXT_CHARACTERS_MAX

# No mailbox is at any of these (RFC 2606), nor below the last.
MADE_UP_DOMAINS: Final = frozenset({"example.com", "example.org", "example.net"})
MADE_UP_ENDING: Final = ".test"
# The imaginary player, who stands for whoever is not there.
BOB_EMAIL: Final = "bob@mahjic.org"
REAL_ADDRESS: Final = (
    "This is a sandbox, where only made-up addresses are taken. Use one at example.com, "
    "example.org or example.net, or one that ends with .test."
)
EMAIL_CHARACTERS_MAX: Final = 254
LOCAL_PART_BYTES_MAX: Final = 64

# Browsers and mail servers read a domain with this ending as an IP address (WHATWG URL, 3.5).
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NO_IP_ADDRESS: Final = (
    "The part after the @ sign is an IP address. Write an address with a domain name, such as "
    "carol@example.com."
)
# The part before the @-sign of nearly every address: one form except for case, nothing invisible.
_PLAIN_LOCAL_PART: Final = re.compile(r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*")
TOO_LONG: Final = f"An email address may have at most {EMAIL_CHARACTERS_MAX} characters."


_ONLY_MADE_UP: Final[ContextVar[bool]] = ContextVar("only made-up addresses", default=False)


class UnreadableAddress(ValueError):
    """A text that is no email address. Its words are for the sender."""


class NoAtSign(UnreadableAddress):
    """A text without an @ sign, which is most likely a name."""


def read_address(text: str) -> str:
    """Return an email address in its one form: NFKC, lower case, the domain in IDNA form.

    So full-width letters become plain ones (docs/decisions, 0023). Raises UnreadableAddress.
    """
    if len(text) > TEXT_CHARACTERS_MAX:
        raise UnreadableAddress(TOO_LONG)
    local, _, domain = text.strip().rpartition("@")
    is_plain = local.isalnum() or _PLAIN_LOCAL_PART.fullmatch(local) is not None
    if is_plain and text.isascii() and len(local) <= LOCAL_PART_BYTES_MAX:
        local = local.lower()
    else:
        local, domain = _parts(text)
    address = f"{local}@{_domain(domain)}"
    if len(address) > EMAIL_CHARACTERS_MAX:
        raise UnreadableAddress(TOO_LONG)
    if _ONLY_MADE_UP.get() and not is_made_up(address):
        raise UnreadableAddress(REAL_ADDRESS)
    return address


@contextmanager
def only_made_up() -> Iterator[None]:
    """Have `read_address` refuse, in this context, every address that may be somebody's."""
    before = _ONLY_MADE_UP.set(True)
    try:
        yield
    finally:
        _ONLY_MADE_UP.reset(before)


def is_made_up(address: str) -> bool:
    """Return whether an address in its one form can be no real person's."""
    domain = address.rpartition("@")[2]
    is_nowhere = domain in MADE_UP_DOMAINS or domain.endswith(MADE_UP_ENDING)
    return is_nowhere or address == BOB_EMAIL


def _parts(text: str) -> tuple[str, str]:
    """Return the part before the @-sign in its one form, and the domain as typed."""
    local, at, domain = unicodedata.normalize("NFKC", text).strip().rpartition("@")
    if not at:
        raise NoAtSign("Write a whole email address here, such as carol@example.com.")
    local = unicodedata.normalize("NFKC", local.lower())
    _check_local_part(local)
    return local, domain


def _check_local_part(local: str) -> None:
    if len(local.encode()) > LOCAL_PART_BYTES_MAX:
        raise UnreadableAddress(
            f"The part before the @ sign may have at most {LOCAL_PART_BYTES_MAX} bytes."
        )
    if has_blank(local):
        raise UnreadableAddress("An address may not have invisible characters.")
    try:
        validate_email_local_part(local)
    except EmailSyntaxError as error:
        raise UnreadableAddress(str(error)) from None


# The people of one club share a few domains, and IDNA tables are slow to walk through.
@lru_cache(maxsize=4096)
def _domain(text: str) -> str:
    if text.startswith("["):
        raise UnreadableAddress(_NO_IP_ADDRESS)
    try:
        domain = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except idna.IDNAError:
        raise UnreadableAddress(
            "The part after the @ sign is not a domain name. Write it in full, such as gmail.com."
        ) from None
    if domain.endswith("."):
        raise UnreadableAddress("The domain must not end with a period.")
    *before, last = domain.split(".")
    if _NUMBER.fullmatch(last):
        raise UnreadableAddress(_NO_IP_ADDRESS)
    if not before:
        raise UnreadableAddress(
            f'"{domain}" is not a complete domain name. Write the part after the @ sign in '
            "full, such as gmail.com."
        )
    return domain
