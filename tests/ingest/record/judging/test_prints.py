"""Fingerprints: what must not matter does not, what matters does, and nothing runs together."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from services.ingest.record.judging.prints import (
    content_print,
    key_print,
    request_print,
    round_prints,
)
from tests.ingest.claims import SOURCE, Claim, a_round, a_session, read


def ids_of(claim: Claim) -> list[list[str]]:
    """Give each person an id, whatever the spelling."""
    return [[seat.person.key.upper() for seat in played.seats] for played in read(claim).rounds]


def content_of(claim: Claim, source: str = SOURCE) -> bytes:
    session = read(claim)
    return content_print(session, round_prints(session, ids_of(claim), source), source)


def bases_of(claim: Claim) -> list[bytes]:
    return [each.base for each in round_prints(read(claim), ids_of(claim), SOURCE)]


FIRST = a_round({"ada": 2, "bo": 1, "cy": 0}, wall_games=1, points=[10, -4, -6])
SECOND = a_round({"ada": 0, "dee": 3}, points=[1, -1])
SESSION = a_session(FIRST, SECOND, game_type="league")


def test_the_order_of_players_and_of_fields_does_not_matter() -> None:
    for players in itertools.permutations(FIRST["players"]):
        shuffled = {
            "wall_games": 1,
            "players": [dict(reversed(seat.items())) for seat in players],
        }
        other = {
            "rounds": [shuffled, SECOND],
            "game_type": "league",
            "session_date": SESSION["session_date"],
        }
        assert content_of(other) == content_of(SESSION)


def test_the_spelling_and_the_prefix_of_a_player_do_not_matter() -> None:
    respelled = a_round(
        {"ADA@Example.com": 2, "PRIVATE:bo@example.com": 1, " cy@example.com": 0},
        wall_games=1,
        points=[10, -4.00, -6],
    )
    assert content_of(a_session(respelled, SECOND, game_type="league")) == content_of(SESSION)


def test_the_order_of_rounds_matters() -> None:
    swapped = a_session(SECOND, FIRST, game_type="league")
    assert content_of(swapped) != content_of(SESSION)
    assert bases_of(swapped) == bases_of(SESSION)[::-1]


def test_everything_that_was_played_matters() -> None:
    others = [
        a_session(FIRST, SECOND, game_type="tournament"),
        a_session(FIRST, SECOND, game_type="social"),
        a_session(FIRST, SECOND, game_type="league", on="2026-01-30"),
        a_session(FIRST, game_type="league"),
        a_session(FIRST, SECOND, SECOND, game_type="league"),
        a_session({**FIRST, "ref": "1"}, SECOND, game_type="league"),
        a_session(FIRST, {**SECOND, "ref": "1"}, game_type="league"),
        a_session(
            a_round({"ada": 1, "bo": 2, "cy": 0}, wall_games=1, points=[10, -4, -6]),
            SECOND,
            game_type="league",
        ),
        a_session(
            a_round({"ada": 2, "bo": 1, "cy": 0}, wall_games=1, points=[10, -6, -4]),
            SECOND,
            game_type="league",
        ),
        a_session(
            a_round({"ada": 2, "bo": 1, "cy": 0}, wall_games=2, points=[10, -4, -6]),
            SECOND,
            game_type="league",
        ),
    ]
    prints = [content_of(SESSION), content_of(SESSION, "another"), *map(content_of, others)]
    assert len(set(prints)) == len(prints)


def test_the_game_type_and_points_are_no_part_of_what_makes_rounds_alike() -> None:
    social = a_session(a_round({"ada": 2, "bo": 1, "cy": 0}, wall_games=1), SECOND)
    assert bases_of(social) == bases_of(SESSION)
    assert [each.points for each in round_prints(read(social), ids_of(social), SOURCE)] == [
        None,
        None,
    ]


def test_a_ref_counts_per_source() -> None:
    claim = a_session(a_round(ada=1, bo=0, ref="T1"))
    refs = [
        round_prints(read(claim), ids_of(claim), source)[0].ref for source in ("a-club", "b-club")
    ]
    assert None not in refs
    assert refs[0] != refs[1]


def test_a_key_counts_per_source_method_and_path() -> None:
    asked = [
        ("a", "POST", "/v1/sessions", "k"),
        ("b", "POST", "/v1/sessions", "k"),
        ("a", "PUT", "/v1/sessions", "k"),
        ("a", "POST", "/v1/sessions/1", "k"),
        ("a", "POST", "/v1/sessions", "l"),
    ]
    assert len({key_print(*each) for each in asked}) == len(asked)


def test_permission_for_a_duplicate_makes_another_request() -> None:
    allowed = request_print(b"x", allow_duplicate=True)
    assert allowed != request_print(b"x", allow_duplicate=False)


@given(st.lists(st.text(max_size=6), min_size=4, max_size=4), st.integers(0, 2), st.data())
def test_no_two_lists_of_parts_run_together(
    parts: list[str], seam: int, data: st.DataObject
) -> None:
    # The same characters, cut in another place.
    joined = parts[seam] + parts[seam + 1]
    cut = data.draw(st.integers(0, len(joined)))
    other = [*parts[:seam], joined[:cut], joined[cut:], *parts[seam + 2 :]]
    assert (key_print(*other) == key_print(*parts)) == (other == parts)


def test_a_print_holds_nothing_that_can_be_read() -> None:
    claim = a_session(a_round(ada=1, bo=0, ref="Table of Ada"))
    (printed,) = round_prints(read(claim), [["MJ-ADA", "MJ-BO"]], SOURCE)
    for part in (printed.base, printed.ref, content_of(claim)):
        assert part is not None
        assert len(part) == 16
        assert b"ada" not in part.lower()
