"""Keyed hashes of addresses, links that end mail, and the file that holds the key."""

import base64
import hashlib
import os
import stat
from pathlib import Path

import pytest

from shared.mail.address_hash import AddressHashes
from shared.mail.key_file import KEY_FILE, AddressKeyUnreadable, key_in
from shared.mail.no_more import hash_in_token, no_more_token
from tests.mail.letters import KEY

HASHES = AddressHashes(KEY)


def by_definition(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA256 as RFC 2104 writes it."""
    block = key.ljust(64, b"\x00")
    inner = hashlib.sha256(bytes(each ^ 0x36 for each in block) + message).digest()
    return hashlib.sha256(bytes(each ^ 0x5C for each in block) + inner).digest()


def test_a_hash_is_hmac_with_the_key_of_this_installation() -> None:
    assert HASHES.of("carol@example.com") == by_definition(KEY, b"address\x00carol@example.com")
    assert HASHES.of("carol@example.com") != AddressHashes(KEY[::-1]).of("carol@example.com")


def test_a_link_is_about_one_address_and_only_we_can_make_it() -> None:
    token = no_more_token(HASHES, "carol@example.com")
    assert hash_in_token(HASHES, token) == HASHES.of("carol@example.com")
    assert hash_in_token(AddressHashes(KEY[::-1]), token) is None
    data = base64.urlsafe_b64decode(token)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        assert hash_in_token(HASHES, base64.urlsafe_b64encode(changed).decode()) is None


@pytest.mark.parametrize("token", ["", "x", "ü" * 64, "." * 64, "A" * 63, "A" * 65, "A" * 10_000])
def test_what_is_no_link_of_ours_is_about_nobody(token: str) -> None:
    assert hash_in_token(HASHES, token) is None


def test_the_key_is_made_once_for_our_account_alone(tmp_path: Path) -> None:
    made = key_in(tmp_path)
    assert len(made) == 32
    assert key_in(tmp_path) == made
    assert [file.name for file in tmp_path.iterdir()] == [KEY_FILE]
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"00ff", b"no key at all", b"\xff" * 64, b"0" * 5000])
def test_a_file_that_holds_no_key_is_not_taken_for_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(AddressKeyUnreadable, match="holds no key"):
        key_in(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == content


def test_a_pipe_in_its_place_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / KEY_FILE)
    with pytest.raises(AddressKeyUnreadable):
        key_in(tmp_path)
