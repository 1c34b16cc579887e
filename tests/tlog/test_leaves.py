"""What a leaf commits to, against hashes put together by hand."""

import hashlib
import hmac
from typing import Final

import pytest

from shared.tlog.leaves import LogName, Salted, chains_hash, entry, entry_of, salt, split_chains

KEY: Final = bytes(range(32))
LOG_ID: Final = "0b8d7c4e-1f2a-4b3c-8d9e-0f1a2b3c4d5e"
CHAIN: Final = hashlib.sha256(b"up to here").digest()
FACT_CHAIN: Final = hashlib.sha256(b"the fact").digest()
FACT: Final = b'{"id":"7","data":{"rounds":[1,2]}}'
VERDICT: Final = b'{"id":"7.0","data":{"fact_seq":7,"fact_chain":"%s","part":0}}'


def test_a_salt_is_an_hmac_over_four_lines() -> None:
    named = f"{LOG_ID}\nfacts\n7\nrecord".encode()
    assert salt(KEY, LOG_ID, "facts", 7, "record") == hmac.new(KEY, named, "sha256").digest()


@pytest.mark.parametrize(
    ("log_id", "log_name", "seq", "what"),
    [
        ("another", "facts", 7, "record"),
        (LOG_ID, "verdicts", 7, "record"),
        (LOG_ID, "facts", 8, "record"),
        (LOG_ID, "facts", 7, "chain"),
    ],
)
def test_no_two_salts_are_the_same(log_id: str, log_name: LogName, seq: int, what: Salted) -> None:
    assert salt(KEY, log_id, log_name, seq, what) != salt(KEY, LOG_ID, "facts", 7, "record")


def test_the_chain_of_the_fact_is_taken_out_of_a_verdict() -> None:
    blanked, inside = split_chains(VERDICT % FACT_CHAIN.hex().encode())
    assert blanked == b'{"id":"7.0","data":{"fact_seq":7,"fact_chain":"","part":0}}'
    assert inside == (FACT_CHAIN,)


def test_a_fact_stays_as_it_is() -> None:
    assert split_chains(FACT) == (FACT, ())


@pytest.mark.parametrize("value", [b"", b"0" * 63, b"0" * 65, b"G" * 64, b"A" * 64])
def test_what_is_no_chain_value_stays(value: bytes) -> None:
    body = b'{"fact_chain":"' + value + b'"}'
    assert split_chains(body) == (body, ())


def test_the_chain_values_are_hashed_behind_their_own_salt() -> None:
    chain_salt = b"s" * 32
    assert (
        chains_hash(chain_salt, CHAIN, FACT_CHAIN)
        == hashlib.sha256(b"s" * 32 + CHAIN + FACT_CHAIN).digest()
    )


def test_a_leaf_of_a_fact_is_put_together_from_both_hashes() -> None:
    record_salt = hmac.new(KEY, f"{LOG_ID}\nfacts\n7\nrecord".encode(), "sha256").digest()
    chain_salt = hmac.new(KEY, f"{LOG_ID}\nfacts\n7\nchain".encode(), "sha256").digest()
    hidden = hashlib.sha256(chain_salt + CHAIN).digest()
    expected = hashlib.sha256(record_salt + FACT + hidden).digest()
    assert entry(record_salt, FACT, hidden) == expected
    assert entry_of(KEY, LOG_ID, "facts", 7, chain=CHAIN, body=FACT) == expected


def test_a_leaf_of_a_verdict_hides_the_chain_of_its_fact_too() -> None:
    record_salt = hmac.new(KEY, f"{LOG_ID}\nverdicts\n9\nrecord".encode(), "sha256").digest()
    chain_salt = hmac.new(KEY, f"{LOG_ID}\nverdicts\n9\nchain".encode(), "sha256").digest()
    hidden = hashlib.sha256(chain_salt + CHAIN + FACT_CHAIN).digest()
    expected = hashlib.sha256(record_salt + VERDICT % b"" + hidden).digest()
    body = VERDICT % FACT_CHAIN.hex().encode()
    assert entry_of(KEY, LOG_ID, "verdicts", 9, chain=CHAIN, body=body) == expected


@pytest.mark.parametrize("place", range(0, len(VERDICT) + 60, 7))
def test_every_byte_of_a_record_counts(place: int) -> None:
    body = VERDICT % FACT_CHAIN.hex().encode()
    altered = bytearray(body)
    altered[place] ^= 1
    leaf = entry_of(KEY, LOG_ID, "verdicts", 9, chain=CHAIN, body=body)
    assert entry_of(KEY, LOG_ID, "verdicts", 9, chain=CHAIN, body=bytes(altered)) != leaf
