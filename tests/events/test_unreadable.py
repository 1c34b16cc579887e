"""What is told apart: bytes that are no event, and an event of a newer program."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from shared.events.codec import UnknownEventType, decode_fact, decode_verdict
from shared.events.fields import UnreadableRecord
from tests.events.golden import FACTS
from tests.events.golden_verdicts import VERDICTS

LEAGUE = FACTS["session-submitted, league"][1]
RATED = VERDICTS["session-rated, league"][1]

Path = tuple[str | int, ...]
ROUND: Path = ("data", "rounds", 0)


def changed(body: bytes, path: Path, value: Any) -> bytes:
    record = json.loads(body)
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(record).encode()


def without(body: bytes, path: Path) -> bytes:
    record = json.loads(body)
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return json.dumps(record).encode()


@pytest.mark.parametrize("decode", [decode_fact, decode_verdict])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"\xff\xfe",
        b"nonsense",
        b'{"type": "player-verified.v1", "data": {"player_id": NaN}}',
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b'{"type": "player-verified.v1"}',
        b'{"type": "player-verified.v1", "data": []}',
        b"[" * 100_000,
        LEAGUE[:-1],
        RATED[:-1],
        LEAGUE + b"}",
    ],
)
def test_bytes_that_are_no_event_are_unreadable(
    decode: Callable[[bytes], object], body: bytes
) -> None:
    with pytest.raises(UnreadableRecord):
        decode(body)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("id",), 4),
        (("id",), ""),
        (("id",), "-4"),
        (("id",), "4.0"),
        (("id",), "٤"),
        (("id",), "9" * 5000),
        (("type",), None),
        (("subject",), ["MJ-ABCDEFGG"]),
        (("time",), "yesterday"),
        (("time",), "2026-02-30T00:00:00Z"),
        (("time",), "2026-03-04T05:06:07"),
        (("time",), "2026-03-04T05:06:07+02:00"),
        (("time",), "2026-03-04"),
        (("data", "session_id"), None),
        (("data", "session_id"), 7),
        (("data", "source"), "nul\x00"),
        (("data", "source"), "line\nfeed"),
        (("data", "source"), "Zoë"),
        (("data", "source"), "s" * 201),
        (("data", "session_date"), "2026-02-29"),
        (("data", "session_date"), "20260303"),
        (("data", "session_date"), "2026-W10-2"),
        (("data", "session_date"), "2026-3-3"),
        (("data", "session_date"), "03/03/2026"),
        (("data", "game_type"), "lesson"),
        (("data", "game_type"), ["league"]),
        (("data", "rounds"), {}),
        (("data", "rounds"), [1]),
        (("data", "new_players"), "AN-0000001Y"),
        (("data", "new_players"), [1]),
        ((*ROUND, "games_played"), 4.0),
        ((*ROUND, "games_played"), "4"),
        ((*ROUND, "games_played"), True),
        ((*ROUND, "games_played"), 2**64),
        ((*ROUND, "wall_games"), None),
        ((*ROUND, "players"), ["MJ-ABCDEFGG", None, "BOB"]),
        ((*ROUND, "players"), ["MJ-ABCDEFGG", "BOB"]),
        ((*ROUND, "mahjongs"), [2, 1]),
        ((*ROUND, "mahjongs"), [2, 1, 0, 0]),
        ((*ROUND, "mahjongs"), [2, 1, 0.0]),
        ((*ROUND, "mahjongs"), [2, 1, False]),
        ((*ROUND, "points_centi"), [2550, -2550]),
        ((*ROUND, "points_centi"), [25.5, -25.5, 0]),
    ],
)
def test_a_fact_with_a_field_of_the_wrong_kind_is_unreadable(path: Path, value: Any) -> None:
    with pytest.raises(UnreadableRecord):
        decode_fact(changed(LEAGUE, path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("time",), "soon"),
        (("data", "fact_seq"), "4"),
        (("data", "fact_chain"), "not hexadecimal"),
        (("data", "part"), 1.0),
        (("data", "engine"), None),
        ((*ROUND, "rating_change"), [1757]),
        ((*ROUND, "played_as"), ["MJ-ABCDEFGG"]),
        ((*ROUND, "played_as"), "MJ-ABCDEFGG"),
        ((*ROUND, "is_verified"), [True, False]),
        ((*ROUND, "verified_games_after"), None),
    ],
)
def test_a_verdict_with_a_field_of_the_wrong_kind_is_unreadable(path: Path, value: Any) -> None:
    with pytest.raises(UnreadableRecord):
        decode_verdict(changed(RATED, path, value))


def test_a_fact_with_a_field_missing_is_unreadable() -> None:
    data = json.loads(LEAGUE)["data"]
    paths: list[Path] = [("id",), ("type",), ("time",), ("subject",), ("data",)]
    paths += [("data", name) for name in data]
    paths += [(*ROUND, name) for name in data["rounds"][0] if name != "points_centi"]
    for path in paths:
        with pytest.raises(UnreadableRecord):
            decode_fact(without(LEAGUE, path))


def test_a_verdict_with_a_field_missing_is_unreadable() -> None:
    data = json.loads(RATED)["data"]
    paths: list[Path] = [("type",), ("time",), ("subject",), ("data",)]
    paths += [("data", name) for name in data]
    paths += [(*ROUND, name) for name in data["rounds"][0] if name != "points_centi"]
    for path in paths:
        with pytest.raises(UnreadableRecord):
            decode_verdict(without(RATED, path))


@pytest.mark.parametrize(
    "event_type", ["session-submitted.v2", "sessions-voided.v2", "session-rated.v1", "", "x"]
)
def test_a_fact_of_a_type_from_elsewhere_is_unknown_and_not_unreadable(event_type: str) -> None:
    body = changed(changed(LEAGUE, ("type",), event_type), ("data",), {"new": "fields"})
    with pytest.raises(UnknownEventType, match="must not be skipped") as unknown:
        decode_fact(body)
    assert unknown.value.code == "unknown_event_type"
    assert repr(event_type) in unknown.value.detail


@pytest.mark.parametrize("event_type", ["session-rated.v2", "ratings-corrected.v2", "x"])
def test_a_verdict_of_a_type_from_elsewhere_is_unknown(event_type: str) -> None:
    with pytest.raises(UnknownEventType):
        decode_verdict(changed(RATED, ("type",), event_type))


def test_what_an_unreadable_record_holds_is_not_repeated() -> None:
    for path in (("data", "session_id"), ("data", "game_type"), ("time",), ("id",)):
        with pytest.raises(UnreadableRecord) as unreadable:
            decode_fact(changed(LEAGUE, path, "alice@example.com\n"))
        assert "alice" not in str(unreadable.value)
