"""Reads the body of a submission into a lawful session, or refuses it with every mistake in it.

Pure. A claim of the right shape takes the quick way; one with mistakes is taken apart, so that the
rules still see every part that is well-formed.
"""

import json
import re
from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from services.ingest.checks import (
    CheckedRound,
    CheckedSession,
    Checks,
    has_two_decimals,
    warnings_of,
)
from services.ingest.claims import RoundClaim, SeatClaim, SessionClaim
from services.ingest.people import Person
from shared.errors import ClaimRefused
from shared.http.bodies import parse_strictly

CLAIM: Final = TypeAdapter(SessionClaim)
# A number with more than two decimals, or with an exponent: rare, and worth an exact look.
_LONG_NUMBER: Final = re.compile(rb"[0-9]\.[0-9]{3}|[0-9][eE][+-]?[0-9]")

Part = TypeVar("Part", bound=BaseModel)


def read_session(raw: bytes, *, source: str, today_latest: date) -> CheckedSession:
    """Return the session of a request body.

    `today_latest` is today's date in the latest time zone on earth. Raises MalformedJson, or
    ClaimRefused with every mistake.
    """
    try:
        claim = parse_strictly(CLAIM, raw)
    except ClaimRefused as refused:
        checks = Checks(refused.mistakes)
        _check_parts(checks, json.loads(raw), source=source, today_latest=today_latest)
        raise ClaimRefused(checks.mistakes) from None
    return _check_claim(claim, raw, source=source, today_latest=today_latest)


def _check_claim(
    claim: SessionClaim, raw: bytes, *, source: str, today_latest: date
) -> CheckedSession:
    checks = Checks()
    checks.check_source(claim.source_id, source)
    checks.check_date(claim.session_date, today_latest)
    checks.check_refs([each.ref for each in claim.rounds])
    points_count = claim.game_type != "social"
    if points_count and _LONG_NUMBER.search(raw):
        _check_precision(checks, json.loads(raw, parse_float=Decimal))
    rounds = [
        _check_round(checks, f"/rounds/{number}", each, points_count=points_count)
        for number, each in enumerate(claim.rounds)
    ]
    checks.refuse_if_any()
    lawful = tuple(each for each in rounds if each is not None)
    return CheckedSession(
        session_date=claim.session_date,
        game_type=claim.game_type,
        rounds=lawful,
        allow_duplicate=claim.allow_duplicate,
        warnings=tuple(warnings_of(lawful)) if claim.game_type == "league" else (),
    )


def _check_round(
    checks: Checks, pointer: str, claim: RoundClaim, *, points_count: bool
) -> CheckedRound | None:
    seats = [
        checks.check_seat(f"{pointer}/players/{place}", seat, points_count=points_count)
        for place, seat in enumerate(claim.players)
    ]
    checks.check_round(pointer, claim)
    checks.check_table(pointer, [None if seat is None else seat.person for seat in seats])
    return CheckedRound(
        seats=tuple(seat for seat in seats if seat is not None),
        games_played=claim.players[0].games_played,
        wall_games=claim.wall_games,
        ref=claim.ref,
    )


def _check_precision(checks: Checks, document: dict[str, Any]) -> None:
    """Look at the digits as they were sent, since a binary number drops those far behind."""
    for number, each in enumerate(document["rounds"]):
        for place, seat in enumerate(each["players"]):
            sent = seat.get("points")
            if not isinstance(sent, Decimal) or has_two_decimals(sent):
                continue
            if has_two_decimals(Decimal(repr(float(sent)))):
                checks.note_too_precise(f"/rounds/{number}/players/{place}/points")


def _check_parts(checks: Checks, document: object, *, source: str, today_latest: date) -> None:
    """Check what is well-formed of a document that as a whole is not."""
    if not isinstance(document, dict):
        return
    source_id, day, game_type = (
        document.get(name) for name in ("source_id", "session_date", "game_type")
    )
    if isinstance(source_id, str):
        checks.check_source(source_id, source)
    if isinstance(day, str):
        checks.check_date(day, today_latest)
    rounds = document.get("rounds")
    if not isinstance(rounds, list):
        return
    points_count = game_type in {"league", "tournament"}
    for number, each in enumerate(rounds[:100]):
        _check_round_parts(checks, f"/rounds/{number}", each, points_count=points_count)


def _check_round_parts(
    checks: Checks, pointer: str, document: object, *, points_count: bool
) -> None:
    whole = _part(RoundClaim, document)
    if whole is not None:
        _check_round(checks, pointer, whole, points_count=points_count)
        return
    players = document.get("players") if isinstance(document, dict) else None
    if not isinstance(players, list):
        return
    people: list[Person | None] = []
    for place, each in enumerate(players[:4]):
        seat = _part(SeatClaim, each)
        if seat is None:
            people.append(None)
            continue
        where = f"{pointer}/players/{place}"
        checked = checks.check_seat(where, seat, points_count=points_count)
        people.append(None if checked is None else checked.person)
    checks.check_table(pointer, [*people, None])


def _part(model: type[Part], document: object) -> Part | None:
    try:
        return model.model_validate(document)
    except ValidationError:
        return None
