"""Reads who a claim names: an e-mail address, PRIVATE:address, ANON:nickname or Bob.

Pure. The same person always reads as the same `Person.key`, however the address is typed.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import idna
from email_validator import EmailSyntaxError
from email_validator.syntax import validate_email_local_part

BOB_EMAIL: Final = "bob@mahjic.org"
EMAIL_CHARACTERS_MAX: Final = 254
NICKNAME_CHARACTERS_MAX: Final = 40
NAME_CHARACTERS_MAX: Final = 80

_PREFIX: Final = re.compile(r"\s*(PRIVATE|ANON)\s*:(.*)", re.IGNORECASE | re.DOTALL)
_LIKE_AN_ADDRESS: Final = re.compile(r"[^\s@]@[^\s@]")
# Control, direction and other invisible characters, halves of characters, and what is none.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a text names. `key` is the address, or the nickname without regard to case.

    `shown` is the text to store: the same address, or the nickname as typed (NFC, trimmed).
    """

    kind: Literal["person", "anonymous", "bob"]
    key: str
    shown: str
    is_private: bool


class UnreadablePerson(ValueError):
    """A text that names nobody; `code` is stable, the message a sentence for the sender."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def read_person(text: str) -> Person:
    """Return whom a claim's `email` names. Raises UnreadablePerson."""
    prefixed = _PREFIX.fullmatch(text)
    if prefixed is None:
        return _person(text, is_private=False)
    prefix, rest = prefixed[1].upper(), prefixed[2]
    if _PREFIX.fullmatch(rest):
        raise UnreadablePerson("prefix_twice", "Use one prefix: PRIVATE: or ANON:, not both.")
    if not rest.strip():
        raise UnreadablePerson(
            "empty_player", f"Nothing follows {prefix}:. Write the address or nickname after it."
        )
    return _person(rest, is_private=True) if prefix == "PRIVATE" else _anonymous(rest)


def read_name(text: str) -> str:
    """Return a name as it is kept: NFC and trimmed. Raises UnreadablePerson."""
    return _visible(text, "name", NAME_CHARACTERS_MAX)


def _person(text: str, *, is_private: bool) -> Person:
    address = read_address(text)
    if address != BOB_EMAIL:
        return Person("person", address, address, is_private)
    if is_private:
        raise UnreadablePerson(
            "bob_has_no_privacy", f"Bob is imaginary: name him {BOB_EMAIL}, without a prefix."
        )
    return Person("bob", address, address, is_private=False)


def _anonymous(text: str) -> Person:
    if _LIKE_AN_ADDRESS.search(text):
        raise UnreadablePerson(
            "address_as_nickname",
            "ANON: takes a nickname, and this looks like an e-mail address. "
            "For a hidden player with an address use PRIVATE:.",
        )
    nickname = _visible(text, "nickname", NICKNAME_CHARACTERS_MAX)
    key = unicodedata.normalize("NFC", nickname.casefold())
    return Person("anonymous", key, nickname, is_private=True)


def read_address(text: str) -> str:
    """Return an e-mail address in its one form: NFC, lower case, the domain in IDNA form.

    Raises UnreadablePerson.
    """
    local, at, domain = unicodedata.normalize("NFC", text.strip()).rpartition("@")
    if not at:
        raise UnreadablePerson("invalid_email", "An e-mail address has an @-sign in it.")
    local = unicodedata.normalize("NFC", local.lower())
    try:
        validate_email_local_part(local)
    except EmailSyntaxError as error:
        raise UnreadablePerson("invalid_email", str(error)) from None
    address = f"{local}@{_domain(domain)}"
    if len(address) > EMAIL_CHARACTERS_MAX:
        raise UnreadablePerson(
            "invalid_email", f"An e-mail address has at most {EMAIL_CHARACTERS_MAX} characters."
        )
    return address


# People of one club share few domains, and the tables of IDNA are slow to walk.
@lru_cache(maxsize=4096)
def _domain(text: str) -> str:
    try:
        domain = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except idna.IDNAError:
        raise UnreadablePerson(
            "invalid_email", "What follows the @-sign is no domain name."
        ) from None
    if domain.endswith("."):
        raise UnreadablePerson("invalid_email", "A domain does not end with a period here.")
    return domain


def _visible(text: str, what: str, characters_max: int) -> str:
    shown = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(shown) <= characters_max:
        raise UnreadablePerson(f"invalid_{what}", f"A {what} has 1 to {characters_max} characters.")
    if any(unicodedata.category(character) in _UNSEEN for character in shown):
        raise UnreadablePerson(
            f"invalid_{what}",
            f"A {what} has no control, direction or other invisible characters.",
        )
    return shown
