"""The answer to a submission, against what spec says it holds, written out by hand."""

from typing import Any

from shared.answers import SessionAnswer, points, session_answer
from shared.answers.seen import Seated, Sight
from shared.answers.sessions import WarningAnswer
from shared.answers.trials import trial_answer
from shared.events.verdicts import RatedRound, SessionRated
from tests.events.matches import a_first_match

ADA, CLEO, NICK = "MJ-ABCDEFGG", "MJ-7K3Q9XZM", "AN-0000001Y"

# Two rounds of a league: Ada and Cleo are verified; Bob sits in the first, anonymous Nick in the
# second. The numbers are made up, so that none of them can be right by chance.
FIRST = RatedRound(
    games_played=4,
    wall_games=1,
    players=(CLEO, "BOB", ADA),
    mahjongs=(2, 1, 0),
    points_centi=(2550, 0, -2550),
    rating_before=(151001, 150000, 148999),
    rating_change=(1757, 0, -2001),
    games_before=(30, 0, 7),
    games_after=(34, 0, 11),
    is_verified=(1, 0, 1),
    verified_rating_before=(150500, 150000, 149010),
    verified_rating_change=(803, 0, -805),
    verified_games_before=(10, 0, 0),
    verified_games_after=(14, 0, 4),
)
SECOND = RatedRound(
    games_played=2,
    wall_games=0,
    players=(ADA, NICK, CLEO),
    mahjongs=(2, 0, 0),
    points_centi=(5, -5, 0),
    rating_before=(146998, 150000, 152758),
    rating_change=(3333, -1600, -1707),
    games_before=(11, 0, 34),
    games_after=(13, 2, 36),
    is_verified=(1, 0, 1),
    verified_rating_before=(148205, 150000, 151303),
    verified_rating_change=(1610, 0, -1200),
    verified_games_before=(4, 0, 14),
    verified_games_after=(6, 0, 16),
)
SESSION = SessionRated(
    session_id="ses_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    source="bam-good-time",
    session_date="2026-03-03",
    game_type="league",
    rounds=(FIRST, SECOND),
    new_players=(NICK,),
)
SUBMITTED_AS = {
    ADA: "Ada@Example.com ",
    CLEO: "PRIVATE:cleo@example.com",
    NICK: "ANON:Nick",
    "BOB": "bob@mahjic.org",
}


def answer_to(rated: SessionRated | None, **named: Any) -> SessionAnswer:
    return session_answer(SESSION.session_id, "rated", rated, seq=7, **named)


Numbers = tuple[float, float, float]


def a_result(who: tuple[str, str | None, str], moved: Numbers, verified: Numbers) -> dict[str, Any]:
    """Return what a player is told by name: the ids, then before, after and change of each pool."""
    names = ("player_id", "mahjic_id", "player")
    pools = {"": moved, "verified_": verified}
    return dict(zip(names, who, strict=True)) | {
        f"{pool}rating_{when}": number
        for pool, numbers in pools.items()
        for when, number in zip(("before", "after", "change"), numbers, strict=True)
    }


def test_results_go_from_before_the_first_round_to_after_the_last() -> None:
    cleo = ("MJ-7K3Q9XZM", "MJ-7K3Q9XZM", "PRIVATE:cleo@example.com")
    bob = ("BOB", None, "bob@mahjic.org")
    ada = ("MJ-ABCDEFGG", "MJ-ABCDEFGG", "Ada@Example.com ")
    nick = ("AN-0000001Y", None, "ANON:Nick")
    assert answer_to(SESSION, submitted_as=SUBMITTED_AS)["results"] == [
        {
            **a_result(cleo, (1510.01, 1510.51, 0.5), (1505.0, 1501.03, -3.97)),
            "is_new_player": False,
            "games_played_total": 36,
            "verified_games_played_total": 16,
        },
        {
            **a_result(bob, (1500.0, 1500.0, 0.0), (1500.0, 1500.0, 0.0)),
            "is_new_player": False,
            "games_played_total": 0,
            "verified_games_played_total": 0,
        },
        {
            **a_result(ada, (1489.99, 1503.31, 13.32), (1490.1, 1498.15, 8.05)),
            "is_new_player": False,
            "games_played_total": 13,
            "verified_games_played_total": 6,
        },
        {
            **a_result(nick, (1500.0, 1484.0, -16.0), (1500.0, 1500.0, 0.0)),
            "is_new_player": True,
            "games_played_total": 2,
            "verified_games_played_total": 0,
        },
    ]


