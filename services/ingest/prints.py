"""Takes fingerprints of what was played, over player ids, to recognise what comes twice.

Pure. Nothing can be read back from a print; no address, name or ref is in it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from services.ingest.checks import CheckedSession

PRINT_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class RoundPrint:
    """What makes a round the same as another: `base` of date, people, games and mahjongs.

    `points` is None in social games; `ref` is None where the source gave none.
    """

    base: bytes
    points: bytes | None
    ref: bytes | None


def round_prints(
    session: CheckedSession, players: Sequence[Sequence[str]], source: str
) -> tuple[RoundPrint, ...]:
    """Return the prints of each round; `players` holds the id of each seat."""
    return tuple(_round_print(session, number, ids, source) for number, ids in enumerate(players))


def _round_print(
    session: CheckedSession, number: int, ids: Sequence[str], source: str
) -> RoundPrint:
    played = session.rounds[number]
    seats = sorted(zip(ids, played.seats, strict=True), key=lambda each: each[0])
    base = [session.session_date, str(played.games_played)]
    base += [f"{player_id}:{seat.mahjongs}" for player_id, seat in seats]
    points = [f"{player_id}:{seat.points_centi}" for player_id, seat in seats]
    return RoundPrint(
        base=_print("round", *base),
        points=None if session.game_type == "social" else _print("points", *points),
        ref=None if played.ref is None else _print("ref", source, played.ref),
    )


def content_print(session: CheckedSession, prints: Sequence[RoundPrint], source: str) -> bytes:
    """Return the print of a whole session of one source.

    The order of players and fields does not matter, the order of rounds does.
    """
    rounds = [
        part.hex() if part is not None else "none"
        for each in prints
        for part in (each.base, each.points, each.ref)
    ]
    return _print("session", source, session.session_date, session.game_type, *rounds)


def request_print(content: bytes, *, allow_duplicate: bool) -> bytes:
    """Return the print that requests with the same Idempotency-Key share."""
    return _print("request", content.hex(), str(allow_duplicate))


def key_print(source: str, method: str, path: str, key: str) -> bytes:
    """Return the print of an Idempotency-Key, which holds per source, method and path."""
    return _print("key", source, method, path, key)


def _print(*parts: str) -> bytes:
    """Hash texts as a JSON list, so that no two different lists give the same bytes."""
    return hashlib.blake2b(orjson.dumps(parts), digest_size=PRINT_BYTES).digest()
