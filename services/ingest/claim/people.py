"""Reads who a claim names: an email address, PRIVATE:address, ANON:nickname or Bob.

Pure. The same person always has the same `Person.key`, however the address is typed.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import idna
from email_validator import EmailSyntaxError
from email_validator.syntax import validate_email_local_part

from shared.answers.seen import BOB_EMAIL
from shared.characters import forbidden_in_label, has_blank, without_joiners
from shared.limits import NAME_CHARACTERS_MAX, TEXT_CHARACTERS_MAX

EMAIL_CHARACTERS_MAX: Final = 254
LOCAL_PART_BYTES_MAX: Final = 64
NICKNAME_CHARACTERS_MAX: Final = 40

# When case is ignored, a Turkish capital I with a dot is also an I.
_PREFIX: Final = re.compile(r"\s*(?:(PRIVATE)|ANON)\s*:(.*)", re.IGNORECASE | re.DOTALL)
# Browsers and mail servers read a domain with this ending as an IP address (WHATWG URL, 3.5).
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NO_IP_ADDRESS: Final = (
    "The part after the @ sign is an IP address. Write an address with a domain name, such as "
    "carol@example.com."
)
# The part before the @-sign of nearly every address: one form except for case, nothing invisible.
_PLAIN_LOCAL_PART: Final = re.compile(r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*")
_LIKE_AN_ADDRESS: Final = re.compile(r"[^\s@]@[^\s@]")


class Person(NamedTuple):
    """The person that a text names. `key` is the address, or the nickname with case folded.

    `shown` is the text to store: the same address, or the nickname as typed (NFC, trimmed).
    """

    kind: Literal["person", "anonymous", "bob"]
    key: str
    shown: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class _Nobody:
    """A text that does not name anyone. `key` is the text."""

    key: str
    kind: Literal["nobody"] = "nobody"
    is_private: bool = False


class UnreadablePerson(ValueError):
    """A text that does not name anyone. `code` is stable, and the message is for the sender."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def read_person(text: str) -> Person:
    """Return the person that a claim's `email` names. Raises UnreadablePerson."""
    if len(text) > TEXT_CHARACTERS_MAX:
        raise UnreadablePerson("invalid_email", _TOO_LONG)
    prefixed = _PREFIX.fullmatch(text) if ":" in text else None
    if prefixed is None:
        return _person(text, is_private=False)
    is_private, rest = prefixed[1] is not None, prefixed[2]
    if _PREFIX.fullmatch(rest):
        raise UnreadablePerson("prefix_twice", "Use one prefix: PRIVATE: or ANON:, not both.")
    if not rest.strip():
        prefix = "PRIVATE" if is_private else "ANON"
        raise UnreadablePerson(
            "empty_player", f"Nothing follows {prefix}:. Write the address or nickname after it."
        )
    return _person(rest, is_private=True) if is_private else _anonymous(rest)


def what_is_wrong(text: str) -> tuple[str, str] | None:
    """Return the code and message of why a text names no one, or None if it names someone."""
    try:
        read_person(text)
    except UnreadablePerson as error:
        return error.code, error.message
    return None


def one_spelling(addresses: Mapping[str, str]) -> dict[str, str]:
    """Return the same addresses with one spelling per person, so that they can be compared.

    The first private spelling wins, otherwise the first one. A text that does not name anyone stays
    as it is.
    """
    people = {name: _whom(text) for name, text in addresses.items()}
    spelled: dict[tuple[str, str], str] = {}
    for name in sorted(people, key=lambda name: not people[name].is_private):
        spelled.setdefault((people[name].kind, people[name].key), addresses[name])
    return {name: spelled[person.kind, person.key] for name, person in people.items()}


def read_name(text: str) -> str:
    """Return a name as it is stored: NFC and trimmed. Raises UnreadablePerson."""
    return _visible(text, "name", NAME_CHARACTERS_MAX)


def _person(text: str, *, is_private: bool) -> Person:
    address = read_address(text)
    if address != BOB_EMAIL:
        return Person("person", address, address, is_private)
    if is_private:
        raise UnreadablePerson(
            "bob_has_no_privacy", f"Bob is imaginary: write {BOB_EMAIL}, without a prefix."
        )
    return Person("bob", address, address, is_private=False)


def _whom(text: str) -> Person | _Nobody:
    try:
        return read_person(text)
    except UnreadablePerson:
        return _Nobody(text)


