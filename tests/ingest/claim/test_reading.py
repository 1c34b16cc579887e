"""Each mistake in the shape of a claim has its exact pointer and code, and all are told at once."""

import copy
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.claim.reading import read_session
from shared.errors import ClaimRefused, MahjicError, MalformedJson
from tests.ingest.claims import Claim, a_round, a_session, mistakes_in, read

P0 = "/rounds/0/players/0"
P1 = "/rounds/0/players/1"


def changed(path: list[str | int], value: Any) -> Claim:
    """Return a lawful league session with one value changed; `...` takes it out."""
    claim = a_session(a_round(ada=2, bo=1, points=[1.5, -1.5]), game_type="league")
    node: Any = claim
    for step in path[:-1]:
        node = node[step]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return claim


def test_a_lawful_session_is_read_as_it_was_sent() -> None:
    session = read(
        a_session(
            a_round(
                {"Ada@Example.com": 2, "PRIVATE:bo@x.org": 1}, wall_games=1, points=[125, -50.25]
            ),
            a_round({"Ada@Example.com": 1, "ANON:Cy": 0}, points=[0, 0], ref="T1"),
            game_type="tournament",
            source_id="a-club",
            allow_duplicate=True,
        )
    )
    assert (session.session_date, session.game_type) == ("2026-01-31", "tournament")
    assert session.allow_duplicate
    first, second = session.rounds
    assert (first.games_played, first.wall_games, first.ref) == (4, 1, None)
    assert (second.games_played, second.wall_games, second.ref) == (1, 0, "T1")
    assert [seat.text for seat in first.seats] == ["Ada@Example.com", "PRIVATE:bo@x.org"]
    assert [seat.person.key for seat in first.seats] == ["ada@example.com", "bo@x.org"]
    assert [seat.mahjongs for seat in first.seats] == [2, 1]
    assert [seat.points_centi for seat in first.seats] == [12500, -5025]


@pytest.mark.parametrize(
    ("path", "value", "pointer", "code"),
    [
        (["session_date"], ..., "/session_date", "missing"),
        (["session_date"], 20260131, "/session_date", "wrong_type"),
        (["game_type"], ..., "/game_type", "missing"),
        (["game_type"], "open play", "/game_type", "unknown_value"),
        (["game_type"], "League", "/game_type", "unknown_value"),
        (["game_type"], None, "/game_type", "unknown_value"),
        (["rounds"], ..., "/rounds", "missing"),
        (["rounds"], [], "/rounds", "too_short"),
        (["rounds"], {}, "/rounds", "wrong_type"),
        (["rounds", 0], None, "/rounds/0", "wrong_type"),
        (["source_id"], "another-club", "/source_id", "source_mismatch"),
        (["source_id"], 7, "/source_id", "wrong_type"),
        (["allow_duplicate"], "true", "/allow_duplicate", "wrong_type"),
        (["allow_duplicate"], 1, "/allow_duplicate", "wrong_type"),
        (["note"], "hello", "/note", "unknown_field"),
        (["rounds", 0, "table"], 7, "/rounds/0/table", "unknown_field"),
        (["rounds", 0, "players", 1, "e-mail"], "x", f"{P1}/e-mail", "unknown_field"),
        (["rounds", 0, "players", 1, "a/b~c"], "x", f"{P1}/a~1b~0c", "unknown_field"),
        (["rounds", 0, "players"], ..., "/rounds/0/players", "missing"),
        (["rounds", 0, "players", 1], "bo@x.org", P1, "wrong_type"),
        (["rounds", 0, "wall_games"], ..., "/rounds/0/wall_games", "missing"),
        (["rounds", 0, "wall_games"], -1, "/rounds/0/wall_games", "out_of_range"),
        (["rounds", 0, "wall_games"], 0.5, "/rounds/0/wall_games", "wrong_type"),
        (["rounds", 0, "wall_games"], False, "/rounds/0/wall_games", "wrong_type"),
        (["rounds", 0, "players", 0, "mahjongs"], ..., f"{P0}/mahjongs", "missing"),
        (["rounds", 0, "players", 0, "mahjongs"], 2.0, f"{P0}/mahjongs", "wrong_type"),
        (["rounds", 0, "players", 0, "mahjongs"], 1.5, f"{P0}/mahjongs", "wrong_type"),
        (["rounds", 0, "players", 0, "mahjongs"], "2", f"{P0}/mahjongs", "wrong_type"),
        (["rounds", 0, "players", 0, "mahjongs"], True, f"{P0}/mahjongs", "wrong_type"),
        (["rounds", 0, "players", 0, "mahjongs"], None, f"{P0}/mahjongs", "wrong_type"),
        (["rounds", 0, "players", 0, "games_played"], ..., f"{P0}/games_played", "missing"),
        (["rounds", 0, "players", 0, "games_played"], "3", f"{P0}/games_played", "wrong_type"),
        (["rounds", 0, "players", 0, "games_played"], 3.0, f"{P0}/games_played", "wrong_type"),
        (["rounds", 0, "players", 0, "email"], ..., f"{P0}/email", "missing"),
        (["rounds", 0, "players", 0, "email"], None, f"{P0}/email", "wrong_type"),
        (["rounds", 0, "players", 0, "email"], "PRIVATE:", f"{P0}/email", "empty_player"),
        (["rounds", 0, "players", 0, "email"], "x" * 401, f"{P0}/email", "too_long"),
        (["rounds", 0, "players", 0, "name"], "A\u202enn", f"{P0}/name", "invalid_name"),
        (["rounds", 0, "players", 0, "name"], "", f"{P0}/name", "invalid_name"),
        (["rounds", 0, "players", 0, "points"], ..., f"{P0}/points", "points_missing"),
        (["rounds", 0, "players", 0, "points"], None, f"{P0}/points", "points_missing"),
        (["rounds", 0, "players", 0, "points"], "125", f"{P0}/points", "wrong_type"),
        (["rounds", 0, "players", 0, "points"], True, f"{P0}/points", "wrong_type"),
        (["rounds", 0, "ref"], "", "/rounds/0/ref", "too_short"),
        (["rounds", 0, "ref"], "x" * 65, "/rounds/0/ref", "too_long"),
        (["rounds", 0, "ref"], "a\tb", "/rounds/0/ref", "invalid_ref"),
        (["rounds", 0, "ref"], "a\u202eb", "/rounds/0/ref", "invalid_ref"),
        (["rounds", 0, "ref"], 7, "/rounds/0/ref", "wrong_type"),
    ],
)
def test_one_mistake_is_told_once_at_its_place(
    path: list[str | int], value: Any, pointer: str, code: str
) -> None:
    assert mistakes_in(changed(path, value)) == {(pointer, code)}


