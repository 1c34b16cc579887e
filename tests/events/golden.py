"""One record of each type of fact as it stands on logs forever, by hand from the spec.

A test that fails on these says that old logs could no longer be read, or that the same engine
would no longer write the same bytes. Never change them: add a new version of the type.
"""

from shared.events.codec import Fact
from shared.events.facts import (
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)

LOG_ID = "0192f0c1"
TIME = "2026-03-04T05:06:07.000008Z"
SESSION = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"
NEW_SESSION = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAW"
CHAIN = bytes(range(32))
CHAIN_HEX = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

ENVELOPE = '{"specversion":"1.0","id":"%s","type":"%s","source":"%s","time":"%s","subject":"%s",'
FACT_SOURCE = "/logs/0192f0c1/facts"


def line(record_id: str, event_type: str, source: str, subject: str, data: str) -> bytes:
    """Return a record as it stands on its log."""
    envelope = ENVELOPE % (record_id, event_type, source, TIME, subject)
    return (envelope + '"datacontenttype":"application/json","data":' + data + "}").encode()


FACTS: dict[str, tuple[Fact, bytes]] = {
    "formula-adopted": (
        Fact(
            1,
            TIME,
            "mahjic-elo/1",
            FormulaAdopted("mahjic-elo/1", {"start_centi": 150000, "rounding": "half-even"}),
        ),
        line(
            "1",
            "formula-adopted.v1",
            FACT_SOURCE,
            "mahjic-elo/1",
            '{"formula":"mahjic-elo/1","parameters":{"start_centi":150000,"rounding":"half-even"}}',
        ),
    ),
    "player-verified": (
        Fact(2, TIME, "MJ-ABCDEFGG", PlayerVerified("MJ-ABCDEFGG")),
        line(
            "2",
            "player-verified.v1",
            FACT_SOURCE,
            "MJ-ABCDEFGG",
            '{"player_id":"MJ-ABCDEFGG"}',
        ),
    ),
    "player-verification-ended": (
        Fact(3, TIME, "MJ-ABCDEFGG", PlayerVerificationEnded("MJ-ABCDEFGG")),
        line(
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
        line(
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
        line(
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
        line(
            "6",
            "sessions-voided.v1",
            FACT_SOURCE,
            SESSION,
            '{"session_ids":["ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"],"reason":"entered_twice"}',
        ),
    ),
    "sessions-voided, two": (
        Fact(7, TIME, "2 sessions", SessionsVoided((SESSION, NEW_SESSION), "test_entry")),
        line(
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
        line(
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
        line(
            "9",
            "players-merged.v1",
            FACT_SOURCE,
            "MJ-7K3Q9XZM",
            '{"player_id":"MJ-7K3Q9XZM","into":"MJ-ABCDEFGG"}',
        ),
    ),
    "players-unmerged": (
        Fact(10, TIME, "MJ-7K3Q9XZM", PlayersUnmerged("MJ-7K3Q9XZM", "MJ-ABCDEFGG")),
        line(
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
        line(
            "11",
            "formula-adopted.v2",
            FACT_SOURCE,
            "mahjic-elo/2-scaled",
            '{"formula":"mahjic-elo/2-scaled","parameters":{"start_centi":150000},'
            '"since":"beginning"}',
        ),
    ),
    "formula-adopted, as proposed": (
        Fact(
            13,
            TIME,
            "mahjic-elo/2-scaled",
            FormulaAdopted("mahjic-elo/2-scaled", {"start_centi": 150000}, proposal="0007"),
        ),
        line(
            "13",
            "formula-adopted.v1",
            FACT_SOURCE,
            "mahjic-elo/2-scaled",
            '{"formula":"mahjic-elo/2-scaled","parameters":{"start_centi":150000},'
            '"proposal":"0007"}',
        ),
    ),
    "formula-adopted, from the beginning, as proposed": (
        Fact(
            14,
            TIME,
            "mahjic-elo/2-scaled",
            FormulaAdoptedFromBeginning(
                "mahjic-elo/2-scaled", {"start_centi": 150000}, proposal="0007"
            ),
        ),
        line(
            "14",
            "formula-adopted.v2",
            FACT_SOURCE,
            "mahjic-elo/2-scaled",
            '{"formula":"mahjic-elo/2-scaled","parameters":{"start_centi":150000},'
            '"since":"beginning","proposal":"0007"}',
        ),
    ),
    "seats-reassigned": (
        Fact(
            12,
            TIME,
            "MJ-7K3Q9XZM",
            SeatsReassigned("MJ-7K3Q9XZM", "MJ-ABCDEFGG", (SESSION, NEW_SESSION)),
        ),
        line(
            "12",
            "seats-reassigned.v1",
            FACT_SOURCE,
            "MJ-7K3Q9XZM",
            '{"from":"MJ-7K3Q9XZM","to":"MJ-ABCDEFGG","sessions":'
            '["ses_01ARZ3NDEKTSV4RRFFQ69G5FAV","ses_01ARZ3NDEKTSV4RRFFQ69G5FAW"]}',
        ),
    ),
}
