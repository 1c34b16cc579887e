"""One record of each type as it stands on logs for ever, written down by hand from the spec.

A test that fails on these says that old logs could no longer be read, or that the same engine
would no longer write the same bytes. Never change them: add a new version of the type.
"""

from shared.events.codec import Fact, Verdict
from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import (
    Answers,
    FactNoted,
    FactRefused,
    RatedRound,
    RatingsCorrected,
    SessionRated,
    VerdictEvent,
)

LOG_ID = "0192f0c1"
TIME = "2026-03-04T05:06:07.000008Z"
SESSION = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"
NEW_SESSION = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAW"
CHAIN = bytes(range(32))
CHAIN_HEX = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

ENVELOPE = '{"specversion":"1.0","id":"%s","type":"%s","source":"%s","time":"%s","subject":"%s",'
FACT_SOURCE = "/logs/0192f0c1/facts"
VERDICT_SOURCE = "/logs/0192f0c1/verdicts"


def _line(record_id: str, event_type: str, source: str, subject: str, data: str) -> bytes:
    envelope = ENVELOPE % (record_id, event_type, source, TIME, subject)
    return (envelope + '"datacontenttype":"application/json","data":' + data + "}").encode()


def _answering(record_id: str, event_type: str, subject: str, data: str) -> bytes:
    seq, _, _ = record_id.partition(".")
    answered = (
        f'{{"fact_seq":{seq},"fact_chain":"{CHAIN_HEX}","part":1,"parts":1,'
        '"formula":"mahjic-elo/1","engine":"00112233aabbccdd",'
    )
    return _line(record_id, event_type, VERDICT_SOURCE, subject, answered + data)


def _verdict(seq: int, subject: str, event: VerdictEvent) -> Verdict:
    answers = Answers(seq, CHAIN, 1, 1, "mahjic-elo/1", "00112233aabbccdd")
    return Verdict(TIME, subject, answers, event)


