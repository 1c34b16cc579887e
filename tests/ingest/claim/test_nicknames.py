# ruff: noqa: RUF001 - the letters that look alike are meant.
"""Nicknames of people without an address, and Bob, who is nobody."""

import unicodedata

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from services.ingest.claim.people import (
    UnreadablePerson,
    read_person,
)
from tests.ingest.claim.people import OF_NAMES, code_of


@pytest.mark.parametrize(
    ("text", "key", "shown"),
    [
        ("ANON:Lucky", "lucky", "Lucky"),
        ("anon : Lucky ", "lucky", "Lucky"),
        ("ANON:LUCKY", "lucky", "LUCKY"),
        ("ANON:Jose\u0301", "josé", "José"),
        ("ANON:José", "josé", "José"),
        ("ANON:STRASSE", "strasse", "STRASSE"),
        ("ANON:straße", "strasse", "straße"),
        ("ANON:ΣΊΣΥΦΟΣ", "σίσυφοσ", "ΣΊΣΥΦΟΣ"),
        ("ANON:Σίσυφος", "σίσυφοσ", "Σίσυφος"),
        ("ANON:Two  words", "two  words", "Two  words"),
        ("ANON:@mahj", "@mahj", "@mahj"),
        ("ANON:🀄🐉", "🀄🐉", "🀄🐉"),
        (
            "ANON:👩\u200d👧",
            "👩👧",
            "👩\u200d👧",
        ),  # Drawn as one family, compared without the joiner.
        ("ANON:🩷", "🩷", "🩷"),  # Younger than the Unicode of Python 3.11.
        ("ANON:מזל", "מזל", "מזל"),
        ("ANON:1: one", "1: one", "1: one"),
    ],
)
def test_a_nickname_is_shown_as_typed_and_compared_without_case(
    text: str, key: str, shown: str
) -> None:
    person = read_person(text)
    assert (person.kind, person.key, person.shown) == ("anonymous", key, shown)
    assert person.is_private


def test_a_nickname_in_full_width_letters_is_another_one_since_only_nfc_is_applied() -> None:
    assert read_person("ANON:Ａnn").key == "ａnn"


@pytest.mark.parametrize(
    "nickname",
    [
        "Lu\u200ecky",
        "Lu\u200fcky",
        "Lu\u202ecky",
        "Lu\u2067cky",
        "Lu\u061ccky",
        "Lu\u200bcky",
        "\ufeffLucky",
        "Lu\ncky",
        "Lu\x00cky",
        "Lu\x7fcky",
        "Lu\u2028cky",
        "Lu\ue000cky",
        "\u3164",
        "Lu\u2800cky",
        "\u200d",
        "\u200d \u200c",
    ],
)
def test_a_nickname_hides_nothing(nickname: str) -> None:
    assert code_of(f"ANON:{nickname}") == "invalid_nickname"


def test_a_nickname_has_at_most_40_characters() -> None:
    assert read_person("ANON:" + "x" * 40).shown == "x" * 40
    assert read_person("ANON: " + "x" * 40 + " ").shown == "x" * 40
    assert read_person("ANON:" + "e\u0301" * 40).shown == "é" * 40
    assert code_of("ANON:" + "x" * 41) == "invalid_nickname"
    assert code_of("ANON:" + "x" * 200) == "invalid_nickname"


@pytest.mark.parametrize("text", ["bob@mahjic.org", "Bob@Mahjic.org", " BOB@MAHJIC.ORG "])
def test_bob_is_bob_in_any_case(text: str) -> None:
    person = read_person(text)
    assert (person.kind, person.is_private) == ("bob", False)


@pytest.mark.parametrize("text", ["PRIVATE:bob@mahjic.org", "private: Bob@Mahjic.ORG"])
def test_bob_has_no_privacy(text: str) -> None:
    assert code_of(text) == "bob_has_no_privacy"


@pytest.mark.parametrize("text", ["bob@mahjic.com", "bob+1@mahjic.org", "bob@ex.com", "ANON:Bob"])
def test_other_bobs_are_people(text: str) -> None:
    assert read_person(text).kind != "bob"


@given(st.text(OF_NAMES | st.characters(categories=("Po", "So", "Zs")), max_size=40))
def test_a_nickname_is_compared_the_same_composed_apart_and_in_its_own_key(text: str) -> None:
    try:
        person = read_person(f"ANON:{text}")
    except UnreadablePerson:
        reject()
    apart = unicodedata.normalize("NFD", text)
    assert read_person(f"ANON:{apart}").key == person.key
    assert read_person(f"ANON:{person.shown}") == person
