"""Games become the claims that their people would have written, or every reason why not is told."""

from datetime import date
from fractions import Fraction
from itertools import combinations
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ingest.claim.people import one_spelling
from services.ingest.claim.reading import read_session
from shared.scoring.games import Claim, Game, GameType, ScoredGames, sessions_of, shared_addresses
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

JANUARY, FEBRUARY = date(2026, 1, 31), date(2026, 2, 28)
PEOPLE = {name: f"{name.lower()}@example.com" for name in "ABCDEFGH"}


def a_game(
    names: str,
    winner: str | None,
    *points: Fraction | float | str,
    on: date | None = JANUARY,
    line: int = 1,
) -> Game:
    """Return a game of players with one letter; whoever has no points gets 0."""
    numbers = [*(Fraction(each) for each in points), *[Fraction(0)] * (len(names) - len(points))]
    return Game(tuple(names), on, winner, dict(zip(names, numbers, strict=True)), line)


def sessions(
    *games: Game,
    people: dict[str, str] = PEOPLE,
    on: date | None = None,
    game_type: GameType = "league",
) -> list[Claim]:
    players = tuple(dict.fromkeys(name for game in games for name in game.players))
    scored = ScoredGames(players, games)
    return sessions_of(scored, one_spelling(people), game_type=game_type, session_date=on)


def mistakes(
    *games: Game, people: dict[str, str] = PEOPLE, on: date | None = None
) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidScores) as refused:
        sessions(*games, people=people, on=on)
    return [(each.line, each.code) for each in refused.value.mistakes]


def seat(name: str, games_played: int, mahjongs: int, points: float) -> dict[str, object]:
    return {
        "email": PEOPLE[name],
        "games_played": games_played,
        "mahjongs": mahjongs,
        "points": points,
    }


def test_a_round_counts_games_mahjongs_wall_games_and_points() -> None:
    assert sessions(
        a_game("ABCD", "A", 16, 0, 0, -16),
        a_game("ABCD", None),
        a_game("ABCD", None, 3, 3, 3, -9),  # A false win is a game that nobody won.
        a_game("ABCD", "B", "-1/2", "2", "-1/2", "-1"),
    ) == [
        {
            "session_date": "2026-01-31",
            "game_type": "league",
            "rounds": [
                {
                    "players": [
                        seat("A", 4, 1, 18.5),
                        seat("B", 4, 1, 5),
                        seat("C", 4, 0, 2.5),
                        seat("D", 4, 0, -26),
                    ],
                    "wall_games": 2,
                }
            ],
        }
    ]


def test_the_same_people_are_one_round_wherever_they_sit() -> None:
    (session,) = sessions(
        a_game("ABCD", "A", 3, -1, -1, -1),
        a_game("ABCE", "E", -1, -1, -1, 3),
        a_game("DCBA", "D", 3, -1, -1, -1),
    )
    first, second = session["rounds"]
    assert first["players"] == [
        seat("A", 2, 1, 2),
        seat("B", 2, 0, -2),
        seat("C", 2, 0, -2),
        seat("D", 2, 1, 2),
    ]
    assert [each["email"][0] for each in second["players"]] == ["a", "b", "c", "e"]


def test_each_date_is_a_session_in_the_order_of_the_file() -> None:
    claims = sessions(
        a_game("ABCD", "A", on=FEBRUARY),
        a_game("ABCD", "B", on=JANUARY),
        a_game("ABCD", "C", on=FEBRUARY),
    )
    assert [claim["session_date"] for claim in claims] == ["2026-02-28", "2026-01-31"]
    assert [claim["rounds"][0]["players"][0]["games_played"] for claim in claims] == [2, 1]


def test_a_date_that_is_given_is_that_of_games_without_one() -> None:
    claims = sessions(a_game("ABCD", "A", on=None), a_game("ABCD", "A"), on=FEBRUARY)
    assert [claim["session_date"] for claim in claims] == ["2026-02-28", "2026-01-31"]
    assert mistakes(a_game("ABCD", "A", line=3), a_game("ABCD", "A", on=None, line=7)) == [
        (7, "no_date")
    ]


def test_the_type_and_the_source_are_as_given() -> None:
    scored = ScoredGames(tuple("ABCD"), (a_game("ABCD", "A"),))
    (claim,) = sessions_of(scored, PEOPLE, game_type="tournament", source_id="a-club")
    assert (claim["game_type"], claim["source_id"]) == ("tournament", "a-club")