def _anonymous(text: str) -> Person:
    # Full-width letters make the same address.
    if _LIKE_AN_ADDRESS.search(unicodedata.normalize("NFKC", text)):
        raise UnreadablePerson(
            "address_as_nickname",
            "ANON: takes a nickname, but this looks like an email address. For a hidden "
            "player with an address, use PRIVATE:.",
        )
    nickname = _visible(text, "nickname", NICKNAME_CHARACTERS_MAX)
    return Person("anonymous", _without_case(nickname), nickname, is_private=True)


def read_address(text: str) -> str:
    """Return an email address in its one form: NFKC, lower case, the domain in IDNA form.

    So full-width letters become plain ones (docs/decisions, 0023). Raises UnreadablePerson.
    """
    if len(text) > TEXT_CHARACTERS_MAX:
        raise UnreadablePerson("invalid_email", _TOO_LONG)
    local, _, domain = text.strip().rpartition("@")
    is_plain = local.isalnum() or _PLAIN_LOCAL_PART.fullmatch(local) is not None
    if is_plain and text.isascii() and len(local) <= LOCAL_PART_BYTES_MAX:
        local = local.lower()
    else:
        local, domain = _parts(text)
    address = f"{local}@{_domain(domain)}"
    if len(address) > EMAIL_CHARACTERS_MAX:
        raise UnreadablePerson("invalid_email", _TOO_LONG)
    return address


def _parts(text: str) -> tuple[str, str]:
    """Return the part before the @-sign in its one form, and the domain as typed."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if _PREFIX.match(plain):
        raise UnreadablePerson("invalid_email", "Write PRIVATE: and ANON: in plain letters.")
    local, at, domain = plain.rpartition("@")
    if not at:
        raise UnreadablePerson("invalid_email", _no_address(text))
    local = unicodedata.normalize("NFKC", local.lower())
    _check_local_part(local)
    return local, domain


def _no_address(text: str) -> str:
    """Say what to write instead of an address. The text was most likely a name."""
    try:
        nickname = read_person(f"ANON:{text}").shown
    except UnreadablePerson:
        nickname = "Carol"
    return (
        "Write an email address here, such as carol@example.com. For someone without one, "
        f"write ANON: and a nickname: ANON:{nickname}."
    )


def _check_local_part(local: str) -> None:
    if len(local.encode()) > LOCAL_PART_BYTES_MAX:
        raise UnreadablePerson(
            "invalid_email",
            (f"The part before the @ sign may have at most {LOCAL_PART_BYTES_MAX} bytes."),
        )
    if has_blank(local):
        raise UnreadablePerson("invalid_email", "An address may not have invisible characters.")
    try:
        validate_email_local_part(local)
    except EmailSyntaxError as error:
        raise UnreadablePerson("invalid_email", str(error)) from None


# The people of one club share a few domains, and IDNA tables are slow to walk through.
@lru_cache(maxsize=4096)
def _domain(text: str) -> str:
    if text.startswith("["):
        raise UnreadablePerson("invalid_email", _NO_IP_ADDRESS)
    try:
        domain = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except idna.IDNAError:
        raise UnreadablePerson(
            "invalid_email",
            "The part after the @ sign is not a domain name. Write it in full, such as gmail.com.",
        ) from None
    if domain.endswith("."):
        raise UnreadablePerson("invalid_email", "The domain must not end with a period.")
    *before, last = domain.split(".")
    if _NUMBER.fullmatch(last):
        raise UnreadablePerson("invalid_email", _NO_IP_ADDRESS)
    if not before:
        raise UnreadablePerson(
            "invalid_email",
            f'"{domain}" is not a complete domain name. Write the part after the @ sign in '
            "full, such as gmail.com.",
        )
    return domain


_TOO_LONG: Final = f"An email address may have at most {EMAIL_CHARACTERS_MAX} characters."


def _visible(text: str, what: str, characters_max: int) -> str:
    if len(text) > TEXT_CHARACTERS_MAX:
        raise UnreadablePerson(f"invalid_{what}", f"A {what} has 1 to {characters_max} characters.")
    shown = unicodedata.normalize("NFC", text).strip()
    seen = without_joiners(shown).strip()
    if not seen or len(shown) > characters_max:
        raise UnreadablePerson(f"invalid_{what}", f"A {what} has 1 to {characters_max} characters.")
    if (odd := forbidden_in_label(shown)) is not None:
        raise UnreadablePerson(
            f"invalid_{what}",
            f"A {what} may not have control, direction or other invisible characters, and this "
            f"one has {odd}. Type it again.",
        )
    return shown


def _without_case(nickname: str) -> str:
    """Return the form used to compare nicknames (Unicode 3.13, D145: canonical caseless)."""
    apart = unicodedata.normalize("NFD", without_joiners(nickname))
    return unicodedata.normalize("NFC", apart.casefold())
