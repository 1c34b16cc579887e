"""A body is JSON that means one thing, and a claim is refused with all its mistakes."""

import json
from decimal import Decimal
from functools import partial
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator
from pydantic_core import PydanticCustomError

from shared.documents import parse_strictly
from shared.errors import MISTAKES_MAX, MORE_WORDS, ClaimRefused, MalformedJson
from shared.mistakes import pointer


class Seat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    who: Annotated[str, Field(max_length=10)]
    wins: Annotated[int, Field(ge=0, le=200)] = 0

    @field_validator("who")
    @classmethod
    def not_nobody(cls, who: str) -> str:
        if who == "nobody":
            raise PydanticCustomError("player_unknown", "Nobody is not a player.")
        return who


class Night(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seats: Annotated[list[Seat], Field(min_length=1, max_length=4)]
    kind: Literal["league", "social"] = "social"
    either: int | str | Seat = 1
    points: float = 0.0
    free: dict[str, int] = {}


NIGHT = TypeAdapter(Night)
ANYTHING: TypeAdapter[object] = TypeAdapter(object)


def mistakes_in(raw: str) -> list[tuple[str, str, str]]:
    with pytest.raises(ClaimRefused) as refused:
        parse_strictly(NIGHT, raw.encode())
    return [(m.pointer, m.code, m.message) for m in refused.value.mistakes]


def test_a_claim_without_mistakes_is_read() -> None:
    night = parse_strictly(NIGHT, b'{"seats": [{"who": "Ada", "wins": 2}], "points": -1.5}')
    assert night.seats == [Seat(who="Ada", wins=2)]
    assert night.points == -1.5


@pytest.mark.parametrize(
    ("raw", "reason", "line", "column"),
    [
        (b"{", "it ends in the middle of an object", 1, 2),
        (b"[1, ", "it ends in the middle of a value", 1, 5),
        (b'{"seats": [', "it ends in the middle of a list", 1, 12),
        (b'{"seats', "it ends in the middle of a string", 1, 8),
        (b'{"seats": []} x', "trailing characters", 1, 15),
        (b'{"seats":\n  [1,]}', "trailing comma", 2, 6),
        (b'{"points": NaN}', "NaN is not a number", None, None),
        (b'{"points": -Infinity}', "-Infinity is not a number", None, None),
        (b'{"points": Infinity}', "Infinity is not a number", None, None),
        (b'\xef\xbb\xbf{"seats": []}', "byte order mark", 1, 1),
        (b'{"a":\n "caf\xe9"}', "not UTF-8", 2, 6),
        ('{"seats": []}'.encode("utf-16"), "not UTF-8", 1, 1),
        (b'{"kind": "\\ud800"}', "hex escape|surrogate", 1, None),
        (b'{"kind": "a\x00b"}', "control character", 1, None),
        (b'{"kind": "a\nb"}', "control character", 1, None),
        (b'{"a": 01}', "invalid number", 1, 8),
        (b"{'a': 1}", "key must be a string", 1, 2),
        (b"[" * 100_000, "nested more than 200 levels deep", None, None),
        (b'{"a":' * 100_000, "nested more than 200 levels deep", None, None),
        (b"[" * 202 + b"]" * 202, "nested more than 200 levels deep", 1, None),
        (b"[" * 960 + b'"\\u0000"' + b"]" * 960, "nested more than 200 levels deep", None, None),
        (b'{"wins": ' + b"9" * 5000 + b"}", "thousands of digits", None, None),
        (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 1}}', 'two members named "c"', 1, None),
        ('{"\u00e9": 1,\n"\u00e9": 1, "\u00e9": 2}'.encode(), 'named "\u00e9"', 2, None),
        (b'{"a": 1e1000000000000000000000}', "a very long exponent", 1, None),
        ('{"\u00e9": NaN}'.encode(), "NaN is not a number", 1, 7),
        (b'{"a": 1, "\\u0061": 2}', 'two members named "a"', None, None),
        (b'{"a": 1, "a": "\\u003a"}', 'two members named "a"', None, None),
        (b'{"a": ":", "a": 2}', 'two members named "a"', None, None),
        (b'{"\\ud800": 1, "\\ud800": 2}', "hex escape", 1, None),
    ],
)
def test_what_is_not_json_is_malformed(
    raw: bytes, reason: str, line: int | None, column: int | None
) -> None:
    with pytest.raises(MalformedJson, match=f"(?i){reason}") as malformed:
        parse_strictly(NIGHT, raw)
    malformed.value.detail.encode()  # It can be sent, whatever it quotes.
    if line is not None:
        assert malformed.value.extra["line"] == line
    if column is not None:
        assert malformed.value.extra["column"] == column


@pytest.mark.parametrize("value", ["2.0", "1e2", '"2"', "true", "null", "1.5", "[]", "{}"])
def test_only_a_whole_number_is_a_whole_number(value: str) -> None:
    found = mistakes_in(f'{{"seats": [{{"who": "Ada", "wins": {value}}}]}}')
    assert [(place, code) for place, code, _ in found] == [("/seats/0/wins", "wrong_type")]