def test_all_names_without_an_address_are_listed() -> None:
    with pytest.raises(InvalidScores) as refused:
        sessions(a_game("ABCD", "A"), a_game("ABEF", "A"), people={"A": "a@x.org", "E": "e@x.org"})
    (mistake,) = refused.value.mistakes
    assert (mistake.line, mistake.code, mistake.pointer) == (None, "no_address", "/players")
    assert "B, C, D, F" in mistake.message


@pytest.mark.parametrize(("played", "known"), [("\u00e9", "e\u0301"), ("e\u0301", "\u00e9")])
def test_a_name_is_known_however_its_accents_are_encoded(played: str, known: str) -> None:
    points = dict.fromkeys([played, "B", "C", "D"], Fraction(0))
    scored = ScoredGames(tuple(points), (Game(tuple(points), JANUARY, played, points),))
    (session,) = sessions_of(scored, PEOPLE | {known: "e@x.org"}, game_type="social")
    assert session["rounds"][0]["players"][0]["email"] == "e@x.org"
    both = PEOPLE | {known: "other@x.org", played: "e@x.org"}
    (session,) = sessions_of(scored, both, game_type="social")
    assert session["rounds"][0]["players"][0]["email"] == "e@x.org"


def test_who_never_played_needs_no_address() -> None:
    scored = ScoredGames(tuple("ABCDX"), (a_game("ABCD", "A"),))
    assert len(sessions_of(scored, PEOPLE, game_type="social", session_date=None)) == 1


@pytest.mark.parametrize("address", [" A@Example.com ", "a@example.com"])
def test_two_names_of_one_person_are_one_player(address: str) -> None:
    people = PEOPLE | {"E": address}
    (session,) = sessions(
        a_game("ABCD", "A", 3, -1, -1, -1), a_game("EBCD", "E", 6, -2, -2, -2), people=people
    )
    (only,) = session["rounds"]
    assert only["players"][0] == seat("A", 2, 2, 9)


def test_whoever_is_private_under_one_name_is_private_under_every_name() -> None:
    people = PEOPLE | {"E": "PRIVATE:a@example.com"}
    (session,) = sessions(a_game("ABCD", "A", on=FEBRUARY), people=people)
    assert session["rounds"][0]["players"][0]["email"] == "PRIVATE:a@example.com"
    (session,) = sessions(a_game("ABCD", "A"), a_game("BCDE", "E"), people=people)
    (only,) = session["rounds"]
    assert [(each["email"], each["mahjongs"]) for each in only["players"]] == [
        ("PRIVATE:a@example.com", 2),
        ("b@example.com", 0),
        ("c@example.com", 0),
        ("d@example.com", 0),
    ]


def test_addresses_that_only_look_alike_are_two_people() -> None:
    people = PEOPLE | {"A": "strasse@example.com", "B": "straße@example.com"}
    (session,) = sessions(a_game("ABCD", "A"), people=people)
    assert len(session["rounds"][0]["players"]) == 4


def test_one_person_twice_at_a_table_is_refused_there() -> None:
    for address in ("A@example.com", "PRIVATE:a@example.com"):
        assert mistakes(
            a_game("ABCE", "A", line=2),
            a_game("ABCD", "A", line=5),
            a_game("ABCD", "A"),
            people=PEOPLE | {"D": address},
        ) == [(5, "player_twice")]


def test_the_two_who_have_one_address_are_named_with_what_they_can_do() -> None:
    with pytest.raises(InvalidScores) as refused:
        sessions(a_game("ABCD", "A", line=5), people=PEOPLE | {"D": "A@example.com"})
    (mistake,) = refused.value.mistakes
    assert mistake.message.startswith("A and D have the same address. ")
    assert "pat+sam@example.com" in mistake.message
    assert "ANON:" in mistake.message


