"""What one door takes every other can hold."""

import sys
import unicodedata

from shared.characters import forbidden_in_file, forbidden_in_label, forbidden_in_prose

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


def test_a_label_is_prose_and_both_can_stand_in_a_file() -> None:
    labels = [each for each in EVERY if forbidden_in_label(each) is None]
    assert len(labels) > 900_000
    assert [each for each in labels if forbidden_in_prose(each) is not None] == []
    assert [each for each in labels if forbidden_in_file(each) is not None] == []
    prose = {each for each in EVERY if forbidden_in_prose(each) is None} - set(labels)
    assert prose == set("\t\n\r")


def test_noncharacters_are_the_66_that_unicode_names() -> None:
    # Chapter 23.7 of the standard: 32 in a block, and two at the end of each of 17 planes.
    blocks = {*range(0xFDD0, 0xFDF0), *(p * 0x10000 + n for p in range(17) for n in (65534, 65535))}
    assert len(blocks) == 66
    refused = {ord(each) for each in EVERY if forbidden_in_file(each) is not None}
    assert refused - {code for code in refused if unicodedata.category(chr(code))[:2] != "Cn"} == (
        blocks
    )
    assert forbidden_in_label("a\ufdd0\u202e") == "U+FDD0"
    assert forbidden_in_label("a\U0001ffff") == "U+1FFFF"