def test_all_mistakes_are_told_at_once_with_their_places_and_values() -> None:
    found = mistakes_in(
        '{"seats": [{"who": "Ada", "wins": 201}, {"wins": true}, {"who": "nobody"},'
        ' {"who": "a very long name"}], "kind": "party", "a/b~c": 1}'
    )
    assert sorted(found) == [
        ("/a~1b~0c", "unknown_field", 'Unknown field: "a/b~c". Leave it out.'),
        ("/kind", "unknown_value", "It must be one of 'league' or 'social'; \"party\" is not."),
        ("/seats/0/wins", "out_of_range", "It must be 200 or less; 201 is not."),
        ("/seats/1/who", "missing", '"who" is required.'),
        ("/seats/1/wins", "wrong_type", "It must be a whole number; true is not."),
        ("/seats/2/who", "player_unknown", "Nobody is not a player."),
        (
            "/seats/3/who",
            "too_long",
            'It must be at most 10 characters long; "a very long name" is not.',
        ),
    ]


def test_a_choice_of_types_is_one_mistake_at_one_place() -> None:
    found = mistakes_in('{"seats": [{"who": "Ada"}], "either": []}')
    assert found == [
        (
            "/either",
            "wrong_type",
            "It must be a whole number, a string or an object; a list of 0 is not.",
        )
    ]


def test_a_mistake_inside_a_choice_of_types_points_into_the_document() -> None:
    found = mistakes_in('{"seats": [{"who": "Ada"}], "either": {"who": 5}}')
    assert ("/either/who", "wrong_type", "It must be a string; 5 is not.") in found


@pytest.mark.parametrize(
    ("raw", "place", "code"),
    [
        ("[]", "", "wrong_type"),
        ('{"seats": []}', "/seats", "too_short"),
        ('{"seats": [1,2,3,4,5]}', "/seats", "too_long"),
        ('{"seats": [{"who": "Ada"}], "points": 1e999}', "/points", "out_of_range"),
        ('{"seats": [{"who": "Ada"}], "points": -1e999}', "/points", "out_of_range"),
        ('{"seats": [{"who": "a\\u0000"}]}', "/seats/0/who", "forbidden_character"),
        (
            '{"seats": [{"who": "Ada"}], "free": {"a": 9223372036854775808}}',
            "/free/a",
            "out_of_range",
        ),
        (
            '{"seats": [{"who": "Ada"}], "free": {"a\\u0000": 1}}',
            "/free/a\0",
            "forbidden_character",
        ),
    ],
)
def test_each_rule_has_its_code_and_place(raw: str, place: str, code: str) -> None:
    assert (place, code) in [(p, c) for p, c, _ in mistakes_in(raw)]


def test_a_number_that_breaks_two_rules_of_one_kind_is_one_mistake() -> None:
    found = mistakes_in('{"seats": [{"who": "Ada", "wins": 99999999999999999999}]}')
    assert [(place, code) for place, code, _ in found] == [("/seats/0/wins", "out_of_range")]


def test_a_choice_of_two_objects_asks_for_an_object_once() -> None:
    adapter: TypeAdapter[object] = TypeAdapter(Seat | dict[str, int])
    with pytest.raises(ClaimRefused) as refused:
        parse_strictly(adapter, b"5")
    (mistake,) = refused.value.mistakes
    assert mistake.message == "It must be an object; 5 is not."


def test_the_largest_whole_number_of_64_bits_is_taken() -> None:
    night = parse_strictly(
        NIGHT, b'{"seats": [{"who": "Ada"}], "free": {"a": 9223372036854775807}}'
    )
    assert night.free == {"a": 2**63 - 1}


def test_a_long_value_is_not_sent_back_whole() -> None:
    found = mistakes_in('{"seats": [{"who": "%s"}]}' % ("x" * 10_000))
    assert len(found[0][2]) < 150


def test_the_list_of_mistakes_has_an_end_and_says_so() -> None:
    fields = ",".join(f'"f{number}":1' for number in range(MISTAKES_MAX + 500))
    found = mistakes_in(f'{{"seats":[{{"who":"Ada"}}],{fields}}}')
    assert len(found) == MISTAKES_MAX + 1
    assert found[-1] == ("", "more_mistakes", MORE_WORDS)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON_VALUES, st.booleans())
def test_whatever_python_writes_as_json_is_read_as_the_same(value: object, in_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=in_ascii)
    read = parse_strictly(ANYTHING, text.encode())
    # Compared as texts, True is not 1, and a Decimal has the digits that were sent.
    assert repr(read) == repr(json.loads(text, parse_float=Decimal))


@given(st.lists(st.sampled_from(["a", "b", "a:b", ":", '\\"', "\\u0061", "\\\\", "é"]), max_size=4))
def test_a_name_that_comes_twice_is_always_found(written: list[str]) -> None:
    members = ",".join(f'"{name}": ":{name}"' for name in written)
    names = ["a" if name == "\\u0061" else name for name in written]
    raw = f'[{{"first": {{{members}}}}}]'.encode()
    if len(set(names)) == len(names):
        parse_strictly(ANYTHING, raw)
    else:
        with pytest.raises(MalformedJson, match="two members named"):
            parse_strictly(ANYTHING, raw)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_our_own_errors(raw: bytes) -> None:
    for read in (partial(parse_strictly, NIGHT), partial(parse_strictly, ANYTHING)):
        try:
            read(raw)
        except (MalformedJson, ClaimRefused) as error:
            error.detail.encode()


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), min_size=1, max_size=20)
)
def test_a_pointer_reads_back_by_the_rules_of_rfc_6901(path: list[str]) -> None:
    steps = pointer(path).split("/")[1:]
    assert [step.replace("~1", "/").replace("~0", "~") for step in steps] == path
