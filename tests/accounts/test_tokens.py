"""Tokens and codes have the shape that they are told to have, and are read as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.accounts.logging_in.browsers import browser_words
from services.accounts.tokens import code_hash, code_of, is_token, read_code, shown_code, token_of
from shared.ids import CROCKFORD


@given(st.binary(min_size=5, max_size=5))
def test_a_code_is_read_back_however_it_is_typed(random_bytes: bytes) -> None:
    code = code_of(random_bytes)
    # By hand: five bits a character, the first ones first.
    bits = "".join(f"{each:08b}" for each in random_bytes)
    assert code == "".join(CROCKFORD[int(bits[at : at + 5], 2)] for at in range(0, 40, 5))
    shown = shown_code(code)
    assert shown == f"{code[:4]}-{code[4:]}"
    for typed in (
        shown,
        code.lower(),
        f"  {shown.lower()} ",
        shown.replace("-", "\u2013"),
        " ".join(code),
        code.replace("0", "O").replace("1", "l"),
    ):
        assert read_code(typed) == code


@pytest.mark.parametrize("typed", ["", "7K3Q-9XZ", "7K3Q-9XZMM", "7K3Q-9XUM", "7K3Q\n9X", "-" * 99])
def test_what_cannot_be_a_code_is_none(typed: str) -> None:
    assert read_code(typed) is None


@given(st.text())
def test_no_text_breaks_the_reading(typed: str) -> None:
    code = read_code(typed)
    assert code is None or (len(code) == 8 and set(code) <= set(CROCKFORD))


@given(st.binary(min_size=32, max_size=32))
def test_a_token_stands_in_links_and_cookies_as_it_is(random_bytes: bytes) -> None:
    assert is_token(token_of(random_bytes))


def test_a_code_has_another_hash_in_another_browser() -> None:
    one, other = token_of(bytes(32)), token_of(b"\x01" * 32)
    assert code_hash("7K3Q9XZM", one) != code_hash("7K3Q9XZM", other)


# As these browsers call themselves (Sept. 2026), but for their numbers.
@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/156.0.0.0 Safari/537.36"
            ),
            "Chrome on Windows",
        ),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0"
            ),
            "Edge on Windows",
        ),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) WebKit/605.1.15 (KHTML, "
                "like Gecko) Version/20.0 Mobile/15E148 Safari/604.1"
            ),
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0",
            "Firefox on Mac",
        ),
        (
            (
                "Mozilla/5.0 (Linux; Android 16; SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) "
                "SamsungBrowser/30.0 Chrome/150.0.0.0 Mobile Safari/537.36"
            ),
            "Samsung Internet on Android",
        ),
        ("curl/8.9", "An unknown browser"),
        ("<script>alert(1)</script> Windows", "An unknown browser on Windows"),
        ("", "An unknown browser"),
    ],
)
def test_a_browser_is_told_in_words_of_ours(user_agent: str, words: str) -> None:
    assert browser_words(user_agent) == words


@given(st.text(max_size=2000))
def test_nothing_that_a_browser_says_is_repeated(user_agent: str) -> None:
    assert len(browser_words(user_agent)) < 50
