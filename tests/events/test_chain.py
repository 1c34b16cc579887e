"""The chain, worked out by hand with `printf '/logs/abc/facts' | sha256sum` and the like."""

import hashlib

from shared.events.chain import first_chain, next_chain

# printf '/logs/abc/facts' | sha256sum
FIRST = "90c1a9e861e722004bef4b7d4dd52d98b58385473589aa35c907b38c0cbe80d7"
# (printf '/logs/abc/facts' | sha256sum | cut -c1-64 | xxd -r -p; printf 'one') | sha256sum
AFTER_ONE = "7545365c88e55b2430aa605e3fa550a99e4c5e9a11778b08d857c593471e1c0f"


def test_the_chain_begins_with_the_name_of_the_log() -> None:
    assert first_chain("abc", "facts").hex() == FIRST
    assert first_chain("abc", "verdicts").hex() != FIRST
    assert first_chain("abd", "facts").hex() != FIRST


def test_the_chain_goes_on_over_the_chain_before_and_the_bytes() -> None:
    assert next_chain(bytes.fromhex(FIRST), b"one").hex() == AFTER_ONE


def test_one_chain_stands_for_the_whole_history() -> None:
    bodies = [b"one", b"", b"\x00\xff"]
    chain = first_chain("abc", "facts")
    by_hand = hashlib.sha256(b"/logs/abc/facts").digest()
    for body in bodies:
        chain = next_chain(chain, body)
        by_hand = hashlib.sha256(by_hand + body).digest()
    assert chain == by_hand
    swapped = first_chain("abc", "facts")
    for body in (b"", b"one", b"\x00\xff"):
        swapped = next_chain(swapped, body)
    assert swapped != chain
