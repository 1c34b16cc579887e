"""Letters: subjects of one line, whatever a name holds, and nothing of them in what is logged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.mail.letters import SUBJECT_CHARACTERS_MAX, subject_line
from tests.mail.letters import a_letter


@given(st.text(max_size=400))
def test_a_subject_is_one_line_and_no_longer_than_anyone_reads(text: str) -> None:
    line = subject_line(text)
    assert len(line) <= SUBJECT_CHARACTERS_MAX
    assert len(line.splitlines()) <= 1
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in line)
    assert subject_line(line) == line


def test_a_subject_cannot_begin_another_header() -> None:
    assert subject_line("Hello\r\nBcc: all@example.com") == "Hello Bcc: all@example.com"
    assert subject_line("x" * 151) == "x" * 149 + "…"
    assert subject_line("x" * 150) == "x" * 150


@pytest.mark.parametrize("address", ["carol@example.com\r\nBcc: x@y.z", "a\x00@b.c", "a\u2028@b.c"])
def test_an_address_with_more_than_one_line_is_our_own_mistake(address: str) -> None:
    with pytest.raises(AssertionError):
        a_letter(address)


def test_a_letter_nobody_asked_for_says_how_to_end_such_mail() -> None:
    with pytest.raises(AssertionError, match="Say how to end"):
        a_letter(is_asked_for=False, no_more_url=None)


def test_nothing_of_a_letter_shows_where_it_is_printed() -> None:
    shown = repr(a_letter())
    assert "proof" in shown
    assert not any(each in shown for each in ("carol", "code", "7K3Q"))
