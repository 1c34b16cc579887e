"""The answer with what was played in a source's sessions, for that source alone. Pure.

Whoever sat there by several ids that are read as one player now is one row. Of each session the
numbers are those that the source was told: what later changes to the past moved is in none of them
(docs/decisions/0039).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting
from shared.answers.seen import Seated, sees


@dataclass(frozen=True, slots=True)
class SatThere:
    """What one id of the facts played. Points and changes are in hundredths.

    `change_centi` is of the rounds that were rated for this id; `reassigned` counts those whose
    seat another player had when it was rated. Without points in any round `points_centi` is None.
    """

    player_id: str
    days: Sequence[date]
    rounds: int
    games: int
    won: int
    points_centi: int | None
    change_centi: int
    reassigned: int


class SeasonPlayer(TypedDict):
    """Somebody who played, as the source may see them.

    `named_ids` are those of their ids that the source has named itself. Nobody but the source may
    be told of somebody who is not `is_public`; an anonymous player is known to the source alone.
    """

    player_id: str
    named_ids: list[str]
    is_public: bool
    is_anonymous: bool
    nights: int
    last_night: date
    rounds: int
    games: int
    won: int
    points_centi: int | None
    change_centi: int
    reassigned: int


class PlayedSeason(TypedDict):
    """What was played in the sessions that count. `players` is None if that is too much to add."""

    correcting: Correcting | None
    sessions: int
    players: list[SeasonPlayer] | None


class PresentRating(TypedDict):
    """Where a public player stands now, over all games, with the name that they chose."""

    name: str | None
    rating_centi: int
    rating: float
    games: int
    band: str
    is_verified: bool


def season_players(sat: Iterable[SatThere], people: Mapping[str, Seated]) -> Sequence[SeasonPlayer]:
    """Return who played, without those whom the source may not see, or who are forgotten."""
    together: dict[str, list[tuple[SatThere, Seated]]] = {}
    for each in sat:
        someone = people.get(each.player_id)
        if someone is None or not sees(someone, "own"):
            continue
        if someone.address is None and someone.nickname is None:
            continue
        together.setdefault(someone.survivor_id, []).append((each, someone))
    return [_player(survivor_id, ids) for survivor_id, ids in sorted(together.items())]


def _player(survivor_id: str, ids: Sequence[tuple[SatThere, Seated]]) -> SeasonPlayer:
    sat = [each for each, _ in ids]
    days = {day for each in sat for day in each.days}
    points = [each.points_centi for each in sat if each.points_centi is not None]
    return {
        "player_id": survivor_id,
        "named_ids": sorted(who.player_id for _, who in ids if who.is_named),
        "is_public": any(who.is_public for _, who in ids),
        "is_anonymous": all(who.nickname is not None for _, who in ids),
        "nights": len(days),
        "last_night": max(days),
        "rounds": sum(each.rounds for each in sat),
        "games": sum(each.games for each in sat),
        "won": sum(each.won for each in sat),
        "points_centi": sum(points) if points else None,
        "change_centi": sum(each.change_centi for each in sat),
        "reassigned": sum(each.reassigned for each in sat),
    }