FACTS: dict[str, tuple[Fact, bytes]] = {
    "formula-adopted": (
        Fact(
            1,
            TIME,
            "mahjic-elo/1",
            FormulaAdopted("mahjic-elo/1", {"start_centi": 150000, "rounding": "half-even"}),
        ),
        _line(
            "1",
            "formula-adopted.v1",
            FACT_SOURCE,
            "mahjic-elo/1",
            '{"formula":"mahjic-elo/1","parameters":{"start_centi":150000,"rounding":"half-even"}}',
        ),
    ),
    "player-verified": (
        Fact(2, TIME, "MJ-ABCDEFGG", PlayerVerified("MJ-ABCDEFGG")),
        _line(
            "2",
            "player-verified.v1",
            FACT_SOURCE,
            "MJ-ABCDEFGG",
            '{"player_id":"MJ-ABCDEFGG"}',
        ),
    ),
    "player-verification-ended": (
        Fact(3, TIME, "MJ-ABCDEFGG", PlayerVerificationEnded("MJ-ABCDEFGG")),
        _line(
            "3",
            "player-verification-ended.v1",
            FACT_SOURCE,
            "MJ-ABCDEFGG",
            '{"player_id":"MJ-ABCDEFGG"}',
        ),
    ),
    "session-submitted, league": (
        Fact(
            4,
            TIME,
            SESSION,
            SessionSubmitted(
                SESSION,
                "bam-good-time",
                "2026-03-03",
                "league",
                (
                    PlayedRound(
                        4, 1, ("MJ-ABCDEFGG", "AN-0000001Y", "BOB"), (2, 1, 0), (2550, -2550, 0)
                    ),
                ),
                ("AN-0000001Y",),
            ),
        ),
        _line(
            "4",
            "session-submitted.v1",
            FACT_SOURCE,
            SESSION,
            '{"session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","source":"bam-good-time",'
            '"session_date":"2026-03-03","game_type":"league","rounds":[{"games_played":4,'
            '"wall_games":1,"players":["MJ-ABCDEFGG","AN-0000001Y","BOB"],"mahjongs":[2,1,0],'
            '"points_centi":[2550,-2550,0]}],"new_players":["AN-0000001Y"]}',
        ),
    ),
    "session-submitted, social": (
        Fact(
            5,
            TIME,
            SESSION,
            SessionSubmitted(
                SESSION,
                "bam-good-time",
                "2026-03-03",
                "social",
                (PlayedRound(1, 0, ("MJ-ABCDEFGG", "MJ-7K3Q9XZM"), (1, 0), None),),
                (),
            ),
        ),
        _line(
            "5",
            "session-submitted.v1",
            FACT_SOURCE,
            SESSION,
            '{"session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","source":"bam-good-time",'
            '"session_date":"2026-03-03","game_type":"social","rounds":[{"games_played":1,'
            '"wall_games":0,"players":["MJ-ABCDEFGG","MJ-7K3Q9XZM"],"mahjongs":[1,0]}],'
            '"new_players":[]}',
        ),
    ),
    "sessions-voided, one": (
        Fact(6, TIME, SESSION, SessionsVoided((SESSION,), "entered_twice")),
        _line(
            "6",
            "sessions-voided.v1",
            FACT_SOURCE,
            SESSION,
            '{"session_ids":["ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"],"reason":"entered_twice"}',
        ),
    ),
    "sessions-voided, two": (
        Fact(7, TIME, "2 sessions", SessionsVoided((SESSION, NEW_SESSION), "test_entry")),
        _line(
            "7",
            "sessions-voided.v1",
            FACT_SOURCE,
            "2 sessions",
            '{"session_ids":["ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","ses_01ARZ3NDEKTSV4RRFFQ69G5FAW"],'
            '"reason":"test_entry"}',
        ),
    ),
    "session-corrected": (
        Fact(
            8,
            TIME,
            NEW_SESSION,
            SessionCorrected(
                SESSION,
                "wrong_result",
                SessionSubmitted(
                    NEW_SESSION,
                    "bam-good-time",
                    "2026-03-03",
                    "social",
                    (PlayedRound(1, 0, ("MJ-ABCDEFGG", "MJ-7K3Q9XZM"), (0, 1), None),),
                    (),
                ),
            ),
        ),
        _line(
            "8",
            "session-corrected.v1",
            FACT_SOURCE,
            NEW_SESSION,
            '{"corrects":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","reason":"wrong_result","session":'
            '{"session_id":"ses_01ARZ3NDEKTSV4RRFFQ69G5FAW","source":"bam-good-time",'
            '"session_date":"2026-03-03","game_type":"social","rounds":[{"games_played":1,'
            '"wall_games":0,"players":["MJ-ABCDEFGG","MJ-7K3Q9XZM"],"mahjongs":[0,1]}],'
            '"new_players":[]}}',
        ),
    ),
    "players-merged": (
        Fact(9, TIME, "MJ-7K3Q9XZM", PlayersMerged("MJ-7K3Q9XZM", "MJ-ABCDEFGG")),
        _line(
            "9",
            "players-merged.v1",
            FACT_SOURCE,
            "MJ-7K3Q9XZM",
            '{"player_id":"MJ-7K3Q9XZM","into":"MJ-ABCDEFGG"}',
        ),
    ),
    "players-unmerged": (
        Fact(10, TIME, "MJ-7K3Q9XZM", PlayersUnmerged("MJ-7K3Q9XZM", "MJ-ABCDEFGG")),
        _line(
            "10",
            "players-unmerged.v1",
            FACT_SOURCE,
            "MJ-7K3Q9XZM",
            '{"player_id":"MJ-7K3Q9XZM","merged_into":"MJ-ABCDEFGG"}',
        ),
    ),
    "formula-adopted, from the beginning": (
        Fact(
            11,
            TIME,
            "mahjic-elo/2-scaled",
            FormulaAdoptedFromBeginning("mahjic-elo/2-scaled", {"start_centi": 150000}),
        ),
        _line(
            "11",
            "formula-adopted.v2",
            FACT_SOURCE,
            "mahjic-elo/2-scaled",
            '{"formula":"mahjic-elo/2-scaled","parameters":{"start_centi":150000},'
            '"since":"beginning"}',
        ),
    ),
}

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
                        RatedRound(
                            games_played=1,
                            wall_games=0,
                            players=("MJ-ABCDEFGG", "MJ-7K3Q9XZM"),
                            mahjongs=(0, 1),
                            points_centi=None,
                            rating_before=(150000, 150000),
                            rating_change=(-1600, 1600),
                            games_before=(0, 0),
                            games_after=(1, 1),
                            is_verified=(0, 0),
                            verified_rating_before=(150000, 150000),
                            verified_rating_change=(0, 0),
                            verified_games_before=(0, 0),
                            verified_games_after=(0, 0),
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
