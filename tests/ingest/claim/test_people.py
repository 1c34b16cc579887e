# ruff: noqa: RUF001 - the letters that look alike are meant.
"""One person reads as one, however the address is typed, and nobody becomes public by accident."""

import unicodedata

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from services.ingest.claim.people import (
    UnreadablePerson,
    one_spelling,
    read_name,
    read_person,
)
from shared.addresses import UnreadableAddress, read_address
from tests.ingest.claim.people import OF_NAMES, code_of

E_ACUTE_APART = "e\u0301"


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("alice@example.com", "alice@example.com"),
        ("Alice@Example.COM", "alice@example.com"),
        (" alice@example.com ", "alice@example.com"),
        ("\talice@example.com\r\n", "alice@example.com"),
        ("\u00a0alice@example.com\u3000", "alice@example.com"),
        ("alice@exämple.com", "alice@xn--exmple-cua.com"),
        ("alice@EXÄMPLE.com", "alice@xn--exmple-cua.com"),
        ("alice@exa\u0308mple.com", "alice@xn--exmple-cua.com"),
        ("alice@xn--exmple-cua.com", "alice@xn--exmple-cua.com"),
        ("alice@XN--EXMPLE-CUA.COM", "alice@xn--exmple-cua.com"),
        ("alice@ｅｘａｍｐｌｅ。com", "alice@example.com"),
        ("alice@ex\u00adample.com", "alice@example.com"),  # A soft hyphen from a copied text.
        ("alice@straße.de", "alice@xn--strae-oqa.de"),
        (f"ren{E_ACUTE_APART}e@example.com", "renée@example.com"),
        ("RENÉE@example.com", "renée@example.com"),
        ("RENE\u0301E@EXAMPLE.COM", "renée@example.com"),
        ("o'neill.mary+club@example.com", "o'neill.mary+club@example.com"),
        ("ａｌｉｃｅ@example.com", "alice@example.com"),
        ("ALICE＠example.com", "alice@example.com"),
        ("ﾊﾙ@example.com", "ハル@example.com"),
        ("\u210cal@example.com", "hal@example.com"),  # A black-letter H, which has no small form.
        ("alice@a.b.example.museum", "alice@a.b.example.museum"),
        ("alice@7.example.com", "alice@7.example.com"),
    ],
)
def test_the_spellings_of_an_address_are_one_person(typed: str, address: str) -> None:
    person = read_person(typed)
    assert (person.kind, person.key, person.is_private) == ("person", address, False)


def test_a_tag_makes_another_person_until_somebody_merges_them() -> None:
    assert read_person("a+b@x.org").key != read_person("a@x.org").key


LETTERS = st.characters(categories=["L", "N", "S", "Mn"])


@given(
    st.text(LETTERS, min_size=1, max_size=10),
    st.sampled_from(["example.com", "ｅxample．com", "EXAMPLE.com"]),
)
def test_a_key_reads_as_itself(local: str, domain: str) -> None:
    try:
        key = read_address(f"{local}@{domain}")
    except UnreadableAddress:
        reject()
    assert read_address(key) == key
    assert unicodedata.normalize("NFKC", key) == key


@pytest.mark.parametrize(
    "domain",
    [
        "[127.0.0.1]",
        "127.0.0.1",
        "１２７.0.0.1",
        "[IPv6:2001:db8::1]",
        "2130706433",
        "0x7f.1",
        "example.0x7f000001",
        "example.1",
    ],
)
def test_an_ip_address_is_no_domain_and_the_sentence_says_so(domain: str) -> None:
    with pytest.raises(UnreadablePerson, match="is an IP address") as refused:
        read_person(f"carol@{domain}")
    assert refused.value.code == "invalid_email"


@pytest.mark.parametrize("domain", ["gmail", "localhost", "LOCALHOST", "xn--exmple-cua", "ｇmail"])
def test_a_domain_without_a_dot_is_refused_with_what_to_write(domain: str) -> None:
    with pytest.raises(UnreadablePerson, match=r"in full, such as gmail\.com\.$") as refused:
        read_person(f"PRIVATE:carol@{domain}")
    assert refused.value.code == "invalid_email"


