"""One record of each type of verdict as it stands on logs forever, written down by hand.

What golden.py says of facts holds of these.
"""

from shared.events.codec import Verdict
from shared.events.verdicts import (
    Answers,
    FactNoted,
    FactRefused,
    RatedRound,
    RatingsCorrected,
    ReseatedSession,
    SessionRated,
    VerdictEvent,
)
from tests.events.golden import CHAIN, CHAIN_HEX, NEW_SESSION, SESSION, TIME, line
from tests.events.matches import a_first_match

VERDICT_SOURCE = "/logs/0192f0c1/verdicts"


def _answering(record_id: str, event_type: str, subject: str, data: str) -> bytes:
    seq, _, _ = record_id.partition(".")
    answered = (
        f'{{"fact_seq":{seq},"fact_chain":"{CHAIN_HEX}","part":1,"parts":1,'
        '"formula":"mahjic-elo/1","engine":"00112233aabbccdd",'
    )
    return line(record_id, event_type, VERDICT_SOURCE, subject, answered + data)


def _verdict(seq: int, subject: str, event: VerdictEvent) -> Verdict:
    answers = Answers(seq, CHAIN, 1, 1, "mahjic-elo/1", "00112233aabbccdd")
    return Verdict(TIME, subject, answers, event)


VERDICTS: dict[str, tuple[Verdict, bytes]] = {
    "fact-noted": (
        _verdict(
            2,
            "MJ-ABCDEFGG",
            FactNoted("player-verified.v1", {"player_id": "MJ-ABCDEFGG"}),
        ),
        _answering(
            "2.1",
            "fact-noted.v1",
            "MJ-ABCDEFGG",
            '"fact_type":"player-verified.v1","data":{"player_id":"MJ-ABCDEFGG"}}',
        ),
    ),
    "fact-refused, unreadable": (
        _verdict(6, "fact 6", FactRefused("unreadable_record", None)),
        _answering(
            "6.1",
            "fact-refused.v1",
            "fact 6",
            '"reason":"unreadable_record","session_id":null}',
        ),
    ),
    "fact-refused, a session": (
        _verdict(7, SESSION, FactRefused("impossible_round", SESSION)),
        _answering(
            "7.1",
            "fact-refused.v1",
            SESSION,
            '"reason":"impossible_round","session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"}',
        ),
    ),
    "session-rated, league": (
        _verdict(
            4,
            SESSION,
            SessionRated(
                SESSION,
                "bam-good-time",
                "2026-03-03",
                "league",
                (
                    RatedRound(
                        games_played=4,
                        wall_games=1,
                        players=("MJ-ABCDEFGG", "MJ-7K3Q9XZM"),
                        mahjongs=(2, 1),
                        points_centi=(2550, -2550),
                        rating_before=(150000, 151234),
                        rating_change=(1757, -1757),
                        games_before=(0, 12),
                        games_after=(4, 16),
                        is_verified=(1, 0),
                        verified_rating_before=(150000, 150000),
                        verified_rating_change=(0, 0),
                        verified_games_before=(0, 3),
                        verified_games_after=(0, 3),
                    ),
                ),
                ("MJ-ABCDEFGG",),
            ),
        ),
        _answering(
            "4.1",
            "session-rated.v1",
            SESSION,
            '"session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","source":"bam-good-time",'
            '"session_date":"2026-03-03","game_type":"league","rounds":[{"games_played":4,'
            '"wall_games":1,"players":["MJ-ABCDEFGG","MJ-7K3Q9XZM"],"mahjongs":[2,1],'
            '"points_centi":[2550,-2550],"rating_before":[150000,151234],'
            '"rating_change":[1757,-1757],"games_before":[0,12],"games_after":[4,16],'
            '"is_verified":[1,0],"verified_rating_before":[150000,150000],'
            '"verified_rating_change":[0,0],"verified_games_before":[0,3],'
            '"verified_games_after":[0,3]}],"new_players":["MJ-ABCDEFGG"]}',
        ),
    ),
    "ratings-corrected, a merge": (
        _verdict(
            9,
            "MJ-7K3Q9XZM",
            RatingsCorrected(
                fact_type="players-merged.v1",
                data={"player_id": "MJ-7K3Q9XZM", "into": "MJ-ABCDEFGG"},
                session=None,
                moved=2,
                players=("MJ-7K3Q9XZM", "MJ-ABCDEFGG"),
                rating_before=(151600, 148400),
                rating_change=(-1600, 3211),
                games_before=(4, 4),
                games_after=(0, 8),
                verified_rating_before=(150000, 150000),
                verified_rating_change=(0, 0),
                verified_games_before=(0, 0),
                verified_games_after=(0, 0),
            ),
        ),
        _answering(
            "9.1",
            "ratings-corrected.v1",
            "MJ-7K3Q9XZM",
            '"fact_type":"players-merged.v1","data":{"player_id":"MJ-7K3Q9XZM",'
            '"into":"MJ-ABCDEFGG"},"session":null,"moved":2,'
            '"players":["MJ-7K3Q9XZM","MJ-ABCDEFGG"],"rating_before":[151600,148400],'
            '"rating_change":[-1600,3211],"games_before":[4,4],"games_after":[0,8],'
            '"verified_rating_before":[150000,150000],"verified_rating_change":[0,0],'
            '"verified_games_before":[0,0],"verified_games_after":[0,0]}',
        ),
    ),
    "ratings-corrected, seats": (
        _verdict(
            12,
            "MJ-7K3Q9XZM",
            RatingsCorrected(
                fact_type="seats-reassigned.v1",
                data={"from": "MJ-7K3Q9XZM", "to": "MJ-ABCDEFGG", "sessions": [SESSION]},
                session=None,
                moved=1,
                players=("MJ-ABCDEFGG",),
                rating_before=(150000,),
                rating_change=(-5,),
                games_before=(0,),
                games_after=(4,),
                verified_rating_before=(150000,),
                verified_rating_change=(0,),
                verified_games_before=(0,),
                verified_games_after=(0,),
                reseated=(
                    ReseatedSession(
                        SESSION,
                        (1,),
                        (2,),
                        ("MJ-7K3Q9XZM",),
                        ("MJ-ABCDEFGG",),
                        (3,),
                        (1,),
                        ("MJ-7K3Q9XZM",),
                        ("MJ-ABCDEFGG",),
                    ),
                ),
            ),
        ),
        _answering(
            "12.1",
            "ratings-corrected.v1",
            "MJ-7K3Q9XZM",
            '"fact_type":"seats-reassigned.v1","data":{"from":"MJ-7K3Q9XZM","to":"MJ-ABCDEFGG",'
            '"sessions":["ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"]},"session":null,"moved":1,'
            '"players":["MJ-ABCDEFGG"],"rating_before":[150000],"rating_change":[-5],'
            '"games_before":[0],"games_after":[4],"verified_rating_before":[150000],'
            '"verified_rating_change":[0],"verified_games_before":[0],"verified_games_after":[0],'
            '"reseated":[{"session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","round_numbers":[1],'
            '"seats":[2],"was":["MJ-7K3Q9XZM"],"now":["MJ-ABCDEFGG"],"mahjongs":[3],'
            '"wall_games":[1],"left":["MJ-7K3Q9XZM"],"joined":["MJ-ABCDEFGG"]}]}',
        ),
    ),
    "ratings-corrected, a correction": (
        _verdict(
            8,
            NEW_SESSION,
            RatingsCorrected(
                fact_type="session-corrected.v1",
                data={"corrects": SESSION, "reason": "wrong_result"},
                session=SessionRated(
                    NEW_SESSION,
                    "bam-good-time",
                    "2026-03-03",
                    "social",
                    (
                        a_first_match(
                            ("MJ-ABCDEFGG", "MJ-7K3Q9XZM"), mahjongs=(0, 1), change=(-1600, 1600)
                        ),
                    ),
                    (),
                ),
                moved=2,
                players=("MJ-ABCDEFGG", "MJ-7K3Q9XZM"),
                rating_before=(151600, 148400),
                rating_change=(-3200, 3200),
                games_before=(1, 1),
                games_after=(1, 1),
                verified_rating_before=(150000, 150000),
                verified_rating_change=(0, 0),
                verified_games_before=(0, 0),
                verified_games_after=(0, 0),
            ),
        ),
        _answering(
            "8.1",
            "ratings-corrected.v1",
            NEW_SESSION,
            '"fact_type":"session-corrected.v1","data":{"corrects":'
            '"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","reason":"wrong_result"},"session":{"session_id":'
            '"ses_01ARZ3NDEKTSV4RRFFQ69G5FAW","source":"bam-good-time","session_date":"2026-03-03",'
            '"game_type":"social","rounds":[{"games_played":1,"wall_games":0,'
            '"players":["MJ-ABCDEFGG","MJ-7K3Q9XZM"],"mahjongs":[0,1],'
            '"rating_before":[150000,150000],"rating_change":[-1600,1600],"games_before":[0,0],'
            '"games_after":[1,1],"is_verified":[0,0],"verified_rating_before":[150000,150000],'
            '"verified_rating_change":[0,0],"verified_games_before":[0,0],'
            '"verified_games_after":[0,0]}],"new_players":[]},"moved":2,'
            '"players":["MJ-ABCDEFGG","MJ-7K3Q9XZM"],"rating_before":[151600,148400],'
            '"rating_change":[-3200,3200],"games_before":[1,1],"games_after":[1,1],'
            '"verified_rating_before":[150000,150000],"verified_rating_change":[0,0],'
            '"verified_games_before":[0,0],"verified_games_after":[0,0]}',
        ),
    ),
}