@pytest.mark.parametrize("body", ["[]", "null", "7", '"a"', "true"])
def test_a_body_that_is_no_object_is_refused_as_a_whole(body: str) -> None:
    assert mistakes_in(body) == {("", "wrong_type")}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "{'a': 1}",
        '{"rounds": [NaN]}',
        '{"rounds": [Infinity]}',
        '{"a": 1, "a": 2}',
        '{"a": 01}',
        '{"a": 1e99999999999999999999}',
        '{"a": "\\ud800"}',
        "[" * 300 + "]" * 300,
    ],
)
def test_a_body_that_is_not_json_is_malformed(body: str) -> None:
    with pytest.raises(MalformedJson):
        read(body)


def test_mistakes_of_shape_and_of_rules_are_told_together() -> None:
    claim = a_session(
        a_round({"PRIVATE:": 2, "alice": 1, "Alice@example.com": 0}, points=[1, 0.123, 2]),
        a_round({"carol": 1, "dave": 1}, points=[1, 2]),
        a_round({"erin": 1, "frank": 1}, points=[1, 2], ref="R"),
        a_round({"gina": 1, "hal": 1}, points=[5, 0], ref="R"),
        on="2026-02-30",
        game_type="league",
        source_id="another-club",
        color="red",
    )
    claim["rounds"][0]["wall_games"] = 7
    claim["rounds"][0]["players"][1]["name"] = "A\nB"
    claim["rounds"][1]["players"][0]["mahjongs"] = "1"
    claim["rounds"][1]["players"][1]["games_played"] = 3
    claim["rounds"][2]["wall_games"] = 3
    claim["rounds"][2]["umpire"] = "zoe"
    del claim["rounds"][2]["players"][0]["points"]
    claim["rounds"][3]["players"][0]["points"] = 2e6
    claim["rounds"][3]["players"][1]["points"] = False
    assert mistakes_in(claim) == {
        ("/color", "unknown_field"),
        ("/source_id", "source_mismatch"),
        ("/session_date", "invalid_date"),
        ("/rounds/0", "round_does_not_add_up"),
        ("/rounds/0/players/0/email", "empty_player"),
        ("/rounds/0/players/1/name", "invalid_name"),
        ("/rounds/0/players/1/points", "points_too_precise"),
        ("/rounds/0/players/2/email", "player_twice"),
        ("/rounds/1/players", "games_played_differ"),
        ("/rounds/1/players/0/mahjongs", "wrong_type"),
        ("/rounds/2", "round_does_not_add_up"),
        ("/rounds/2/umpire", "unknown_field"),
        ("/rounds/2/players/0/points", "points_missing"),
        ("/rounds/3/ref", "ref_repeated"),
        ("/rounds/3/players/0/points", "out_of_range"),
        ("/rounds/3/players/1/points", "wrong_type"),
    }


