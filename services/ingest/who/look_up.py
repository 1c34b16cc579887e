"""Looks people up by what a source called them. It registers no one, and reveals no strangers.

For a public player, a source sees the current standing. For a private or anonymous one, it sees the
last numbers that its own sessions gave it, and nothing later (docs/privacy.md).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import asyncpg

from services.ingest.claim.people import Person, UnreadablePerson, read_person
from services.ingest.who.answers import FoundPerson, LastSession, LookUpAnswer, NamedBy
from services.ingest.who.queries import (
    FOUND_MAX,
    find_ids,
    find_name,
    find_person,
    last_sessions,
    names_sent,
)
from shared.answers import points
from shared.answers.seen import Seated, called
from shared.events.verdicts import SessionRated
from shared.rating.registry import START_CENTI
from shared.replay.session_rating import Standing
from shared.seated import read_people


class _Numbers(NamedTuple):
    """What is shown of a standing: nothing by default."""

    rating: float | None = None
    games: int | None = None
    verified_rating: float | None = None
    verified_games: int | None = None
    is_verified: bool | None = None


class _Told(NamedTuple):
    """What a source's last own session said about someone."""

    last_session: LastSession | None
    numbers: _Numbers


_NOTHING_TOLD: Final = _Told(None, _Numbers())


@dataclass(frozen=True, slots=True)
class WhoPorts:
    """What looking people up needs from outside.

    `standings` returns players' current standings, and the fact they are as of. `rated` returns the
    verdicts on sessions.
    """

    pool: asyncpg.Pool
    standings: Callable[[Sequence[str]], Awaitable[tuple[int, Mapping[str, Any]]]]
    rated: Callable[[Sequence[str]], Awaitable[Mapping[str, SessionRated]]]


async def look_up(
    who: str | None, player_ids: Sequence[str], *, source: str | None, ports: WhoPorts
) -> LookUpAnswer:
    """Return the people that a text or some ids mean to a source, or to the operator (None).

    Raises UnreadablePerson for a text that looks like an address but is not one, and
    LookUpTakesTooLong.
    """
    if who is None:
        found = await find_ids(ports.pool, player_ids, source=source)
        shown = found
    else:
        found = await _find(who, source=source, ports=ports)
        shown = found[:FOUND_MAX]
    people = await read_people(ports.pool.fetch, shown, source=source)
    seq, standings = await ports.standings(
        [each.survivor_id for each in people.values() if each.is_public or source is None]
    )
    names = await names_sent(ports.pool, shown, source=source)
    told = await _told_by(source, people, ports)
    return {
        "seq": seq,
        "people": [
            _person(
                someone,
                told.get(someone.player_id, _NOTHING_TOLD),
                standings.get(someone.survivor_id),
                names.get(someone.player_id, []),
                source,
            )
            for someone in people.values()
        ],
        "has_more": len(found) > len(shown),
    }


async def _find(who: str, *, source: str | None, ports: WhoPorts) -> Sequence[str]:
    person = _read(who)
    if person is None:
        return await find_name(ports.pool, who, source=source)
    return await find_person(ports.pool, person, source=source)


def _read(who: str) -> Person | None:
    """Return the address or nickname that a text is, or None for part of a name."""
    try:
        return read_person(who)
    except UnreadablePerson:
        if "@" in who or ":" in who:
            raise
        return None


def _person(
    someone: Seated,
    told: _Told,
    standing: Any,  # noqa: ANN401 - A row of the profiles, or None.
    names: Sequence[tuple[str, str | None]],
    source: str | None,
) -> FoundPerson:
    player_id = someone.survivor_id
    is_anonymous = player_id.startswith("AN-")
    is_operator = source is None
    numbers = _now(standing) if is_operator or someone.is_public else told.numbers
    named_by: list[NamedBy] = [{"source": by, "name": name} for by, name in names]
    return {
        "player_id": player_id,
        "mahjic_id": None if is_anonymous else player_id,
        "player": someone.address if is_operator else called(someone, "own"),
        "privacy": ("anonymous" if is_anonymous else "public" if someone.is_public else "private"),
        "last_session": told.last_session,
        "rating": numbers.rating,
        "games": numbers.games,
        "verified_rating": numbers.verified_rating,
        "verified_games": numbers.verified_games,
        "is_verified": numbers.is_verified,
        "name": None if is_operator else next((name for _, name in names), None),
        "named_by": named_by if is_operator else [],
    }


def _now(standing: Any) -> _Numbers:  # noqa: ANN401 - A row of the profiles, or None.
    if standing is None:
        return _Numbers(points(START_CENTI), 0, points(START_CENTI), 0, is_verified=False)
    return _Numbers(
        points(standing["rating_centi"]),
        standing["games"],
        points(standing["verified_rating_centi"]),
        standing["verified_games"],
        standing["is_verified"],
    )


async def _told_by(
    source: str | None, people: Mapping[str, Seated], ports: WhoPorts
) -> dict[str, _Told]:
    """Return what a source's last own session said about each player. Empty for the operator."""
    if source is None or not people:
        return {}
    sessions = await last_sessions(ports.pool, list(people), source=source)
    asked = {session_id for last in sessions.values() for session_id, _ in last}
    rated = await ports.rated(sorted(asked)) if asked else {}
    told: dict[str, _Told] = {}
    for player_id, last in sessions.items():
        session_id, day = next((each for each in last if each[0] in rated), last[0])
        told[player_id] = _Told(
            {"session_id": session_id, "session_date": day},
            _last_numbers(rated.get(session_id), player_id),
        )
    return told


def last_standing(rated: SessionRated, player_id: str) -> Standing | None:
    """Return a player's standing after a session, by the id in its fact."""
    for played in reversed(rated.rounds):
        on_fact = played.played_as or played.players
        if player_id in on_fact:
            seat = on_fact.index(player_id)
            return Standing(
                played.rating_before[seat] + played.rating_change[seat],
                played.games_after[seat],
                played.verified_rating_before[seat] + played.verified_rating_change[seat],
                played.verified_games_after[seat],
                bool(played.is_verified[seat]),
            )
    return None


def _last_numbers(rated: SessionRated | None, player_id: str) -> _Numbers:
    standing = None if rated is None else last_standing(rated, player_id)
    if standing is None:
        return _Numbers()
    return _Numbers(
        points(standing.rating_centi),
        standing.games,
        points(standing.verified_rating_centi),
        standing.verified_games,
    )
