"""Texts that are made to take long: each as a rule of how one of any length is written."""

from collections.abc import Callable, Mapping

Writes = Callable[[int], str]


def again(unit: str, *, before: str = "", after: str = "") -> Writes:
    """Write the same again and again, between a beginning and an end."""
    return lambda length: before + unit * (length // len(unit)) + after


def numbered(unit: str, *, before: str = "", after: str = "", numbers: int = 1) -> Writes:
    """Write different ones: each `{0}` of the unit is a number that comes once."""

    def write(length: int) -> str:
        count = length // (len(unit) + 6)
        each = (unit.replace("{0}", str(at + 100_000)) for at in range(count))
        return before + "".join(each) + after

    return write


# For whatever reads words, numbers, lists and lines.
TEXTS: Mapping[str, Writes] = {
    "spaces": again(" "),
    "spaces between letters": again(" ", before="a", after="x"),
    "tabs": again("\t", before="a", after="x"),
    "no-break spaces": again("\u00a0", before="a", after="x"),
    "line ends": again("\n"),
    "lines of spaces": again("  \r\n"),
    "quotes": again('"'),
    "quotes that do not end": again('"', before='a"', after="x"),
    "escaped quotes": again('\\"', before='"'),
    "backslashes": again("\\"),
    "quoted, with commas": again('"a", ', after="x"),
    "commas": again(","),
    "commas and spaces": again(" ,", after="x"),
    "semicolons": again(";a="),
    "pairs": again('a="b;c",'),
    "signs of equality": again("=", before="a"),
    "colons": again(":", before="a"),
    "labels": again("date: ", after="x"),
    "labels without colons": again("date ", after="x"),
    "rounds": again("round ", after="x"),
    "pipes": again("|a"),
    "tables": again("table ", after="x"),
    "brackets": again("["),
    "brackets that close": again("[]"),
    "brackets around brackets": again("[[a] "),
    "braces": again("{"),
    "parentheses": again("("),
    "digits": again("7"),
    "digits and points": again("7."),
    "digits and commas": again("123,", before="1,"),
    "noughts": again("0", before="0."),
    "minus signs": again("-"),
    "exponents": again("1e"),
    "letters": again("a"),
    "at-signs": again("a@"),
    "dots": again("a."),
    "prefixes": again("PRIVATE:"),
    "numbers of signs": again("#", before="a "),
    "stars": again("*"),
    "combining marks": again("\u0301", before="e"),
    "letters with marks": again("e\u0323\u0301"),
    "marks in turn": again("\u0301\u0323", before="e"),
    "Hangul": again("\u1100\u1161\u11a8"),
    "capitals that grow": again("\u0130\u00df\ufb03"),
    "ligatures that grow": again("\ufdfa"),
    "full-width letters": again("\uff21\uff20"),
    "emoji": again("\U0001f469\u200d"),
    "percent signs": again("%2F"),
    "escapes": again("_x0041_"),
    "dots and slashes": again("../"),
    "one word": again("name "),
    "different words": numbered("name{0} "),
    "different words with commas": numbered("name{0},"),
    "different lines": numbered("name{0}\n"),
}

# Documents whose length is in what they say; most are JSON.
DOCUMENTS: Mapping[str, Writes] = {
    "one name again": again('"a":1,', before="{", after='"a":1}'),
    "one name of two objects": again('{"a":1},', before="[", after="{}]"),
    "different names": numbered('"a{0}":1,', before="{", after='"b":1}'),
    "a repeated name at the end": numbered('"a{0}":1,', before="{", after='"a100000":1}'),
    "a repeated name at both ends": numbered('"a{0}":1,', before='{"b":1,', after='"b":1}'),
    "names with escapes": numbered('"\\u0061{0}":1,', before="{", after='"a100000":1}'),
    "long names": again('a":1,"' + "b" * 900, before='{"', after='":1}'),
    "lists in lists": again("[", before='{"rounds":'),
    "lists that close": again("[],", before="[", after="[]]"),
    "objects in objects": again('{"a":', before='{"rounds":'),
    "numbers": again("1,", before='{"rounds":[', after="1]}"),
    "long numbers": again("9", before='{"points":', after="}"),
    "many long numbers": again("9" * 20 + ",", before='{"rounds":[', after="1]}"),
    "fractions": again("1", before='{"points":1.', after="}"),
    "many fractions": again("1.25,", before='{"rounds":[', after="1]}"),
    "exponents": again("1e400,", before='{"rounds":[', after="1]}"),
    "long exponents": again("9", before='{"points":1e', after="}"),
    "NULs": again('"\\u0000",', before='{"rounds":[', after="1]}"),
    "names with NULs": numbered('"\\u0000{0}":1,', before="{", after='"b":1}'),
    "a NUL and numbers": again("1,", before='{"a":"\\u0000","rounds":[', after="1]}"),
    "a NUL below lists": again("[],", before='["\\u0000",', after="1]"),
    "halves of characters": again("\\ud800", before='{"source_id":"', after='"}'),
    "a long text": again("a", before='{"session_date":"', after='"}'),
    "a text of colons": again(":", before='{"session_date":"', after='"}'),
    "a text of quotes": again('\\"', before='{"session_date":"', after='"}'),
    "a text of marks": again("\u0301", before='{"session_date":"e', after='"}'),
    "an address of marks": again(
        "\u0301", before='{"rounds":[{"players":[{"email":"e', after='@example.com"}]}]}'
    ),
    "rounds of nothing": again("{},", before='{"rounds":[', after="{}]}"),
    "players of nothing": again("{},", before='{"rounds":[{"players":[', after="{}]}]}"),
    "unknown fields in rounds": numbered('{"x{0}":1},', before='{"rounds":[', after="{}]}"),
    "line ends": again("\n", before="{", after="x"),
    "spaces": again(" ", before="{", after="x"),
    "a score file of lines": again("a b c d\\n", before='{"games":"', after='"}'),
    "players of a score file": numbered('"n{0}":"a@b.co",', before='{"players":{', after='"a":1}}'),
    "a player of marks": again(
        "\u0301\u0323",
        before='{"games":"Ann Bea Cy Di\\n3 - - d","players":{"e',
        after='":"a@b.co"}}',
    ),
    "bands": again('{"games_min":0,"k":32},', before='{"k_bands":[', after="1]}"),
}

_SHEET = "Date: 2026-01-31\nGame Type: league\n"
_ROUND = "ROUND 1,Games Played: 4,Wall Games: 0\nPlayer Email,Mahjongs,Points\n"
# Score sheets as CSV.
SHEETS: Mapping[str, Writes] = {
    "lines of a round": again("ROUND 1,Games Played: 4,Wall Games: 0\n", before=_SHEET),
    "different rounds": numbered("ROUND {0},Games Played: 4,Wall Games: 0\n", before=_SHEET),
    "one round again": again(
        "ROUND 1,Games Played: 4,Wall Games: 0\na@b.co,1,2\n", before=_SHEET + _ROUND
    ),
    "one round of other people again": numbered(
        "ROUND 1,Games Played: 4,Wall Games: 0\na{0}@b.co,1,2\n", before=_SHEET + _ROUND
    ),
    "one player again": again("a@b.co,1,2\n", before=_SHEET + _ROUND),
    "different players": numbered("a{0}@b.co,1,2\n", before=_SHEET + _ROUND),
    "totals": again("a@b.co,1,2\nTotal,1,2\n", before=_SHEET + _ROUND),
    "rounds and totals": numbered(
        "ROUND {0},Games Played: 4,Wall Games: 0\na@b.co,1,2\nTotal,1,2\n", before=_SHEET + _ROUND
    ),
    "headings": again("Player Email,Mahjongs,Points\n", before=_SHEET + _ROUND),
    "a wide heading": again("Points,", before=_SHEET, after="Player Email\na@b.co\n"),
    "dates": again("Date: 2026-01-31\n"),
    "a long row": again("1,", before=_SHEET + _ROUND),
    "one cell of spaces": again(" ", before=_SHEET + _ROUND + "a@b.co,", after="x\n"),
    "cells of spaces": again("a" + " " * 1500 + "x\n", before=_SHEET + _ROUND),
    "cells of labels": again("date " * 300 + "\n", before=_SHEET),
    "cells of pipes": again("ROUND 1" + "|" * 1500 + "\n", before=_SHEET),
    "cells of digits": again("a@b.co," + "1" * 1500 + ",2\n", before=_SHEET + _ROUND),
    "cells of marks": again("e" + "\u0301" * 1500 + ",1,2\n", before=_SHEET + _ROUND),
    "rows of nothing": again("\n", before=_SHEET + _ROUND),
    "rows of commas": again("," * 200 + "\n", before=_SHEET),
    "quoted cells": again('"a,b\n",', before=_SHEET),
}

# Files of scores.
SCORES: Mapping[str, Writes] = {
    "one table again": again("Ann Bea Cy Di\n"),
    "different tables": numbered("A{0} B{0} C{0} D{0}\n"),
    "one name at all seats": again("Ann Ann Ann Ann\n"),
    "games": again("3 - - d\n", before="Ann Bea Cy Di\n"),
    "games of different tables": numbered("A{0} B{0} C{0} D{0}\n3 - - d\n"),
    "hands": again("b w d -\n", before="Ann Bea Cy Di\n"),
    "games that end": again("Ann Bea Cy Di\n" + "b w d -\n" * 40),
    "rounds": again("round E\nwall\n", before="Ann Bea Cy Di\n"),
    "rounds without an end": again("round E\n", before="Ann Bea Cy Di\n"),
    "hands of one round": again("hand Ann 123c\n", before="Ann Bea Cy Di\nround E\n"),
    "bouquets of one round": again("bouquet Ann flowers\n", before="Ann Bea Cy Di\nround E\n"),
    "a long hand": again("1c", before="Ann Bea Cy Di\nround E\nwin Bea 10\nhand Ann "),
    "a long hand of words": again("1c ", before="Ann Bea Cy Di\nround E\nwin Bea 10\nhand Ann "),
    "a long run of tiles": again("9", before="Ann Bea Cy Di\nround E\nhand Ann ", after="c"),
    "a bracket of tiles": again("E", before="Ann Bea Cy Di\nround E\nhand Ann [", after="]"),
    "letters of a hand": again("bw", before="Ann Bea Cy Di\n", after=" - - -"),
    "games by the card": again("25e2 - - d\n", before="tournament\nAnn Bea Cy Di\n"),
    "penalties": again("penalty Ann 25\n", before="tournament\nAnn Bea Cy Di\n25 - - -\n"),
    "marks of a hand": again("n", before="Ann Bea Cy Di\n25", after=" - - d"),
    "settings": again("self-picked=2\n"),
    "a long setting": again("9", before="self-picked="),
    "faan": again("9", before="Ann Bea Cy Di\n", after=" - - d"),
    "base points": again("9", before="B=", after="\nAnn Bea Cy Di\n3 - - d\n"),
    "dates": again("2026-01-31\n"),
    "dates that are none": again("2026-02-31\n"),
    "comments": again("#", before="Ann Bea Cy Di "),
    "players": numbered("A{0} a{0}@example.com\n"),
    "one player again": again("Ann ann@example.com\n"),
    "a player and spaces": again(" ", before="Ann", after="="),
    "spaces around a sign": again(" ", before="Ann =", after="="),
    "comments behind players": again(" #", before="Ann ann@example.com"),
}