def test_every_sentence_about_a_mistake_is_whole() -> None:
    claim = changed(["rounds", 0, "players", 0, "email"], "ANON:a@x.com")
    claim["session_date"], claim["source_id"], claim["x"] = "2030-01-01", "b", 1
    with pytest.raises(ClaimRefused) as refused:
        read(claim)
    assert len(refused.value.mistakes) == 4
    for mistake in refused.value.mistakes:
        assert mistake.message[0].isupper() or mistake.message[0] in '"0123456789'
        assert mistake.message.endswith(".")


def test_league_points_that_do_not_sum_to_zero_are_a_warning_and_tournament_points_are_none() -> (
    None
):
    rounds = [a_round(ada=1, bo=1, points=[125, 75]), a_round(ada=1, bo=1, points=[0.1, -0.1])]
    (warning,) = read(a_session(*rounds, game_type="league")).warnings
    assert (warning.pointer, warning.code) == ("/rounds/0", "points_do_not_sum_to_zero")
    assert "add up to 200;" in warning.message
    assert read(a_session(*rounds, game_type="tournament")).warnings == ()


def test_only_somebody_with_an_address_is_offered_a_name() -> None:
    claim = a_session(
        a_round({"alice": 1, "PRIVATE:bo@x.org": 1, "ANON:Cy": 1, "bob@mahjic.org": 0})
    )
    for seat in claim["rounds"][0]["players"]:
        seat["name"] = " Some One "
    names = [seat.name for seat in read(claim).rounds[0].seats]
    assert names == ["Some One", "Some One", None, None]


FIELDS = (
    *("source_id", "session_date", "game_type", "rounds", "allow_duplicate"),
    *("players", "wall_games", "ref"),
    *("email", "games_played", "mahjongs", "points", "name", "another"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=25,
)


def refusal_of(document: Any) -> str | None:
    """Return the code of a refusal; anything else that is raised is a fault."""
    raw = json.dumps(document).encode()
    try:
        read_session(raw, source="a-club", today_latest=date(2026, 3, 1))
    except MahjicError as error:
        return error.code
    return None


@given(JSON)
def test_any_json_is_answered_with_a_refusal(document: Any) -> None:
    assert refusal_of(document) in {"claim_refused", "malformed_json"}


@given(st.data())
def test_any_value_at_any_place_of_a_lawful_claim_is_read_or_refused(data: st.DataObject) -> None:
    claim = a_session(
        a_round({"ada": 1, "ANON:Bo": 2}, points=[1.25, -1.25], ref="A"),
        a_round({"ada": 0, "cy": 3, "bob@mahjic.org": 1}, points=[1, 2, 3]),
        game_type="league",
        source_id="a-club",
    )
    lawful = copy.deepcopy(claim)
    for _ in range(data.draw(st.integers(1, 3))):
        node: Any = claim
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = data.draw(st.sampled_from(keys))
            if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
                node[key] = data.draw(JSON)
                break
            node = node[key]
    assert refusal_of(claim) in {None, "claim_refused", "malformed_json"}
    assert refusal_of(lawful) is None


def test_a_ref_with_the_character_nul_is_refused_since_postgres_cannot_hold_it() -> None:
    found = mistakes_in(changed(["rounds", 0, "ref"], "a\0b"))
    assert found == {("/rounds/0/ref", "forbidden_character"), ("/rounds/0/ref", "invalid_ref")}


def test_a_body_of_a_mebibyte_of_mistakes_is_answered_with_a_bounded_list() -> None:
    seats = [{"email": 7, "x": 1}] * 30_000
    with pytest.raises(ClaimRefused) as refused:
        read(a_session({"players": seats, "wall_games": 0}))
    assert len(refused.value.mistakes) < 1100
