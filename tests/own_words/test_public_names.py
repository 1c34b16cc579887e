# ruff: noqa: RUF001 - What looks like something else is what is tried.
"""Which names players can be seen by: names people have, and names that pretend to be something."""

import itertools
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.characters import forbidden_in_label
from shared.ids import player_id
from shared.own_words.public_names import NAME_CHARACTERS_MAX, UnfitName, Wrong, read_public_name

# As people write their names, in the scripts of the world.
NAMES = (
    """
Alice B.|José|O’Neil|O'Brien, Jr.|Anne-Marie|J. R. Smith|J.R. Smith
St. John|Dr. No|Al|Ann & Bob|Ann (Columbus)|María José Núñez
Łukasz Żółć|Nguyễn Thị Ngọc|Bjørn Ærøe|Ğülşah|Ἀθηνᾶ Παπαδοπούλου
Мария Иванова|Анна Smith|李小龍|山田たろう|山田タロウ|スミス・アン|김철수|金철수|ㄅㄆ王|שָׁלוֹם
שלום כהן|محمد عليّ|नमस्ते|क्\u200dष शर्मा|می\u200cخواهم|สมชาย น้ำ
Գոհար|ნინო|አበበ|ᏣᎳᎩ|Ann 2|Ann 🀄|♥ Ann|Anastasios|Antoinette|An Thompson
MJ Thompson|An-Margriet|M.J.|MJ Smith 1962|MJ|Jo-Margaret|Muhammad-Ali
Ga·lí
""".strip()
    .replace("\n", "|")
    .split("|")
)

REFUSED: dict[Wrong, list[str]] = {
    "too_short": ["", " ", "n", "李", " a ", "--", "''", "42", "🀄🀄", "e\u0301", "\u3000"],
    "too_long": [
        "x" * 41,
        "李" * 41,
        "x" * 10_000,
        "e\u0301" * 41,
        "a\u0301" * 10_000,
        "x y " * 20,
    ],
    "forbidden_character": [
        *(f"Al{each}ice" for each in "\x00\x07\t\n\r\x1b\x7f\x85\u2028\u2029"),
        *(f"Al{each}ice" for each in "\u200b\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0\u2800"),
        *(f"Al{each}ice" for each in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u061c"),
        *(f"Al{each}ice" for each in "\u200e\u200f\u206a\ufff9\U000e0041\ud800\ufffe\ue000"),
        *(f"Al{each}ice" for each in "\ufe00\ufe0f\U000e0100\u180b\u200d\u200c"),
        "Ann 👩\u200d🚀",
        "A\u200d\u200dn",
        "李\U000e0100白",
    ],
    "letter_in_disguise": [
        "Ａｎｎ",
        "𝐀𝐧𝐧",
        "𝒜𝓃𝓃",
        "Ⓐnn",
        "🅰nn B",
        "🄰nn",
        "🇺🇸 Ann",
        "Ann³",
        "Annª",
        "ﾊﾅｺ",
        "A\u20ddnn",
        "Ann ½",
        "Ann ①",
    ],
    "too_many_marks": [
        "a" + "\u0301\u0302\u0303\u0304\u0305b",
        "a\u0301\u0301\u0301b",
        "S\u0336a\u0336m",
        "Z̸̡̢a̵̷l",
        "\u0301Ann",
        "Ann \u0302",
        "A-\u0301nn",
        "ส\u0e38\u0e38\u0e38\u0e38ม",
    ],
    "mixed_scripts": [
        "Mаria",  # A Cyrillic a.
        "Αnna",  # A Greek alpha.
        "Ꭺnn",
        "раураl",
        "Annא",
        "Ann李",
        "李나たろう",
        "Ann٧",
        "ꓮnn",
        "Ann-Мария",
        "Αθηνа",  # A Cyrillic a among Greek letters.
    ],
    "looks_like_an_id": [
        "MJ-7K3Q9XZM",
        "mj-7k3q9xzm",
        "MJ 7K3Q9XZM",
        "MJ7K3Q9XZM",
        "Mj—7K3Q9XZM",
        "MJ-7K3Q-9XZM",
        "MJ-7K3Q 9XZM",
        "MJ: 7K3Q9XZM",
        "M J - 7 K 3 Q 9 X Z M",
        "Ann MJ-7K3Q9XZM",
        "(MJ-7K3Q9XZM)",
        "MJ-ABCDEFGG",
        "MJ-7K3Q9XZN",  # Mistyped, and still taken for one.
        "AN-7K3Q9XZM",
        "AN7K3Q9XZM",
        "МЈ-7К3Т9ХСМ",  # All Cyrillic.
        "МЈ-КНТВСХАМ",
        "ΜͿ-7Κ3Ζ9ΧΖΜ",  # All Greek.
        "ᎷᎫ-7ᏦᎪᎪᎪᎪᎪᎪ",
        "ꓟꓙ-7ꓗ3ꓝ9ꓫꓜꓟ",
        "ＭＪ－７Ｋ３Ｑ９ＸＺＭ",
        "M\u0302J-7K3Q9XZM",
        "𝐌𝐉-𝟕𝐊𝟑𝐐𝟗𝐗𝐙𝐌",
        "MJ·7K3Q9XZM",
        "MJ_7K3Q9XZM",
    ],
    "looks_like_an_address": [
        "a@b.c",
        "alice@example.com",
        "@alice",
        "a＠b.c",
        "a﹫b",
        "PRIVATE:a@b.c",
        "https://a.b",
        "http:// x y",
        "//evil",
        "www.evil",
        "mahjong.club",
        "evil。com",
        "Visit cheap-tiles.com",
        "mailto:ann",
        "bücher.de",
    ],
}


@pytest.mark.parametrize("name", NAMES)
def test_names_as_people_have_them_are_taken_as_they_are(name: str) -> None:
    assert read_public_name(name) == unicodedata.normalize("NFC", name)
    assert read_public_name(unicodedata.normalize("NFD", name)) == read_public_name(name)
    assert read_public_name(f"  {name}\u00a0\n") == read_public_name(name)


@pytest.mark.parametrize(
    ("wrong", "name"), [(wrong, name) for wrong, names in REFUSED.items() for name in names]
)
def test_what_pretends_or_cannot_be_read_is_refused_for_what_it_is(wrong: Wrong, name: str) -> None:
    with pytest.raises(UnfitName) as refused:
        read_public_name(name)
    assert (refused.value.wrong, refused.value.status) == (wrong, 422)
    # What to do, and nothing invisible in the words themselves.
    assert refused.value.detail.count(".") >= 2
    assert forbidden_in_label(refused.value.detail) is None


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Alice   B. ", "Alice B."),
        ("Alice\u3000B\u00a0C", "Alice B C"),
        ("Jose\u0301", "José"),
        ("Ann ❤\ufe0f", "Ann ❤"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
    ],
)
def test_what_is_typed_becomes_one_form(typed: str, kept: str) -> None:
    assert read_public_name(typed) == kept
    assert read_public_name(kept) == kept


