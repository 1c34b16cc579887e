"""Holds a record that is shown against its leaf, and against the numbers of a change. Pure."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from services.cli.checking.arithmetic import PoolName, centi
from services.cli.checking.found import DoesNotHold, same
from services.projections.history.answers import Correction, PoolChange, Why
from services.transparency.proving.answers import ProvedRecord
from shared.events.codec import Fact, UnknownEventType, Verdict, decode_fact, decode_verdict
from shared.events.facts import session_of
from shared.events.fields import UnreadableRecord
from shared.events.verdicts import RatedRound, RatingsCorrected, SessionRated
from shared.rating.formula import Seat
from shared.rating.registry import formula_named
from shared.tlog.hashes import HASH_BYTES, leaf_hash
from shared.tlog.leaves import entry

_PREFIXES: Final = {"mahjic": "", "verified": "verified_"}


def hash_in(text: str, what: str) -> bytes:
    """Return a hash or salt from its text. Raises DoesNotHold."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        data = b""
    if len(data) != HASH_BYTES or base64.b64encode(data).decode() != text:
        raise DoesNotHold(f"{what} is not 32 bytes in base64.")
    return data


def check_leaf_of(proved: ProvedRecord) -> None:
    """Check that a record which is shown makes its leaf. Raises DoesNotHold."""
    shown = proved["record"]
    if shown is None:
        return
    salt = hash_in(shown["salt"], "The salt")
    hidden = hash_in(shown["chains_hash"], "chains_hash")
    leaf = leaf_hash(entry(salt, shown["body"].encode(), hidden))
    if leaf != hash_in(proved["leaf_hash"], "leaf_hash"):
        raise DoesNotHold(
            f"The record that is shown as number {proved['seq']} of the {proved['log']} is not "
            "what its leaf holds: the record, its salt or its chains_hash was altered."
        )


def check_fact(why: Why | Correction, proved: ProvedRecord) -> Fact | None:
    """Check a fact that is shown against a change. Raises DoesNotHold."""
    same("The number of the fact", proved["seq"], why["fact_seq"])
    if proved["record"] is None:
        return None
    try:
        fact = decode_fact(proved["record"]["body"].encode())
    except (UnreadableRecord, UnknownEventType) as error:
        raise DoesNotHold(f"The fact cannot be read: {error}") from None
    same("The number in the fact", fact.seq, proved["seq"])
    if why["type"] == "round":
        session = session_of(fact.event)
        same("session_id of the fact", session and session.session_id, why["session_id"])
    return fact


def check_verdict(why: Why | Correction, moved: str, proved: ProvedRecord) -> Verdict | None:
    """Check a verdict that is shown against a change of a player. Raises DoesNotHold."""
    shown = proved["record"]
    if shown is None:
        return None
    try:
        verdict = decode_verdict(shown["body"].encode())
    except (UnreadableRecord, UnknownEventType) as error:
        raise DoesNotHold(f"The verdict cannot be read: {error}") from None
    same("The fact that the verdict answers", verdict.answers.fact_seq, why["fact_seq"])
    if why["type"] == "correction":
        _check_corrected(why, moved, verdict.event)
    else:
        _check_rated(why, moved, verdict)
    return verdict


def check_played(fact: Fact, verdict: Verdict, round_number: int) -> None:
    """Check that a verdict rated a round as the fact has it. Raises DoesNotHold."""
    session, rated = session_of(fact.event), verdict.event
    if session is None or not isinstance(rated, SessionRated):
        return
    if round_number > len(session.rounds):
        raise DoesNotHold(f"The fact has no round {round_number}.")
    played, seen = session.rounds[round_number - 1], rated.rounds[round_number - 1]
    same("Who played, by the verdict,", seen.played_as or seen.players, played.players)
    for name in ("games_played", "wall_games", "mahjongs", "points_centi"):
        same(f"{name} by the verdict", getattr(seen, name), getattr(played, name))


def _check_rated(why: Why, moved: str, verdict: Verdict) -> None:
    rated = verdict.event
    number = why["round_number"]
    if not isinstance(rated, SessionRated) or not 0 < number <= len(rated.rounds):
        raise DoesNotHold(f"The verdict has no round {number}.")
    seen = rated.rounds[number - 1]
    if moved not in seen.players:
        raise DoesNotHold(f"The verdict does not have {moved} in round {number}.")
    seat = seen.players.index(moved)
    told = {
        "session_id": rated.session_id,
        "source": rated.source,
        "session_date": rated.session_date,
        "game_type": rated.game_type,
        "formula": verdict.answers.formula,
        "games_played": seen.games_played,
        "mahjongs": seen.mahjongs[seat],
        "points": None if seen.points_centi is None else seen.points_centi[seat] / 100,
    }
    shown: Mapping[str, Any] = {
        **why,
        "source": why["source"]["slug"],
        "session_date": str(why["session_date"]),
    }
    for name, expected in told.items():
        same(name, shown[name], expected)
    _check_pools(why, seen, seat)


def _check_pools(why: Why, seen: RatedRound, seat: int) -> None:
    everyone = range(len(seen.players))
    verified = [place for place in everyone if seen.is_verified[place]]
    _check_reason("mahjic", why, seen, seat, list(everyone))
    is_counted = seat in verified and len(verified) > 1
    same("verified: counted", why["verified"]["counted"], is_counted)
    _check_reason("verified", why, seen, seat, verified)


def _check_reason(name: PoolName, why: Why, seen: RatedRound, seat: int, seats: list[int]) -> None:
    pool, prefix = why[name], _PREFIXES[name]
    ratings = getattr(seen, f"{prefix}rating_before")
    games = getattr(seen, f"{prefix}games_before")
    change = getattr(seen, f"{prefix}rating_change")[seat]
    same(f"{name}: rating_before", centi(pool["rating_before"]), ratings[seat])
    same(f"{name}: games_before", pool["games_before"], games[seat])
    same(f"{name}: rating_change in hundredths", centi(pool["rating_change"]), change)
    if not pool["counted"]:
        return
    table = [
        Seat(
            ratings[place],
            games[place],
            seen.mahjongs[place],
            0 if seen.points_centi is None else seen.points_centi[place],
        )
        for place in seats
    ]
    explained = formula_named(why["formula"]).explain_seat(
        table, seats.index(seat), points_count=seen.points_centi is not None
    )
    same(f"{name}: what the formula gives", explained.change_centi, change)
    shown = [(line["pair_gain_nano"], centi(line["rating_before"])) for line in pool["lines"]]
    expected = [(line.pair_gain_nano, line.other_rating_centi) for line in explained.lines]
    same(f"{name}: the lines", shown, expected)


def _check_corrected(why: Correction, moved: str, corrected: object) -> None:
    if not isinstance(corrected, RatingsCorrected) or moved not in corrected.players:
        raise DoesNotHold(f"The verdict does not correct {moved}.")
    place = corrected.players.index(moved)
    for name, pool in (("mahjic", why["mahjic"]), ("verified", why["verified"])):
        _check_numbers(name, pool, corrected, place)


def _check_numbers(name: str, pool: PoolChange, corrected: RatingsCorrected, place: int) -> None:
    for field in ("rating_before", "rating_change", "games_before", "games_after"):
        shown = pool[field]
        told = getattr(corrected, f"{_PREFIXES[name]}{field}")[place]
        is_rating = field.startswith("rating")
        same(f"{name}: {field}", shown, told / 100 if is_rating else told)
