"""However many mistakes somebody makes, the answer lists a thousand, says so, and comes soon."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict

import orjson
import pytest
from pydantic import BaseModel, TypeAdapter

from services.ingest.claim.claims import VoidsClaim
from services.ingest.score_api import ScoresClaim
from shared.documents import parse_strictly
from shared.errors import MISTAKES_MAX, MORE_MISTAKES, InvalidParameter, MahjicError
from shared.http.queries import slips
from tests.hostile.parsers import PARSERS

Door = Callable[[str], object]
# As long as a body may be. What an answer takes for each mistake is a pointer and a sentence.
BODY_CHARACTERS: int = 900_000
ANSWER_BYTES_MAX: int = 1_500_000


def query(names: str) -> object:
    raise InvalidParameter([asdict(each) for each in slips(names.split(), known={"limit"})])


def body(model: type[BaseModel]) -> Door:
    adapter = TypeAdapter(model)
    return lambda text: parse_strictly(adapter, text.encode())


def of(name: str) -> Door:
    parser = PARSERS[name]
    return lambda text: parser.read(parser.prepare(text))


def members(count: int, *, name: str = "x{0}", value: str = "1") -> str:
    listed = ",".join(f'"{name.format(at)}":{value}' for at in range(count))
    return "{" + listed + "}"


def many(unit: str, *, before: str = "", after: str = "", characters: int = 100_000) -> str:
    return before + unit * (characters // len(unit)) + after


CLAIMS: Mapping[str, str] = {
    "unknown fields": members(70_000),
    "unknown fields, not too many": members(19_000),
    "long unknown fields": members(1_500, name="y" * 500 + "{0}"),
    "unknown fields of rounds": '{"rounds":[' + ",".join([members(150)] * 100) + "]}",
    "NULs": many('"\\u0000",', before='{"rounds":[', after="1]}", characters=BODY_CHARACTERS),
    "names with NULs": members(15_000, name="{0}\\u0000"),
    "NULs below a long name": many(
        '"\\u0000",', before='{"' + "\\u0001" * 9_000 + '":[', after="1]}"
    ),
    "NULs below many names": many('"\\u0000",', before='{"a":' * 50 + "[", after="1]" + "}" * 50),
    "long numbers": many("9" * 20 + ",", before='{"rounds":[', after="1]}"),
    "numbers without end": many("1e999,", before='{"rounds":[', after="1]}"),
    "rounds with every mistake": '{"session_date":1,"rounds":['
    + ",".join(['{"players":[{"a":1},{"b":2},{"c":3},{"d":4}],"x":0}'] * 100)
    + "]}",
}
# What is one mistake, or a few, and at which doors it is more than are told all the same.
SESSIONS = {"a session", "a correction", "a line of a batch"}
FEW: Mapping[str, set[str]] = {
    # A pointer would be very long, so they are one mistake of the whole.
    "NULs below a long name": set(),
    "unknown fields of rounds": SESSIONS,
    "rounds with every mistake": SESSIONS,
    **{
        kind: {*SESSIONS, "voids", "scores as JSON"}
        for kind in (
            "NULs",
            "NULs below many names",
            "long numbers",
            "numbers without end",
        )
    },
}
SHEET = "Date: 2026-01-31\nGame Type: league\nROUND 1,Games Played: 4,Wall Games: 0\n"


def doors() -> Iterator[tuple[str, str, Door, str]]:
    for door in ("a session", "a correction", "a line of a batch", "a parameter file"):
        yield from ((door, kind, of(door), text) for kind, text in CLAIMS.items())
    for door, model in (("voids", VoidsClaim), ("scores as JSON", ScoresClaim)):
        yield from ((door, kind, body(model), text) for kind, text in CLAIMS.items())
    addresses = '{"games":"","players":' + members(15_000) + "}"
    yield "scores as JSON", "addresses that are numbers", body(ScoresClaim), addresses
    for book in ("hong-kong", "banker", "wright-patterson", "american"):
        yield book, "lines of nothing", of(f"text of scores, {book}"), many("?\n")
        yield book, "games of nobody", of(f"text of scores, {book}"), many("3 - - d\n")
    yield "players", "lines of nothing", of("a players file"), many("?\n")
    rows = many("a,b,c\n", before=SHEET + "Player Email,Mahjongs,Points\n", characters=20_000)
    yield "a sheet as CSV", "rows of nonsense", of("a score sheet as CSV"), rows
    yield "a sheet as XLSX", "rows of nonsense", of("a score sheet as XLSX"), rows
    rounds = many("ROUND x,y,z\n", before=SHEET, characters=50_000)
    yield "a sheet as CSV", "rounds of nothing", of("a score sheet as CSV"), rounds
    yield "a query", "unknown names", query, " ".join(f"n{at}" for at in range(9_000))


@pytest.mark.parametrize(
    ("door", "kind", "read", "text"),
    [pytest.param(*each, id=f"{each[0]}-{each[1]}") for each in doors()],
)
def test_the_mistakes_that_are_told_have_an_end_and_the_answer_says_so(
    door: str, kind: str, read: Door, text: str
) -> None:
    with pytest.raises(MahjicError) as refused:
        read(text)
    errors = refused.value.extra["errors"]
    assert len(errors) <= MISTAKES_MAX + 1
    assert len(orjson.dumps(refused.value.extra)) <= ANSWER_BYTES_MAX
    assert len(refused.value.detail) < 300
    codes = [each["code"] for each in errors]
    assert codes.count(MORE_MISTAKES) <= 1
    if kind == "unknown fields":
        assert codes[0] == "too_many_values"
    elif kind not in FEW or door in FEW[kind]:
        assert codes[-1] == MORE_MISTAKES
    else:
        assert MORE_MISTAKES not in codes


@pytest.mark.parametrize("kind", CLAIMS)
def test_finding_many_mistakes_takes_little_longer_than_reading_them(kind: str) -> None:
    raw, read = CLAIMS[kind], of("a session")
    lenient = least_s(lambda: json.loads(raw))

    def refused() -> None:
        with pytest.raises(MahjicError):
            read(raw)

    # Each mistake that is told is looked up and put into words, whatever the length.
    told = least_s(lambda: [json.dumps({"pointer": f"/x{at}"}) for at in range(10 * MISTAKES_MAX)])
    assert least_s(refused) < 12 * lenient + 4 * told


def least_s(work: Callable[[], object]) -> float:
    took_s = []
    for _ in range(3):
        start = time.process_time()
        work()
        took_s.append(time.process_time() - start)
    return min(took_s)
