"""The ids: examples of the spec, and every mistype that a check character can tell."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ids import (
    MistypedPlayerIdError,
    api_key,
    check_character,
    is_api_key,
    is_session_id,
    is_slug,
    player_id,
    read_player_id,
    session_id,
)

# From the spec, not from the code.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
DIGITS_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
EXAMPLES = {"7K3Q9XZ": "M", "ABCDEFG": "G", "0000001": "Y"}

numbers = st.integers(0, 32**7 - 1)
prefixes = st.sampled_from(("MJ", "AN"))


def is_mistyped(text: str) -> bool:
    try:
        read_player_id(text)
    except MistypedPlayerIdError:
        return True
    return False


@pytest.mark.parametrize(("body", "check"), EXAMPLES.items())
def test_the_check_characters_of_the_spec(body: str, check: str) -> None:
    assert check_character(body) == check
    assert read_player_id(f"MJ-{body}{check}") == f"MJ-{body}{check}"


def test_the_number_of_an_id_is_written_in_crockfords_base_32() -> None:
    assert player_id("MJ", 1) == "MJ-0000001Y"
    assert player_id("AN", 32**7 - 1)[:10] == "AN-ZZZZZZZ"
    # 7, 19, 3, 23, 9, 29, 31 are the places of 7K3Q9XZ in the alphabet.
    number = 0
    for place in (7, 19, 3, 23, 9, 29, 31):
        number = number * 32 + place
    assert player_id("MJ", number) == "MJ-7K3Q9XZM"


@given(prefixes, numbers)
def test_every_id_is_read_as_it_was_written(prefix: str, number: int) -> None:
    written = player_id(prefix, number)
    assert read_player_id(written) == written
    assert read_player_id(f"  {written.lower()}\t") == written


@given(st.lists(numbers, min_size=2, max_size=2, unique=True))
def test_two_numbers_make_two_ids(two: list[int]) -> None:
    assert player_id("MJ", two[0]) != player_id("MJ", two[1])


@given(prefixes, numbers, st.integers(0, 7))
def test_every_single_character_mistyped_is_found(prefix: str, number: int, place: int) -> None:
    written = player_id(prefix, number)
    head, body = written[:3], written[3:]
    for other in ALPHABET:
        if other != body[place]:
            assert is_mistyped(head + body[:place] + other + body[place + 1 :])


def test_all_neighbors_swapped_are_found_but_the_first_and_last_of_the_alphabet() -> None:
    chance = random.Random(1800)
    for place, (one, other) in itertools.product(range(7), itertools.permutations(ALPHABET, 2)):
        # The places around do not matter, so any will do.
        body = "".join(chance.choices(ALPHABET, k=7))
        body = body[:place] + one + other + body[place + 2 :]
        if place < 6:
            body = body[:7]
            written = body + check_character(body)
        else:
            # The pair takes in the check character: look for what comes before it.
            written = next(
                text
                for before in ALPHABET
                if check_character((text := before + body[1:6] + one + other)[:7]) == other
            )
        swapped = written[:place] + other + one + written[place + 2 :]
        assert is_mistyped(f"MJ-{swapped}") != ({one, other} == {"0", "Z"}), (written, swapped)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("MJ-OOOOOO1Y", "MJ-0000001Y"),
        ("mj-ooooooiy", "MJ-0000001Y"),
        ("mj-oOo0oOLy", "MJ-0000001Y"),
        (" Mj-0oO0o0ly ", "MJ-0000001Y"),
        ("mj-7k3q9xzm", "MJ-7K3Q9XZM"),
        ("an-abcdefgg", "AN-ABCDEFGG"),
    ],
)
def test_what_looks_alike_is_read_alike(typed: str, meant: str) -> None:
    assert read_player_id(typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MJ",
        "MJ-",
        "BOB",
        "7K3Q9XZM",
        "MJ7K3Q9XZM",
        "MJ-7K3Q9XZ",
        "MJ-7K3Q9XZMM",
        "MJ-7K3Q9XZG",
        "MJ-7K3Q-9XZM",
        "MJ--7K3Q9XZM",
        "MJ- 7K3Q9XZM",
        "XX-7K3Q9XZM",
        "MJ-UUUUUUUU",
        "MJ-0000001\u1e8f",
        "MJ-000000\u0131Y",  # A dotless i, whose capital is I.
        "\u2133J-7K3Q9XZM",
        "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_what_is_no_player_id_is_mistyped(text: str) -> None:
    with pytest.raises(MistypedPlayerIdError):
        read_player_id(text)


def test_a_session_id_is_a_ulid() -> None:
    # The time of the example in the ULID specification, and its largest ULID.
    assert session_id(1_469_918_176_385, 0) == "ses_01ARYZ6S410000000000000000"
    assert session_id(2**48 - 1, 2**80 - 1) == "ses_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
    assert session_id(0, 31) == "ses_0000000000000000000000000Z"


@given(
    st.tuples(st.integers(0, 2**48 - 1), st.integers(0, 2**80 - 1)),
    st.tuples(st.integers(0, 2**48 - 1), st.integers(0, 2**80 - 1)),
)
def test_session_ids_sort_by_time(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert is_session_id(session_id(*one))
    assert (session_id(*one) < session_id(*other)) == (one < other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ses_",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "ses_01ARZ3NDEKTSV4RRFFQ69G5FA",
        "ses_01ARZ3NDEKTSV4RRFFQ69G5FAVV",
        "ses_01arz3ndektsv4rrffq69g5fav",
        "ses_81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "ses_01ARZ3NDEKTSV4RRFFQ69G5FAU",
        "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV\n",
        "SES_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_what_is_no_session_id_is_told(text: str) -> None:
    assert not is_session_id(text)


@pytest.mark.parametrize("text", ["bam-good-time", "a", "9", "a--b", "club-7", "x" * 64])
def test_a_slug_names_a_source(text: str) -> None:
    assert is_slug(text)


@pytest.mark.parametrize(
    "text",
    ["", "-", "-a", "a-", "Bam", "bam good", "bam_good", "bäm", "x" * 65, "bam\n", "\u0661"],
)
def test_what_is_no_slug_is_told(text: str) -> None:
    assert not is_slug(text)


@given(st.binary(min_size=32, max_size=32))
def test_an_api_key_holds_its_32_bytes_in_base_62(random_bytes: bytes) -> None:
    key = api_key(random_bytes)
    assert is_api_key(key)
    assert len(key) == 47
    assert key.startswith("mjk_")
    number = 0
    for character in key[4:]:
        number = number * 62 + DIGITS_62.index(character)
    assert number.to_bytes(32, "big") == random_bytes


def test_the_smallest_and_largest_api_key_have_43_characters_too() -> None:
    assert api_key(bytes(32)) == "mjk_" + "0" * 43
    assert is_api_key(api_key(b"\xff" * 32))


@pytest.mark.parametrize(
    "text", ["", "mjk_", "mjk_" + "a" * 42, "mjk_" + "a" * 44, "MJK_" + "a" * 43, "mjk_" + "-" * 43]
)
def test_what_is_no_api_key_is_told(text: str) -> None:
    assert not is_api_key(text)
