"""Turns verdicts on the past into rows of the history. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from operator import add
from typing import Any, Final, Literal, TypeAlias

import orjson

from shared.events.codec import Verdict
from shared.events.facts import (
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.events.verdicts import RatingsCorrected

EndingCause: TypeAlias = Literal["void", "correction"]
Cause: TypeAlias = Literal[EndingCause, "merge", "unmerge", "reseat", "formula"]

# A fact can void 10,000 sessions, and they would be in the history of everyone it moved.
SESSIONS_LISTED_MAX: Final = 20
CAUSES: Final[Mapping[str, Cause]] = {
    SessionsVoided.TYPE: "void",
    SessionCorrected.TYPE: "correction",
    PlayersMerged.TYPE: "merge",
    PlayersUnmerged.TYPE: "unmerge",
    SeatsReassigned.TYPE: "reseat",
    FormulaAdoptedFromBeginning.TYPE: "formula",
}
# What is kept about a player who moved, besides the two changes.
MOVED_COLUMNS: Final = (
    "verified_rating_after",
    "rating_before",
    "games_before",
    "games_after",
    "verified_rating_before",
    "verified_games_before",
    "verified_games_after",
)
CORRECTION_COLUMNS: Final = (
    "fact_seq",
    "cause",
    "reason",
    "sessions",
    "sessions_count",
    "replaced_by",
    "players",
    "formula",
    "moved",
    "from_seq",
)
REPLACEMENT_COLUMNS: Final = (
    "fact_seq",
    "session_id",
    "source",
    "session_date",
    "game_type",
    "place_seq",
)
REPLACED_ROUND_COLUMNS: Final = ("fact_seq", "round_no", "results")
# What is kept of such a round: who won how many of its games.
RESULT_FIELDS: Final = ("games_played", "wall_games", "players", "mahjongs", "played_as")


def moved_rows(corrected: Sequence[Verdict]) -> list[tuple[Any, ...]]:
    """Return the rows of `changes` that verdicts on the past make. Each part covers its players."""
    rows: list[tuple[Any, ...]] = []
    for verdict in corrected:
        fact_seq, on_date = verdict.answers.fact_seq, _date_of(verdict)
        rows += [
            (player_id, fact_seq, 0, on_date, *numbers)
            for player_id, *numbers in _numbers(event_of(verdict))
        ]
    return rows


def correction_row(first: Verdict) -> tuple[Any, ...]:
    """Return the row of `corrections` that the first part of a verdict makes, but its place."""
    event = event_of(first)
    sessions = _reseated(event) or _left_out(event)
    return (
        first.answers.fact_seq,
        CAUSES[event.fact_type],
        event.data.get("reason"),
        sessions[:SESSIONS_LISTED_MAX],
        len(sessions),
        None if event.session is None else event.session.session_id,
        _merged(event),
        event.data.get("formula"),
        event.moved,
    )


def ending_rows(first: Verdict) -> list[tuple[str, str, int, str | None]]:
    """Return the rows of `endings` that the first part of a verdict on the past makes."""
    event = event_of(first)
    replaced_by = None if event.session is None else event.session.session_id
    return [
        (session_id, CAUSES[event.fact_type], first.answers.fact_seq, replaced_by)
        for session_id in _left_out(event)
    ]


def replacement_rows(first: Verdict, place_seq: int) -> list[tuple[int, str, str, date, str, int]]:
    """Return the row of `replacements`, if the verdict brings a session in the place of another."""
    session = event_of(first).session
    if session is None:
        return []
    on_date = date.fromisoformat(session.session_date)
    told = (session.session_id, session.source, on_date, session.game_type)
    return [(first.answers.fact_seq, *told, place_seq)]


def replaced_round_rows(first: Verdict) -> list[tuple[int, int, str]]:
    """Return the results of the rounds that the verdict brings in place of others."""
    session = event_of(first).session
    rows: list[tuple[int, int, str]] = []
    for round_no, rated in enumerate(() if session is None else session.rounds, start=1):
        told = rated.to_json()
        results = {name: told[name] for name in RESULT_FIELDS if name in told}
        rows.append((first.answers.fact_seq, round_no, orjson.dumps(results).decode()))
    return rows


def first_facts(verdicts: Sequence[Verdict]) -> dict[date, int]:
    """Return the first fact that verdicts answer of each day."""
    first: dict[date, int] = {}
    for verdict in verdicts:
        first.setdefault(_date_of(verdict), verdict.answers.fact_seq)
    return first


def link_after(first: Verdict) -> list[tuple[str, str | None]]:
    """Return who was merged into whom, or no longer is: into None."""
    event = event_of(first)
    if event.fact_type == PlayersMerged.TYPE:
        return [(event.data["player_id"], event.data["into"])]
    if event.fact_type == PlayersUnmerged.TYPE:
        return [(event.data["player_id"], None)]
    return []


def event_of(verdict: Verdict) -> RatingsCorrected:
    """Return the event of a verdict on the past."""
    event = verdict.event
    assert isinstance(event, RatingsCorrected)
    return event


def _numbers(event: RatingsCorrected) -> Iterable[tuple[Any, ...]]:
    return zip(
        event.players,
        event.rating_change,
        event.verified_rating_change,
        map(add, event.verified_rating_before, event.verified_rating_change),
        event.rating_before,
        event.games_before,
        event.games_after,
        event.verified_rating_before,
        event.verified_games_before,
        event.verified_games_after,
        strict=True,
    )


def _date_of(verdict: Verdict) -> date:
    """Return the day on which the fact was accepted, in UTC."""
    return date.fromisoformat(verdict.time[:10])


def _left_out(event: RatingsCorrected) -> list[str]:
    if event.fact_type == SessionsVoided.TYPE:
        return list(dict.fromkeys(event.data["session_ids"]))
    return [event.data["corrects"]] if event.fact_type == SessionCorrected.TYPE else []


def _reseated(event: RatingsCorrected) -> list[str]:
    return [each.session_id for each in event.reseated or ()]


def _merged(event: RatingsCorrected) -> list[str]:
    if event.fact_type == PlayersMerged.TYPE:
        return [event.data["player_id"], event.data["into"]]
    if event.fact_type == PlayersUnmerged.TYPE:
        return [event.data["player_id"], event.data["merged_into"]]
    return []
