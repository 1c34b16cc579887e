"""Numbers on the pages of words lose no digit, and have the minus sign of a printed page."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.kit import figures

WHOLE = st.integers(-(10**18), 10**18)


@given(WHOLE, st.booleans(), st.booleans())
def test_a_number_reads_back_as_what_it_was(value: int, signed: bool, shortest: bool) -> None:
    for write, one in ((figures.nano, 10**9), (figures.centi, 100)):
        text = write(value, signed=signed, shortest=shortest)
        assert Decimal(text.replace("−", "-")) * one == value
        assert not (shortest and re.search(r"\.\d*0$", text)), text
        assert text.startswith("+") == (signed and value > 0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (figures.nano(-2_286_819_744), "−2.286819744"),
        (figures.nano(500_000_000, shortest=True), "0.5"),
        (figures.nano(0, signed=True, shortest=True), "0"),
        (figures.centi(161_872), "1618.72"),
        (figures.centi(1_872, signed=True), "+18.72"),
        (figures.centi(150_000, shortest=True), "1500"),
        (figures.percent(571_463_117), "57%"),
        (figures.percent(995_000_000), "100%"),
    ],
)
def test_a_number_is_written_as_people_write_it(text: str, shown: str) -> None:
    assert text == shown
