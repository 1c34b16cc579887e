"""Reads who a claim names: an email address, PRIVATE:address, ANON:nickname or Bob.

Pure. The same person always has the same `Person.key`, however the address is typed.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from shared.addresses import BOB_EMAIL, TOO_LONG, NoAtSign, UnreadableAddress, read_address
from shared.characters import forbidden_in_label, without_joiners
from shared.limits import NAME_CHARACTERS_MAX, TEXT_CHARACTERS_MAX

NICKNAME_CHARACTERS_MAX: Final = 40

# When case is ignored, a Turkish capital I with a dot is also an I.
_PREFIX: Final = re.compile(r"\s*(?:(PRIVATE)|ANON)\s*:(.*)", re.IGNORECASE | re.DOTALL)
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
        raise UnreadablePerson("invalid_email", TOO_LONG)
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
    address = _address(text)
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


def _address(text: str) -> str:
    try:
        return read_address(text)
    except UnreadableAddress as error:
        raise UnreadablePerson("invalid_email", _no_address(text, error)) from None


def _no_address(text: str, error: UnreadableAddress) -> str:
    """Say what to write instead of a text that is no address."""
    is_short = len(text) <= TEXT_CHARACTERS_MAX
    if is_short and _PREFIX.match(unicodedata.normalize("NFKC", text).strip()):
        return "Write PRIVATE: and ANON: in plain letters."
    return _no_name(text) if isinstance(error, NoAtSign) else str(error)


def _no_name(text: str) -> str:
    try:
        nickname = read_person(f"ANON:{text}").shown
    except UnreadablePerson:
        nickname = "Carol"
    return (
        "Write an email address here, such as carol@example.com. For someone without one, "
        f"write ANON: and a nickname: ANON:{nickname}."
    )


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