@pytest.mark.parametrize("name", ["Carol", "Carol O’Neil", "ヤマダ", "carol at example.com"])
def test_a_name_in_the_place_of_an_address_is_told_what_to_write(name: str) -> None:
    with pytest.raises(UnreadablePerson) as refused:
        read_person(name)
    assert "carol@example.com" in refused.value.message
    assert refused.value.message.endswith(f"ANON:{name}.")
    # What the sentence says to write is taken.
    assert read_person(refused.value.message.rpartition("nickname: ")[2][:-1]).shown == name


@pytest.mark.parametrize("text", ["", "\x00", "x" * 41, "\u202e"])
def test_what_is_no_nickname_either_is_not_repeated(text: str) -> None:
    with pytest.raises(UnreadablePerson, match="ANON:Carol") as refused:
        read_person(text)
    assert text == "" or text not in refused.value.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "alice",
        "@example.com",
        "alice@",
        "alice@@example.com",
        "a b@example.com",
        "alice@exam ple.com",
        "alice@example..com",
        "alice@.example.com",
        "alice@example.com.",
        "alice@-example.com",
        "alice@exa_mple.com",
        "alice@[127.0.0.1]",
        ".alice@example.com",
        "ali..ce@example.com",
        "alice.@example.com",
        '"alice"@example.com',
        "Alice <alice@example.com>",
        "alice@example.com, bo@example.com",
        "mailto:alice@example.com",
        "ali\x00ce@example.com",
        "ali\u200ece@example.com",
        "ali\u200fce@example.com",
        "ali\u202ece@example.com",
        "ali\u2066ce@example.com",
        "ali\u200bce@example.com",
        "ali\u3164ce@example.com",
        "alice@exam\u202eple.com",
        "ＰＲＩＶＡＴＥ:alice@example.com",
        "ＡＮＯＮ：Alice",
        "alice@xn--a.com",
        "a" * 243 + "@example.com",
        "alice@" + "a" * 64 + ".com",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert code_of(text) == "invalid_email"


def test_an_address_of_254_characters_is_the_longest() -> None:
    domain = ".".join(["a" * 61, "b" * 61, "c" * 61, "com"])
    longest = "a" * 64 + "@" + domain
    assert len(longest) == 254
    assert read_address(longest) == longest
    assert code_of("a" * 64 + "@a" + domain) == "invalid_email"


@pytest.mark.parametrize("local", ["a" * 65, "é" * 33])
def test_more_than_64_bytes_before_the_sign_are_no_address(local: str) -> None:
    assert read_address(local[:-1] + "@example.com")
    assert code_of(local + "@example.com") == "invalid_email"


@pytest.mark.parametrize(
    "text",
    [
        "PRIVATE:dave@example.com",
        "private:dave@example.com",
        "Private:Dave@Example.com",
        "PRIVATE: dave@example.com",
        " PRIVATE : dave@example.com ",
        "PR\u0130VATE:dave@example.com",  # As a Turkish keyboard types it.
        "pr\u0131vate:dave@example.com",
        "\tpRiVaTe\t:\tdave@example.com",
    ],
)
def test_a_private_player_is_private_however_the_prefix_is_typed(text: str) -> None:
    person = read_person(text)
    assert (person.kind, person.key, person.is_private) == ("person", "dave@example.com", True)


def test_the_private_and_the_plain_mention_are_the_same_person() -> None:
    assert read_person("PRIVATE:dave@x.org").key == read_person("Dave@X.org").key


