"""What is kept of a document: the same hash for the same document, and nothing that tells of it."""

import hashlib
import hmac
from dataclasses import replace
from datetime import date

import pytest

from services.verification.documents import DocumentHashes
from services.verification.stripe.port import DocumentRead

KEY = b"a key that is in no database at all"
HASHES = DocumentHashes(KEY)
READ = DocumentRead("US", "passport", "AB-123 456", "Zoë", "Lindqvist", date(1950, 2, 3))


def test_the_hash_is_the_keyed_one_of_country_type_and_number() -> None:
    found = HASHES.of(READ)
    assert found is not None
    by_hand = hmac.new(KEY, b"document\x1fus\x1fpassport\x1fab123456", hashlib.sha256).digest()
    assert found.document == by_hand
    person = b"person\x1flindqvist zoe\x1f1950-02-03"
    assert found.person == hmac.new(KEY, person, hashlib.sha256).digest()


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, number="ab123456"),
        replace(READ, number=" AB 123-456 "),
        replace(READ, country="us", document_type="PASSPORT"),
        replace(READ, first_name="ZOE"),
        replace(READ, first_name="Lindqvist", last_name="Zoe\u0308"),
    ],
)
def test_the_same_document_read_in_another_way_has_the_same_hashes(other: DocumentRead) -> None:
    assert HASHES.of(other) == HASHES.of(READ)


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, number="AB123457"),
        replace(READ, country="CA"),
        replace(READ, document_type="driving_license"),
    ],
)
def test_another_document_of_the_same_person_is_another_one(other: DocumentRead) -> None:
    found, own = HASHES.of(other), HASHES.of(READ)
    assert found is not None
    assert own is not None
    assert found.document != own.document
    assert found.person == own.person


def test_another_key_gives_other_hashes() -> None:
    assert DocumentHashes(b"another key, which is also long enough").of(READ) != HASHES.of(READ)


@pytest.mark.parametrize(
    "read",
    [
        replace(READ, number=None),
        replace(READ, number=" - "),
        replace(READ, country=None),
        replace(READ, document_type=None),
    ],
)
def test_a_document_that_does_not_tell_which_it_is_has_no_hash(read: DocumentRead) -> None:
    assert HASHES.of(read) is None


@pytest.mark.parametrize("missing", ["first_name", "last_name", "born_on"])
def test_without_a_whole_name_and_a_birth_date_there_is_no_hint(missing: str) -> None:
    found = HASHES.of(replace(READ, **{missing: None}))
    assert found is not None
    assert found.person is None


def test_nothing_shows_the_key_or_the_document() -> None:
    assert "no database" not in repr(HASHES)
    assert "123" not in repr(READ)
