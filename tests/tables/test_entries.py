"""Entries are read strictly, each with what is wrong and its id if it has one."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tables.books import WrongBook, outcome_of, read_book
from shared.tables.entries import WrongEntry, read_entry, text_of
from shared.tables.limits import ENTRY_BYTES_MAX
from tests.tables.lists import a_game, an_id

GOOD: dict[str, Any] = {
    "id": an_id(1),
    "device": 2,
    "count": 3,
    "about": {"game": [1, 4]},
    "replaces": [an_id(7)],
    "content": {"winner": 2, "value": 25, "by": 3, "no_jokers": True, "dead": [4]},
}


def test_an_entry_has_one_form_that_reads_as_itself() -> None:
    entry = read_entry(GOOD)
    # By hand: the fields in this order, and those of the content by name.
    assert text_of(entry) == (
        '{"id":"0000000000000000000001","device":2,"count":3,"about":{"game":[1,4]},'
        '"replaces":["0000000000000000000007"],'
        '"content":{"by":3,"dead":[4],"no_jokers":true,"value":25,"winner":2}}'
    )
    assert read_entry(orjson.loads(text_of(entry))) == entry


@pytest.mark.parametrize(
    "entry",
    [
        {**GOOD, "about": {"penalty": [1, an_id(9)]}, "content": {"person": 1, "points": -1000}},
        {**GOOD, "about": {"right": 60}, "content": {"stands": [an_id(1)], "for": [1, 2]}},
        {**GOOD, "content": None},
        {**GOOD, "content": {"winner": None, "points": [[1, 100], [2, -100]]}},
    ],
    ids=["a penalty", "a confirmation", "an undo", "typed points"],
)
def test_each_kind_is_read_and_written(entry: dict[str, Any]) -> None:
    assert orjson.loads(text_of(read_entry(entry))) == entry


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"id": "short"}, "wrong_id"),
        ({"id": 7}, "wrong_id"),
        ({"more": 1}, "wrong_fields"),
        ({"device": 0}, "wrong_number"),
        ({"device": True}, "wrong_number"),
        ({"count": 1.0}, "wrong_number"),
        ({"count": 10**30}, "wrong_number"),
        ({"about": {"game": [1, 41]}}, "wrong_number"),
        ({"about": {"game": [61, 1]}}, "wrong_number"),
        ({"about": {"game": [1]}}, "wrong_subject"),
        ({"about": {"game": [1, 1], "right": 1}}, "wrong_subject"),
        ({"about": {"penalty": [1, "x"]}}, "wrong_subject"),
        ({"about": None}, "wrong_subject"),
        ({"replaces": "x"}, "wrong_ids"),
        ({"replaces": [an_id(1)] * 65}, "wrong_ids"),
        ({"replaces": [None]}, "wrong_ids"),
        ({"content": []}, "wrong_content"),
        ({"content": {}}, "no_winner"),
        ({"content": {"winner": 2, "name": "Ada"}}, "wrong_content"),
        ({"content": {"winner": "2"}}, "wrong_number"),
        ({"content": {"winner": 2, "misnamed": 1}}, "wrong_content"),
        ({"content": {"winner": 2, "dead": [1] * 5}}, "wrong_people"),
        ({"content": {"winner": 2, "points": [[1, 5]]}}, "wrong_points"),
        ({"content": {"winner": 2, "points": [[1, 5], [1, 6]]}}, "wrong_points"),
        ({"content": {"winner": 2, "points": [[1, 5], [2, 10**9]]}}, "wrong_points"),
        ({"about": {"right": 1}, "content": {"stands": []}}, "wrong_right"),
        ({"about": {"penalty": [1, an_id(1)]}, "content": {"person": 1}}, "wrong_penalty"),
    ],
    ids=str,
)
def test_what_is_no_entry_is_refused_in_words(change: dict[str, Any], code: str) -> None:
    with pytest.raises(WrongEntry) as refused:
        read_entry({**GOOD, **change})
    assert refused.value.code == code
    assert refused.value.message.endswith(".")
    assert refused.value.entry_id == (None if code == "wrong_id" else an_id(1))


@pytest.mark.parametrize("value", [None, [], "x", 7], ids=str)
def test_what_is_no_object_is_no_entry(value: object) -> None:
    with pytest.raises(WrongEntry, match="An entry is an object"):
        read_entry(value)


def test_the_longest_confirmation_fits_and_nothing_longer() -> None:
    every = [an_id(number) for number in range(60)]
    right = {**GOOD, "replaces": [], "about": {"right": 1}}
    entry = read_entry({**right, "content": {"stands": every, "for": [1, 2, 3, 4]}})
    assert len(text_of(entry)) <= ENTRY_BYTES_MAX
    many = [an_id(number) for number in range(64)]
    with pytest.raises(WrongEntry) as refused:
        read_entry({**right, "replaces": many, "content": {"stands": every, "for": [1]}})
    assert refused.value.code == "entry_too_long"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(st.sampled_from(sorted(GOOD)), JSON)
def test_whatever_is_sent_is_read_or_refused(field: str, value: object) -> None:
    entry, wrong = None, None
    try:
        entry = read_entry({**GOOD, field: value})
    except WrongEntry as refused:
        wrong = refused
    if entry is None:
        assert wrong is not None
        assert wrong.message
    else:
        assert read_entry(orjson.loads(text_of(entry))) == entry


@pytest.mark.parametrize(
    "book",
    [
        {},
        {"name": "riichi"},
        {"name": []},
        {"name": "who", "base": 1},
        {"name": "american"},
        {"name": "american", "way": "payment", "discarder": -1},
        {"name": "american", "way": "payment", "wall_game": 10},
        {"name": "american", "way": "tournament", "wall_game": True},
        {"name": "hong-kong", "base_centi": 25},
        {"name": "hong-kong", "maximum_faan": 21},
        {"name": "hong-kong", "spiciness": "mild"},
        {"name": "hong-kong", "way": "payment"},
    ],
    ids=str,
)
def test_a_rule_book_that_there_is_none_of_is_refused(book: dict[str, Any]) -> None:
    with pytest.raises(WrongBook):
        read_book(book)


def test_a_number_that_a_club_has_set_is_the_one_that_counts() -> None:
    said = a_game(1, winner=1, value=25, by=2, exposures=2, quint=True).content
    assert said is not None
    for changed, lost_centi in (({}, 2_000), ({"exposed_2_quint": 25}, 2_500)):
        book = read_book({"name": "american", "way": "tournament", **changed})
        assert outcome_of(said, book, (1, 2, 3, 4)).points_centi == (2_500, -lost_centi, 0, 0)
