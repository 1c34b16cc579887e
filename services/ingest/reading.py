"""Reads the body of a submission into a lawful session, or refuses it with every mistake in it.

Pure. A claim of the right shape takes the quick way; of one with mistakes `fragments` still shows
every part that is well-formed to the rules.
"""

import json
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from pydantic import TypeAdapter

from services.ingest.checks import (
    CheckedRound,
    CheckedSeat,
    CheckedSession,
    Checks,
    warnings_of,
)
from services.ingest.claims import RoundClaim, SeatClaim, SessionClaim
from services.ingest.fragments import check_fragments
from shared.errors import ClaimRefused
from shared.http.bodies import parse_strictly

CLAIM: Final = TypeAdapter(SessionClaim)
# A number with more than two decimals, or with an exponent: rare, and worth an exact look.
_LONG_NUMBER: Final = re.compile(rb"[0-9]\.[0-9]{3}|[0-9][eE][+-]?[0-9]")


def read_session(raw: bytes, *, source: str, today_latest: date) -> CheckedSession:
    """Return the session of a request body.

    `today_latest` is today's date in the latest time zone on earth. Raises MalformedJson, or
    ClaimRefused with every mistake.
    """
    try:
        claim = parse_strictly(CLAIM, raw)
    except ClaimRefused as refused:
        checks = Checks(refused.mistakes)
        check_fragments(checks, _read_exactly(raw), source=source, today_latest=today_latest)
        checks.refuse_if_any()
        raise
    return _check_claim(claim, raw, source=source, today_latest=today_latest)


def _check_claim(
    claim: SessionClaim, raw: bytes, *, source: str, today_latest: date
) -> CheckedSession:
    checks = Checks()
    checks.check_source(claim.source_id, source)
    checks.check_date(claim.session_date, today_latest)
    checks.check_refs([each.ref for each in claim.rounds])
    if claim.game_type != "social":
        _check_points(checks, claim.rounds, raw)
    rounds = tuple(
        _check_round(checks, f"/rounds/{number}", each, points_count=claim.game_type != "social")
        for number, each in enumerate(claim.rounds)
    )
    checks.refuse_if_any()
    return CheckedSession(
        session_date=claim.session_date,
        game_type=claim.game_type,
        rounds=rounds,
        allow_duplicate=claim.allow_duplicate,
        warnings=tuple(warnings_of(rounds)) if claim.game_type == "league" else (),
    )
