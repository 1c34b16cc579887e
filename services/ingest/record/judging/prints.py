"""Takes fingerprints of what was played, over player ids, to recognize what is sent twice.

Pure. Nothing can be read back from a print. It holds no address, name or ref.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from services.ingest.claim.checks import CheckedSession
from shared.events.facts import SessionSubmitted

PRINT_BYTES: Final = 16


class RoundPrint(NamedTuple):
    """What makes two rounds the same. `base` is the print of date, people, games and mahjongs.

    `points` is None in social games. `ref` is None if the source gave none.
    """

    base: bytes
    points: bytes | None
    ref: bytes | None


def round_prints(
    session: CheckedSession, players: Sequence[Sequence[str]], source: str
) -> tuple[RoundPrint, ...]:
    """Return the prints of each round. `players` says who each seat is read as."""
    has_points = session.game_type != "social"
    return tuple(
        _round_print(
            session.session_date,
            played.games_played,
            [
                (player_id, seat.mahjongs, seat.points_centi if has_points else None)
                for player_id, seat in zip(ids, played.seats, strict=True)
            ],
            ref=None if played.ref is None else _print("ref", source, played.ref),
        )
        for played, ids in zip(session.rounds, players, strict=True)
    )


def fact_prints(
    fact: SessionSubmitted, survivors: Mapping[str, str], refs: Sequence[bytes | None]
) -> tuple[RoundPrint, ...]:
    """Return the prints of each round of a fact, with the prints of the refs as they were kept.

    `survivors` says who each merged player is read as. Refs are not on the log.
    """
    return tuple(
        _round_print(
            fact.session_date,
            played.games_played,
            list(
                zip(
                    (survivors.get(each, each) for each in played.players),
                    played.mahjongs,
                    played.points_centi or [None] * len(played.players),
                    strict=True,
                )
            ),
            ref=ref,
        )
        for played, ref in zip(fact.rounds, refs, strict=True)
    )


def _round_print(
    session_date: str,
    games_played: int,
    seats: Sequence[tuple[str, int, int | None]],
    *,
    ref: bytes | None,
) -> RoundPrint:
    """Return the print of a round. A seat is a player, mahjongs, and points if they count.

    One person can have two seats only if the round was voided before the two ids were merged.
    """
    has_points = None not in [centi for _, _, centi in seats]
    in_order = sorted(seats if has_points else [(*seat[:2], seat[2] or 0) for seat in seats])
    base = [f"{player_id}:{mahjongs}" for player_id, mahjongs, _ in in_order]
    points = [f"{player_id}:{centi}" for player_id, _, centi in in_order] if has_points else None
    return RoundPrint(
        _print("round", session_date, str(games_played), *base),
        None if points is None else _print("points", *points),
        ref,
    )


def content_print(
    session: CheckedSession | SessionSubmitted, prints: Sequence[RoundPrint], source: str
) -> bytes:
    """Return the print of a whole session of one source.

    The order of players and fields does not matter. The order of rounds does.
    """
    rounds = [
        one.hex() if one is not None else "none"
        for each in prints
        for one in (each.base, each.points, each.ref)
    ]
    return _print("session", source, session.session_date, session.game_type, *rounds)


def columns_of(
    sessions: Iterable[tuple[str, Sequence[RoundPrint]]],
) -> tuple[list[str], list[int], list[bytes], list[bytes | None]]:
    """Return the prints of sessions as columns: the session, the round, its base and its points."""
    rounds = [
        (session_id, number, each)
        for session_id, of_session in sessions
        for number, each in enumerate(of_session, start=1)
    ]
    return (
        [session_id for session_id, _, _ in rounds],
        [number for _, number, _ in rounds],
        [each.base for _, _, each in rounds],
        [each.points for _, _, each in rounds],
    )


def request_print(content: bytes, *, allow_duplicate: bool) -> bytes:
    """Return the print that requests with the same Idempotency-Key share."""
    return _print("request", content.hex(), str(allow_duplicate))


def void_print(session_id: str, reason: str) -> bytes:
    """Return the print that requests to void a session with the same key share.

    The note is not part of it: once it is erased, nothing may be left that reveals it.
    """
    return _print("void", session_id, reason)


def key_print(source: str, method: str, path: str, key: str) -> bytes:
    """Return the print of an Idempotency-Key. A key is local to its source, method and path."""
    return _print("key", source, method, path, key)


def _print(*parts: str) -> bytes:
    """Hash texts as a JSON list, so that no two different lists give the same bytes."""
    return hashlib.blake2b(orjson.dumps(parts), digest_size=PRINT_BYTES).digest()
