"""The search finds what it looks for, however it is written."""

import base64
import hashlib
import quopri
import unicodedata
from urllib.parse import quote

import pytest

from shared.addresses import read_address
from shared.mail.address_hash import AddressHashes
from tests.browser.life.searching import keyed_hashes, traces

ADDRESS = "Zöe.Quillfeather@Example.com"
LINES = b"\nsome lines before it, and behind it\n"


@pytest.mark.parametrize(
    "text",
    [
        f"to {ADDRESS}, at once",
        ADDRESS.upper(),
        unicodedata.normalize("NFD", ADDRESS),
        ADDRESS.encode().hex(),
        quote(ADDRESS, safe=""),
        "Z\\u00f6e.Quillfeather@Example.com",
        quopri.encodestring(ADDRESS.encode()).decode(),
        *(
            base64.b64encode(LINES[:length] + ADDRESS.encode() + LINES).decode()
            for length in (7, 8, 9)
        ),
        hashlib.sha256(ADDRESS.casefold().encode()).hexdigest(),
        base64.b64encode(hashlib.sha1(ADDRESS.encode()).digest()).decode(),
    ],
)
def test_a_word_is_found_in_every_form(text: str) -> None:
    assert traces({"somewhere": f"a {text} b", "elsewhere": "nothing"}, [ADDRESS]) == {
        "somewhere": [ADDRESS]
    }


def test_what_is_not_there_is_not_found() -> None:
    assert traces({"somewhere": "zoe at example.com " * 10}, [ADDRESS]) == {}


def test_a_hash_by_our_key_is_told_apart() -> None:
    text = AddressHashes(b"k" * 32).of(read_address(ADDRESS)).hex()
    assert traces({"somewhere": text}, [ADDRESS]) == {}
    assert keyed_hashes({"somewhere": text, "elsewhere": ""}, b"k" * 32, [ADDRESS]) == {"somewhere"}
