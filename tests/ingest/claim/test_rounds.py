"""The rules for a round: how many games and people, who sits there, and that it adds up."""

import pytest

from shared.errors import ClaimRefused
from tests.ingest.claims import a_round, a_session, mistakes_in, read

P0 = "/rounds/0/players/0"
P1 = "/rounds/0/players/1"


@pytest.mark.parametrize("count", [1, 200])
def test_a_round_has_1_to_200_games(count: int) -> None:
    assert mistakes_in(a_session(a_round(ada=count, bo=0))) == set()


def test_a_round_of_0_or_201_games_is_refused_at_every_figure() -> None:
    assert mistakes_in(a_session(a_round(ada=0, bo=0))) == {
        (f"{P0}/games_played", "out_of_range"),
        (f"{P1}/games_played", "out_of_range"),
    }
    assert mistakes_in(a_session(a_round(ada=201, bo=0))) == {
        (f"{P0}/games_played", "out_of_range"),
        (f"{P0}/mahjongs", "out_of_range"),
        (f"{P1}/games_played", "out_of_range"),
    }


def test_a_session_has_at_most_100_rounds() -> None:
    rounds = [a_round(ada=2, bo=1) for _ in range(101)]
    assert mistakes_in(a_session(*rounds[:100])) == set()
    assert mistakes_in(a_session(*rounds)) == {("/rounds", "too_long")}


@pytest.mark.parametrize(
    ("count", "code"),
    [(0, "too_short"), (1, "too_short"), (2, None), (3, None), (4, None), (5, "too_long")],
)
def test_a_table_has_2_to_4_players(count: int, code: str | None) -> None:
    claim = a_session(a_round({f"p{number}": 1 for number in range(count)}))
    assert mistakes_in(claim) == ({("/rounds/0/players", code)} if code else set())


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        (
            ["alice@x.org", "bo@x.org", "ALICE@x.org"],
            {("/rounds/0/players/2/email", "player_twice")},
        ),
        (["alice", "Alice@Example.COM"], {("/rounds/0/players/1/email", "player_twice")}),
        (["alice", " alice@example.com "], {("/rounds/0/players/1/email", "player_twice")}),
        (["alice", "PRIVATE:alice@example.com"], {("/rounds/0/players/1/email", "player_twice")}),
        (
            ["a@exämple.com", "a@xn--exmple-cua.com", "A@EXÄMPLE.com", "bo"],
            {
                ("/rounds/0/players/1/email", "player_twice"),
                ("/rounds/0/players/2/email", "player_twice"),
            },
        ),
        (["ANON:Ann", "ANON: ann"], {("/rounds/0/players/1/email", "player_twice")}),
        (["ANON:alice", "alice"], set()),
        (["alice", "bo", "bob@mahjic.org"], set()),
        (["alice", "bob@mahjic.org"], {("/rounds/0/players", "too_few_players")}),
        (
            ["alice", "bo", "bob@mahjic.org", "Bob@Mahjic.org"],
            {("/rounds/0/players/3/email", "two_bobs")},
        ),
        (
            ["bob@mahjic.org", "BOB@mahjic.org"],
            {("/rounds/0/players/1/email", "two_bobs"), ("/rounds/0/players", "too_few_players")},
        ),
    ],
)
def test_nobody_sits_twice_at_a_table_and_bob_is_no_real_player(
    people: list[str], expected: set[tuple[str, str]]
) -> None:
    assert mistakes_in(a_session(a_round(dict.fromkeys(people, 1)))) == expected


def test_the_same_people_may_meet_again_in_the_next_round() -> None:
    assert mistakes_in(a_session(a_round(ada=2, bo=1), a_round(ada=2, bo=1))) == set()


def test_a_round_must_add_up() -> None:
    claim = a_session(a_round(ada=2, bo=1, wall_games=1))
    claim["rounds"][0]["wall_games"] = 2
    with pytest.raises(ClaimRefused) as refused:
        read(claim)
    (mistake,) = refused.value.mistakes
    assert (mistake.pointer, mistake.code) == ("/rounds/0", "round_does_not_add_up")
    assert mistake.message == ("3 mahjongs and 2 wall games make 5, but games_played is 4.")


def test_all_players_of_a_round_play_the_same_games() -> None:
    claim = a_session(a_round(ada=2, bo=1))
    claim["rounds"][0]["players"][1]["games_played"] = 4
    assert mistakes_in(claim) == {("/rounds/0/players", "games_played_differ")}


def test_refs_are_64_printable_characters_and_name_one_round_of_a_session() -> None:
    assert mistakes_in(a_session(a_round(ada=1, bo=0, ref="x" * 64))) == set()
    assert mistakes_in(a_session(a_round(ada=1, bo=0, ref="Tafel 3, runde 🀄"))) == set()
    repeated = a_session(
        a_round(ada=1, bo=0, ref="A"), a_round(ada=1, bo=1), a_round(ada=2, bo=0, ref="A")
    )
    assert mistakes_in(repeated) == {("/rounds/2/ref", "ref_repeated")}
    repeated["note"] = "beside a mistake of shape"
    assert mistakes_in(repeated) == {("/rounds/2/ref", "ref_repeated"), ("/note", "unknown_field")}
