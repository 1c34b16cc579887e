"""The client knows a Mahjic ID from a mistyped one, exactly as the service does."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mahjic_client import MistypedId, is_mahjic_id, read_mahjic_id
from shared.ids import MistypedPlayerIdError, player_id, read_player_id

EXAMPLES = ["MJ-7K3Q9XZM", "MJ-ABCDEFGG", "MJ-0000001Y"]  # From the page on players.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

numbers = st.integers(0, 32**7 - 1)
ids = st.builds(player_id, st.sampled_from(("MJ", "AN")), numbers)
typed = st.from_regex(r"\A\s?[MmAaB][JjNn]-?[0-9A-Za-z]{7,9}\s?\Z")


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_an_id_is_read_however_it_is_typed(example_id: str) -> None:
    assert read_mahjic_id(f" {example_id.lower()} ") == example_id
    assert read_mahjic_id(example_id.replace("0", "o").replace("1", "l")) == example_id


@pytest.mark.parametrize("example_id", EXAMPLES)
def test_any_other_character_in_its_place_is_noticed(example_id: str) -> None:
    for place in range(3, len(example_id)):
        for other in set(ALPHABET) - {example_id[place]}:
            assert not is_mahjic_id(example_id[:place] + other + example_id[place + 1 :])


@given(st.one_of(ids, typed, st.text(max_size=12)))
@example("MJ-7K3Q9XZM")
@example("MJ-0000001\N{LATIN SMALL LETTER DOTLESS I}")
@example("MJ_7K3Q9XZM")
@example("")
def test_any_text_is_read_or_refused_as_in_the_service(text: str) -> None:
    assert as_read(text) == as_the_service_reads(text)


def as_read(text: str) -> str | None:
    try:
        return read_mahjic_id(text)
    except MistypedId:
        return None


def as_the_service_reads(text: str) -> str | None:
    try:
        return read_player_id(text)
    except MistypedPlayerIdError:
        return None
