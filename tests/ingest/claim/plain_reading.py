"""Reads claims in a second way: by pydantic's model for the form, then rule by rule over the rest.

It shares with the service the model, the words of the rules, and whom a text names; not the walk,
nor how it decides that nothing is wrong, nor how it takes points from a text.
"""

import json
from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from services.ingest.claim.claims import CorrectionClaim, LineClaim, SessionClaim
from services.ingest.claim.people import UnreadablePerson, read_name, read_person
from shared.documents import parse_strictly
from shared.errors import ClaimRefused

FORMS: dict[str, TypeAdapter[Any]] = {
    "session": TypeAdapter(SessionClaim),
    "line": TypeAdapter(LineClaim),
    "correction": TypeAdapter(CorrectionClaim),
}
Found = set[tuple[str, str]]


def mistakes_by_definition(form: str, raw: bytes, *, source: str, today_latest: date) -> Found:
    """Return the pointer and code of all that is wrong with a claim that is JSON."""
    of_form = _of_form(form, raw)
    if of_form == {("", "too_many_values")}:
        return of_form  # Nothing else is looked at in so large a document.
    return of_form | _of_rules(json.loads(raw, parse_float=Decimal), source, today_latest)


def _of_form(form: str, raw: bytes) -> Found:
    try:
        parse_strictly(FORMS[form], raw)
    except ClaimRefused as refused:
        return {(each.pointer, each.code) for each in refused.mistakes}
    return set()


def _of_rules(document: Any, source: str, today_latest: date) -> Found:
    found: Found = set()
    source_id, day = text(document, "source_id"), text(document, "session_date")
    if source_id not in (None, source):
        found.add(("/source_id", "source_mismatch"))
    if day is not None:
        found |= {("/session_date", code) for code in _wrong_with_date(day, today_latest)}
    rounds = listed(document, "rounds")[:100]
    has_points = text(document, "game_type") in {"league", "tournament"}
    refs: list[str] = []
    for number, played in enumerate(rounds):
        ref = text(played, "ref")
        if ref is not None and any(not each.isprintable() for each in ref):
            found.add((f"/rounds/{number}/ref", "invalid_ref"))
        if ref in refs:
            found.add((f"/rounds/{number}/ref", "ref_repeated"))
        refs += [] if ref is None else [ref]
        found |= _of_round(f"/rounds/{number}", played, has_points=has_points)
    return found


def _wrong_with_date(day: str, today_latest: date) -> set[str]:
    try:
        played = date.fromisoformat(day)
    except ValueError:
        return {"invalid_date"}
    if played.isoformat() != day:
        return {"invalid_date"}
    early = {"date_too_early"} if played < date(1900, 1, 1) else set()
    return early | ({"date_in_future"} if played > today_latest else set())


def _of_round(pointer: str, played: Any, *, has_points: bool) -> Found:
    found: Found = set()
    players = listed(played, "players")
    is_table = 2 <= len(players) <= 4
    people: list[tuple[str, str] | None] = []
    for place, seat in enumerate(players[:4]):
        where = f"{pointer}/players/{place}"
        person = None
        if (email := text(seat, "email")) is not None:
            try:
                person = read_person(email)
            except UnreadablePerson as error:
                found.add((f"{where}/email", error.code))
        if (name := text(seat, "name")) is not None:
            try:
                read_name(name)
            except UnreadablePerson as error:
                found.add((f"{where}/name", error.code))
        if has_points and isinstance(seat, dict):
            found |= {(f"{where}/points", code) for code in _wrong_with_points(seat.get("points"))}
        whom = None if person is None else (person.kind, person.key)
        if whom is not None and whom in people:
            code = "two_bobs" if whom[0] == "bob" else "player_twice"
            found.add((f"{where}/email", code))
        people.append(whom)
    kinds = Counter("nobody" if each is None else each[0] for each in people)
    if is_table and not kinds["nobody"] and len(people) - kinds["bob"] < 2:
        found.add((f"{pointer}/players", "too_few_players"))
    return found | (_of_games(pointer, played, players) if is_table else set())


def _of_games(pointer: str, played: Any, players: list[Any]) -> Found:
    games = [whole(seat, "games_played") for seat in players]
    told = {each for each in games if each is not None}
    if len(told) > 1:
        return {(f"{pointer}/players", "games_played_differ")}
    parts = [whole(seat, "mahjongs") for seat in players] + [whole(played, "wall_games")]
    if told and None not in parts and sum(each or 0 for each in parts) != min(told):
        return {(pointer, "round_does_not_add_up")}
    return set()


def _wrong_with_points(points: Any) -> set[str]:
    if points is None:
        return {"points_missing"}
    if type(points) not in (int, Decimal):
        return set()
    if abs(points) > 1_000_000:
        return {"out_of_range"}
    # By the digits as they are written: nothing but zeros stands beyond the second decimal.
    _, digits, exponent = Decimal(points).as_tuple()
    assert isinstance(exponent, int)
    behind = digits[max(0, len(digits) + exponent + 2) :] if exponent < -2 else ()
    return {"points_too_precise"} if any(behind) else set()


def text(node: Any, name: str) -> str | None:
    value = node.get(name) if isinstance(node, dict) else None
    return value if isinstance(value, str) and len(value) <= 400 else None


def whole(node: Any, name: str) -> int | None:
    value = node.get(name) if isinstance(node, dict) else None
    return value if type(value) is int and 0 <= value <= 200 else None


def listed(node: Any, name: str) -> list[Any]:
    value = node.get(name) if isinstance(node, dict) else None
    return value if isinstance(value, list) else []
