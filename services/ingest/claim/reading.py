"""Reads the body of a submission into a lawful session, or refuses it with every mistake in it.

Pure. The shape is checked first, by the claim's model. Then the rules look at every part of the
document that is well-formed, also when others are not, so that one mistake never hides another.
"""

from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from services.ingest.claim.checks import (
    CheckedRound,
    CheckedSeat,
    CheckedSession,
    Checks,
    IfSimilar,
    warnings_of,
)
from services.ingest.claim.claims import CorrectionClaim, LineClaim, SessionClaim
from services.ingest.claim.people import TEXT_CHARACTERS_MAX, Person
from shared.errors import ClaimRefused
from shared.http.bodies import checked, read_document

Claim = TypeVar("Claim", bound=SessionClaim)

CLAIM: Final = TypeAdapter(SessionClaim)
LINE: Final = TypeAdapter(LineClaim)
CORRECTION: Final = TypeAdapter(CorrectionClaim)
# The limits of the claim's model. What lies beyond is refused by it, and not looked at further.
ROUNDS_MAX: Final = 100
SEATS_MAX: Final = 4
GAMES_MAX: Final = 200


def read_session(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> CheckedSession:
    """Return the session of a request body.

    `today_latest` is today's date in the latest time zone on earth, `if_similar` holds where the
    session does not say it. Raises MalformedJson, or ClaimRefused with every mistake.
    """
    _, session = _read(CLAIM, raw, source=source, today_latest=today_latest, if_similar=if_similar)
    return session


def read_line(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> tuple[LineClaim, CheckedSession]:
    """Return the claim of a line of a batch, and the session in it; raises as `read_session`."""
    return _read(LINE, raw, source=source, today_latest=today_latest, if_similar=if_similar)


def read_correction(
    raw: bytes, *, source: str, today_latest: date, if_similar: IfSimilar = "warn"
) -> tuple[CorrectionClaim, CheckedSession]:
    """Return the claim of a correction, and the session in it; raises the same as `read_session`.

    `source` is that of the session that is corrected.
    """
    return _read(CORRECTION, raw, source=source, today_latest=today_latest, if_similar=if_similar)


def _read(
    adapter: TypeAdapter[Claim],
    raw: bytes,
    *,
    source: str,
    today_latest: date,
    if_similar: IfSimilar,
) -> tuple[Claim, CheckedSession]:
    document = read_document(raw)
    try:
        claim = checked(adapter, document)
    except ClaimRefused as refused:
        checks = Checks(refused.mistakes)
        _read_parts(checks, document.value, source=source, today_latest=today_latest)
        checks.refuse_if_any()
        raise
    checks = Checks()
    rounds = _read_parts(checks, document.value, source=source, today_latest=today_latest)
    checks.refuse_if_any()
    session = CheckedSession(
        session_date=claim.session_date,
        game_type=claim.game_type,
        rounds=rounds,
        allow_duplicate=claim.allow_duplicate,
        warnings=tuple(warnings_of(rounds, claim.game_type)),
        is_whole_night=claim.whole_night,
        if_similar=claim.if_similar or if_similar,
    )
    return claim, session


def _read_parts(
    checks: Checks, document: object, *, source: str, today_latest: date
) -> tuple[CheckedRound, ...]:
    """Return the rounds that are whole, and note every mistake in what is well-formed."""
    source_id, day = _text(document, "source_id"), _text(document, "session_date")
    if source_id is not None:
        checks.check_source(source_id, source)
    if day is not None:
        checks.check_date(day, today_latest)
    rounds = _list(document, "rounds")[:ROUNDS_MAX]
    checks.check_refs([_text(each, "ref") for each in rounds])
    points_count = _text(document, "game_type") in {"league", "tournament"}
    read = (
        _read_round(checks, f"/rounds/{number}", each, points_count=points_count)
        for number, each in enumerate(rounds)
    )
    return tuple(each for each in read if each is not None)


def _read_round(
    checks: Checks, pointer: str, document: object, *, points_count: bool
) -> CheckedRound | None:
    players = _list(document, "players")
    seats = [(f"{pointer}/players/{place}", each) for place, each in enumerate(players[:SEATS_MAX])]
    people = [_read_person(checks, where, seat) for where, seat in seats]
    names = [_read_name(checks, where, seat) for where, seat in seats]
    is_table = 2 <= len(players) <= SEATS_MAX
    checks.check_table(pointer, people, names, is_whole=is_table and None not in people)
    games = [_whole(seat, "games_played") for _, seat in seats]
    wall_games = _whole(document, "wall_games")
    if is_table:
        mahjongs = [_whole(seat, "mahjongs") for _, seat in seats]
        checks.check_games(pointer, games, mahjongs, wall_games)
    read = [
        _read_seat(checks, where, seat, person, name, points_count=points_count)
        for (where, seat), person, name in zip(seats, people, names, strict=True)
    ]
    whole_seats = tuple(each for each in read if each is not None)
    if wall_games is None or not games or games[0] is None:
        return None
    return CheckedRound(whole_seats, games[0], wall_games, _text(document, "ref"))


def _read_person(checks: Checks, pointer: str, seat: object) -> Person | None:
    text = _text(seat, "email")
    return None if text is None else checks.read_person(f"{pointer}/email", text)


def _read_name(checks: Checks, pointer: str, seat: object) -> str | None:
    text = _text(seat, "name")
    return None if text is None else checks.read_name(f"{pointer}/name", text)


def _read_seat(
    checks: Checks,
    pointer: str,
    seat: object,
    person: Person | None,
    name: str | None,
    *,
    points_count: bool,
) -> CheckedSeat | None:
    points_centi = _read_points_centi(checks, f"{pointer}/points", seat) if points_count else 0
    text, mahjongs = _text(seat, "email"), _whole(seat, "mahjongs")
    if person is None or text is None or mahjongs is None:
        return None
    # Only somebody with an address can ever claim a profile, so no other name is kept.
    kept_name = name if person.kind == "person" else None
    return CheckedSeat(person, text, mahjongs, points_centi, kept_name)


def _read_points_centi(checks: Checks, pointer: str, seat: object) -> int:
    match _member(seat, "points"):
        case None if isinstance(seat, dict):
            checks.note_points_missing(pointer)
        case int() | Decimal() as points:
            return checks.read_points_centi(pointer, Decimal(points))
    return 0


def _member(document: object, name: str) -> Any:  # noqa: ANN401 - JSON is what it is.
    return document.get(name) if isinstance(document, dict) else None


def _text(document: object, name: str) -> str | None:
    value = _member(document, name)
    is_text = isinstance(value, str) and len(value) <= TEXT_CHARACTERS_MAX
    return value if is_text else None


def _whole(document: object, name: str) -> int | None:
    value = _member(document, name)
    return value if type(value) is int and 0 <= value <= GAMES_MAX else None


def _list(document: object, name: str) -> list[Any]:
    value = _member(document, name)
    return value if isinstance(value, list) else []