def test_each_round_has_its_own_numbers() -> None:
    first, second = answer_to(SESSION, submitted_as=SUBMITTED_AS)["rounds"]
    assert (first["games_played"], first["wall_games"]) == (4, 1)
    assert (second["games_played"], second["wall_games"]) == (2, 0)
    assert [seat["player_id"] for seat in first["results"]] == [CLEO, "BOB", ADA]
    ada = ("MJ-ABCDEFGG", "MJ-ABCDEFGG", "Ada@Example.com ")
    assert second["results"][0] == {
        **a_result(ada, (1469.98, 1503.31, 33.33), (1482.05, 1498.15, 16.1)),
        "mahjongs": 2,
        "points": 0.05,
        "games_played_total": 13,
        "verified_games_played_total": 6,
    }
    assert first["results"][1]["mahjic_id"] is None
    assert first["results"][1]["points"] == 0.0
    assert second["results"][1]["mahjic_id"] is None


def test_a_social_round_has_no_points() -> None:
    social = SessionRated(
        SESSION.session_id,
        "bam-good-time",
        "2026-03-03",
        "social",
        (a_first_match((ADA, CLEO), mahjongs=(1, 0), change=(1600, -1600)),),
        (ADA, CLEO),
    )
    (played,) = answer_to(social)["rounds"]
    assert [seat["points"] for seat in played["results"]] == [None, None]


def test_a_session_looked_up_later_names_nobody() -> None:
    answer = answer_to(SESSION)
    everybody = answer["results"] + answer["rounds"][0]["results"] + answer["rounds"][1]["results"]
    assert {each["player"] for each in everybody} == {None}


def test_a_seat_that_the_reader_may_not_see_shows_only_what_belongs_to_the_table() -> None:
    # Of these three the source has named Cleo alone, and Ada is private.
    seated = {CLEO: a_seat(CLEO, is_named=True), ADA: a_seat(ADA, is_named=False)}
    answer = answer_to(SESSION, sight=Sight("own", seated))
    cleo, _, ada = answer["rounds"][0]["results"]
    assert [name for name, value in ada.items() if value is not None] == ["mahjongs", "points"]
    assert (ada["mahjongs"], ada["points"]) == (0, -25.5)
    assert list(ada) == list(cleo)
    assert [each["player_id"] for each in answer["results"]] == [CLEO, "BOB"]


def a_seat(player_id: str, *, is_named: bool) -> Seated:
    return Seated(
        player_id,
        player_id,
        is_public=False,
        is_named=is_named,
        is_said_private=False,
        address=None,
        nickname=None,
    )


def test_a_dry_run_shows_no_id_of_a_new_player_and_every_number() -> None:
    real = answer_to(SESSION, submitted_as=SUBMITTED_AS)
    tried = trial_answer(
        SESSION,
        seq=7,
        submitted_as=SUBMITTED_AS,
        warnings=[],
        on_record=None,
        nameless=frozenset({ADA}),
    )
    assert (tried["session_id"], tried["status"], tried["counts"]) == (None, "dry_run", False)
    assert list(tried) == list(real)
    seats = [seat for played in tried["rounds"] for seat in played["results"]]
    shown = [seat for played in real["rounds"] for seat in played["results"]]
    for told, whole in zip(tried["results"], real["results"], strict=True):
        hidden = {"player_id": None, "mahjic_id": None} if whole["player_id"] == ADA else {}
        assert list(told.items()) == list({**whole, **hidden}.items())
    for seat, full in zip(seats, shown, strict=True):
        hidden = {"player_id": None, "mahjic_id": None} if full["player_id"] == ADA else {}
        assert list(seat.items()) == list({**full, **hidden}.items())


def test_a_session_that_waits_for_its_rating_has_no_numbers_yet() -> None:
    warnings: list[WarningAnswer] = [
        {"code": "points_do_not_sum_to_zero", "pointer": "/rounds/0", "message": "Odd."}
    ]
    answer = session_answer(SESSION.session_id, "accepted", None, seq=7, warnings=warnings)
    assert answer == {
        "session_id": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "status": "accepted",
        "seq": 7,
        "players": [],
        "counts": True,
        "results": [],
        "rounds": [],
        "warnings": warnings,
    }


def test_points_leave_with_at_most_two_decimals() -> None:
    # Python writes the shortest text that reads back as the same number, and so does JSON.
    written = {centi: repr(points(centi)) for centi in (0, 1, -1, 10, 29, 57, 115, 150001)}
    assert written == {
        0: "0.0",
        1: "0.01",
        -1: "-0.01",
        10: "0.1",
        29: "0.29",
        57: "0.57",
        115: "1.15",
        150001: "1500.01",
    }
    for centi in range(-200_000, 200_000, 7):
        assert round(points(centi) * 100) == centi
        assert len(repr(points(centi)).partition(".")[2]) <= 2
