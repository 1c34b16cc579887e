"""The one walk through a claim finds what a plain second reading finds, and in the order of before.

`told_refusals.json` holds the mistakes of some claims in the order in which the service told them
when it still walked twice through each claim.
"""

import json
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.ingest.claim.checks import CheckedSession
from services.ingest.claim.people import read_name, read_person
from services.ingest.claim.reading import read_correction, read_line, read_session
from shared.errors import ClaimRefused
from tests.ingest.claim.made_claims import a_lawful_claim, spoil, written
from tests.ingest.claim.plain_reading import mistakes_by_definition
from tests.ingest.claims import SOURCE, TODAY_LATEST

READERS: dict[str, Any] = {
    "session": read_session,
    "line": read_line,
    "correction": read_correction,
}
TOLD = json.loads((Path(__file__).parent / "told_refusals.json").read_text())


def found_in(form: str, raw: bytes) -> list[tuple[str, str]]:
    try:
        READERS[form](raw, source=SOURCE, today_latest=TODAY_LATEST)
    except ClaimRefused as refused:
        return [(each.pointer, each.code) for each in refused.mistakes]
    return []


@given(st.integers(0, 1 << 48), st.sampled_from(sorted(READERS)), st.integers(0, 5))
@example(25646, "correction", 2)  # Too many values for anything else to be looked at.
@settings(max_examples=600, deadline=None)
def test_a_claim_breaks_what_it_breaks_by_definition(seed: int, form: str, spoiled: int) -> None:
    chance = Random(seed)
    claim = a_lawful_claim(chance)
    for _ in range(spoiled):
        spoil(claim, chance)
    raw = written(claim).encode()
    found = found_in(form, raw)
    assert len(set(found)) == len(found), "One place and code is told once."
    by_definition = mistakes_by_definition(form, raw, source=SOURCE, today_latest=TODAY_LATEST)
    assert set(found) == by_definition


@given(st.integers(0, 1 << 48))
@settings(max_examples=200, deadline=None)
def test_a_lawful_claim_is_read_as_it_is_written(seed: int) -> None:
    raw = written(a_lawful_claim(Random(seed))).encode()
    session = read_session(raw, source=SOURCE, today_latest=TODAY_LATEST)
    assert as_written(session) == by_hand(json.loads(raw, parse_float=Decimal))


def as_written(session: CheckedSession) -> Any:
    rounds = [
        (each.wall_games, each.games_played, each.ref, [tuple(seat) for seat in each.seats])
        for each in session.rounds
    ]
    return session.session_date, session.game_type, session.allow_duplicate, rounds


def by_hand(claim: dict[str, Any]) -> Any:
    rounds = []
    for played in claim["rounds"]:
        seats = []
        for seat in played["players"]:
            person, name = read_person(seat["email"]), seat.get("name")
            points = 100 * seat["points"] if claim["game_type"] != "social" else 0
            kept = read_name(name) if name and person.kind == "person" else None
            seats.append((person, seat["email"], seat["mahjongs"], points, kept))
        games = played["players"][0]["games_played"]
        rounds.append((played["wall_games"], games, played.get("ref"), seats))
    allowed = claim.get("allow_duplicate", False)
    return claim["session_date"], claim["game_type"], allowed, rounds


@pytest.mark.parametrize("at", range(len(TOLD)))
def test_mistakes_are_told_in_the_order_of_before(at: int) -> None:
    told = TOLD[at]
    found = found_in(told["form"], told["body"].encode())
    assert found == [tuple(each) for each in told["mistakes"]]


@pytest.mark.parametrize(
    ("form", "beside", "points", "pointer"),
    [
        ("session", "", "1e999", "/rounds/0/players/0/points"),
        ("session", "", "-1e400", "/rounds/0/players/0/points"),
        ("session", "", "9223372036854775808", "/rounds/0/players/0/points"),
        ("session", "", "-9223372036854775808", "/rounds/0/players/0/points"),
        ("line", r', "idempotency_key": "a\u0000"', "1", "/idempotency_key"),
        ("correction", r', "note": "a\u0000b"', "1", "/note"),
    ],
)
def test_what_nothing_holds_is_found_also_where_no_rule_looks(
    form: str, beside: str, points: str, pointer: str
) -> None:
    seats = ",".join(
        f'{{"email": "{who}@x.org", "games_played": 1, "mahjongs": {won}, "points": {points}}}'
        for who, won in (("a", 1), ("b", 0))
    )
    raw = (
        '{"session_date": "2026-01-31", "game_type": "social", "rounds": '
        f'[{{"players": [{seats}], "wall_games": 0}}]{beside}}}'
    ).encode()
    found = found_in(form, raw)
    assert found[0][0] == pointer
    by_definition = mistakes_by_definition(form, raw, source=SOURCE, today_latest=TODAY_LATEST)
    assert set(found) == by_definition