@pytest.mark.parametrize(
    ("first", "other", "one"),
    [
        pytest.param("dave@x.org", " Dave@X.org ", "dave@x.org", id="case and spaces"),
        pytest.param(
            "dave@b\u00fccher.de", "dave@xn--bcher-kva.de", "dave@b\u00fccher.de", id="IDNA"
        ),
        pytest.param("\u00e9@x.org", f"{E_ACUTE_APART}@x.org", "\u00e9@x.org", id="NFC"),
        pytest.param("dave@x.org", "private: dave@x.org", "private: dave@x.org", id="private last"),
        pytest.param("PRIVATE:dave@x.org", "dave@x.org", "PRIVATE:dave@x.org", id="private first"),
        pytest.param("PRIVATE:dave@x.org", "private:dave@x.org", "PRIVATE:dave@x.org", id="twice"),
        pytest.param("ANON:Di", "anon: di", "ANON:Di", id="nickname"),
        pytest.param("bob@mahjic.org", "Bob@Mahjic.org", "bob@mahjic.org", id="Bob"),
        pytest.param("nobody", "nobody", "nobody", id="nobody"),
    ],
)
def test_one_person_gets_one_spelling_and_private_wins(first: str, other: str, one: str) -> None:
    assert one_spelling({"a": first, "b": other}) == {"a": one, "b": one}


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("strasse@x.org", "straße@x.org"),
        ("dave@x.org", "ANON:dave"),
        ("nobody", "Nobody"),
        ("ANON:", "PRIVATE:"),
        ("dave+a@x.org", "dave@x.org"),
    ],
)
def test_two_people_keep_their_spellings(first: str, other: str) -> None:
    assert one_spelling({"a": first, "b": other}) == {"a": first, "b": other}


@pytest.mark.parametrize(
    "text",
    [
        "ＰＲＩＶＡＴＥ：dave@example.com",  # As a Chinese or Japanese keyboard types it.
        "PRIVATE：dave@example.com",
        "private﹕dave@example.com",
        "ＰＲＩＶＡＴＥ:dave@example.com",
        "\u200bPRIVATE:dave@example.com",
        "PRI VATE:dave@example.com",
        "PRIVAT:dave@example.com",
        "PRIVATE;:dave@example.com",
        "HIDDEN:dave@example.com",
    ],
)
def test_a_mistyped_prefix_never_becomes_part_of_a_public_address(text: str) -> None:
    assert code_of(text) == "invalid_email"


@pytest.mark.parametrize(
    "text",
    [
        "PRIVATE:PRIVATE:a@x.org",
        "private: Private:a@x.org",
        "PRIVATE:ANON:n",
        "ANON:PRIVATE:a@x.org",
        "ANON: anon : n",
        "PRIVATE:ANON:",
    ],
)
def test_a_prefix_in_a_prefix_is_refused(text: str) -> None:
    assert code_of(text) == "prefix_twice"


@pytest.mark.parametrize("text", ["PRIVATE:", "ANON:", "private: ", " anon :\t", "ANON:\u3000"])
def test_nothing_after_a_prefix_is_refused(text: str) -> None:
    assert code_of(text) == "empty_player"


@pytest.mark.parametrize(
    "text",
    ["ANON:a@x.com", "anon: Ann a@x.org ", "ANON:a＠x.com", "ANON:bob@mahjic.org", "ANON:<a@x>"],
)
def test_an_address_is_never_taken_for_a_nickname(text: str) -> None:
    assert code_of(text) == "address_as_nickname"


def test_an_offered_name_is_kept_as_typed_within_80_characters() -> None:
    assert read_name(" Ann O\u2019Neill\u00a0") == "Ann O\u2019Neill"
    assert read_name("x" * 80) == "x" * 80
    for text in ("", " ", "x" * 81, "A\u202enn", "A\nnn"):
        with pytest.raises(UnreadablePerson) as refused:
            read_name(text)
        assert refused.value.code == "invalid_name"


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_code(text: str) -> None:
    for candidate in (text, f"PRIVATE:{text}", f"ANON:{text}", f"{text}@x.com", f"a@{text}"):
        try:
            outcome = read_person(candidate).key
        except UnreadablePerson as refused:
            outcome = refused.code
        assert outcome


@given(st.text(OF_NAMES, max_size=12), st.text(OF_NAMES, max_size=12))
def test_what_was_read_reads_as_the_same_person_again(local: str, domain: str) -> None:
    try:
        address = read_address(f"a{local}@b{domain}.com")
    except UnreadableAddress:
        reject()
    assert read_address(address) == address
    assert address == unicodedata.normalize("NFC", address).lower()
    assert address.rpartition("@")[2].isascii()