@pytest.mark.parametrize(
    ("games", "people", "expected"),
    [
        (["ABCD", "EBCD"], {"E": "A@example.com"}, [(2, "A (line 1) and E ")]),
        (["ABCD", "EBCD", "FBCD"], {"E": "a@example.com", "F": "a@example.com"}, ["E", "F"]),
        (["ABCD", "EBCD"], {}, []),
        (["ABCD"], {"E": "a@example.com"}, []),
    ],
)
def test_names_with_one_address_that_never_met_are_told_of(
    games: list[str], people: dict[str, str], expected: list[Any]
) -> None:
    played = [a_game(names, None, line=line) for line, names in enumerate(games, start=1)]
    scored = ScoredGames(tuple("ABCDEFGH"), tuple(played))
    told = list(shared_addresses(scored, one_spelling(PEOPLE | people)))
    assert len(told) == len(expected)
    assert {each.code for each in told} <= {"one_address_two_names"}
    if len(expected) == 1:
        ((line, words),) = expected
        assert told[0].line == line
        assert told[0].message.startswith(words)


def test_an_impossible_date_is_told_and_no_session_is_made() -> None:
    impossible = (ScoreFileMistake(4, "invalid_date", "2023-13-45 is not in the calendar."),)
    scored = ScoredGames(tuple("ABCD"), (a_game("ABCD", "A", on=None),), impossible)
    for day in (None, JANUARY):
        with pytest.raises(InvalidScores) as refused:
            sessions_of(scored, PEOPLE, game_type="social", session_date=day)
        assert refused.value.mistakes == impossible


def test_no_games_are_no_session() -> None:
    assert mistakes() == [(None, "no_games")]


def test_a_total_with_more_than_two_decimals_is_refused_naming_the_player() -> None:
    with pytest.raises(InvalidScores) as refused:
        sessions(
            a_game("ABCD", "A", "0.125", "-0.125", "0.5", "-0.5", line=3),
            a_game("ABCD", "A", "0.125", "-0.125", "0.005", "-0.005", line=4),
        )
    told = [(each.line, each.code, each.message.split()[3]) for each in refused.value.mistakes]
    assert told == [(4, "points_too_precise", "C"), (4, "points_too_precise", "D")]


def test_points_beyond_those_of_a_claim_are_refused() -> None:
    assert len(sessions(a_game("ABCD", "A", 1_000_000, -1_000_000))) == 1
    assert mistakes(a_game("ABCD", "A", "1000000.01", "-1000000.01", line=9)) == [
        (9, "out_of_range"),
        (9, "out_of_range"),
    ]


def test_a_round_takes_two_hundred_games_and_no_more() -> None:
    games = [a_game("ABCD", "A", line=line) for line in range(1, 202)]
    (session,) = sessions(*games[:200])
    assert session["rounds"][0]["players"][0]["games_played"] == 200
    assert mistakes(*games) == [(201, "too_many_games")]


def test_a_session_takes_a_hundred_rounds_and_no_more() -> None:
    names = "abcdefghijk"
    people = {name: f"{name}@example.com" for name in names}
    groups = ["".join(group) for group in combinations(names, 4)][:101]
    games = [a_game(group, None, line=line) for line, group in enumerate(groups, start=1)]
    (session,) = sessions(*games[:100], people=people)
    assert len(session["rounds"]) == 100
    assert mistakes(*games, people=people) == [(101, "too_many_rounds")]


games = st.builds(
    lambda seats, place, hundredths, day: a_game(
        "".join(seats[:4]),
        None if place is None else seats[place],
        Fraction(hundredths, 100),
        Fraction(-hundredths, 100),
        on=day,
    ),
    st.permutations("ABCDEF"),
    st.none() | st.integers(0, 3),
    st.integers(-(10**5), 10**5),
    st.sampled_from([JANUARY, FEBRUARY]),
)


@settings(max_examples=40)
@given(st.lists(games, min_size=1, max_size=30), st.sampled_from(["league", "tournament"]))
def test_every_claim_is_lawful_and_holds_every_game_once(
    played: list[Game], game_type: GameType
) -> None:
    claims = sessions(*played, game_type=game_type)
    counted = 0
    for claim in claims:
        session = read_session(orjson.dumps(claim), source="a-club", today_latest=FEBRUARY)
        assert not session.warnings
        counted += sum(each.games_played for each in session.rounds)
    assert counted == len(played)
    mahjongs = dict.fromkeys(PEOPLE.values(), 0)
    for claim in claims:
        for each in claim["rounds"]:
            for player in each["players"]:
                mahjongs[player["email"]] += player["mahjongs"]
    for name, address in PEOPLE.items():
        assert mahjongs[address] == sum(game.winner == name for game in played)