@given(st.text(max_size=60))
def test_whatever_is_taken_keeps_the_rules_and_is_taken_again(text: str) -> None:
    try:
        name = read_public_name(text)
    except UnfitName:
        return
    assert 2 <= len(name) <= NAME_CHARACTERS_MAX
    assert unicodedata.is_normalized("NFC", name)
    assert forbidden_in_label(name) is None
    assert "@" not in unicodedata.normalize("NFKC", name)
    assert read_public_name(name) == name


@given(
    st.integers(0, 32**7 - 1),
    st.sampled_from(("MJ", "AN")),
    st.sampled_from(("-", " ", "", "–", ".", "_", " - ", ":")),
    st.sampled_from(
        ("", "Ann ", "("),
    ),
    st.sampled_from((str.upper, str.lower, str.title)),
)
def test_no_id_passes_in_any_spelling(
    number: int, prefix: str, dash: str, before: str, spell: object
) -> None:
    assert callable(spell)
    whole = player_id(prefix, number)
    body = whole.partition("-")[2]
    if body.isalpha() and (prefix == "AN" or dash in {" ", ""}):
        return  # Such an id is a word like any other.
    name = f"{before}{spell(f'{prefix}{dash}{body}')}"
    with pytest.raises(UnfitName) as refused:
        read_public_name(name)
    assert refused.value.wrong in {"looks_like_an_id", "looks_like_an_address"}


def test_every_kind_of_mistake_is_tried() -> None:
    assert set(REFUSED) == set(Wrong.__args__)  # type: ignore[attr-defined]


def test_a_long_text_costs_no_more_than_its_length() -> None:
    def cost(length: int) -> float:
        floods = ("a" + "\u0301\u0316" * length, "MJ-" * length, "x." * length, " " * length)
        best = []
        for flood, _ in itertools.product(floods, range(5)):
            began = time.perf_counter()
            with pytest.raises(UnfitName):
                read_public_name(flood)
            best.append(time.perf_counter() - began)
        return min(best)

    assert cost(1_000_000) < 20 * max(cost(100_000), 1e-5)
