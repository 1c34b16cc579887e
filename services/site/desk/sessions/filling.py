"""Fills the form of a night with a session on record, so that it can be corrected. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from services.site.desk.night.roster import BOB, Listed, Roster, folded
from services.site.desk.night.seated import ANONYMOUS, PRIVATE
from services.site.desk.night.typed import SEATS, TypedGuest, TypedNight, TypedSeat, TypedTable
from services.site.kit.words import shown_points
from shared.answers.seen import ERASED, NOT_SHOWN

_NOBODY: Final = frozenset({ERASED, NOT_SHOWN})


def filled_night(claim: Mapping[str, Any], roster: Roster) -> TypedNight:
    """Return a session as it would be typed: names of the club's list, otherwise addresses.

    Anyone who is no longer on record leaves an empty field with the results beside it, so that the
    form asks who sat there.
    """
    guests: dict[str, TypedGuest] = {}
    tables = [
        _table(number, played, roster, guests) for number, played in enumerate(claim["rounds"], 1)
    ]
    return TypedNight(
        claim["session_date"], claim["game_type"], tuple(tables), tuple(guests.values())
    )


def _table(
    number: int, played: Mapping[str, Any], roster: Roster, guests: dict[str, TypedGuest]
) -> TypedTable:
    players: Sequence[Mapping[str, Any]] = played["players"]
    seats = [
        TypedSeat(
            _who(seat["email"], roster, guests),
            str(seat["mahjongs"]),
            shown_points(seat["points"]) if "points" in seat else "",
        )
        for seat in players
    ]
    empty = [TypedSeat()] * (SEATS - len(seats))
    wall = str(played["wall_games"] or "")
    return TypedTable(number, str(players[0]["games_played"]), wall, (*seats, *empty))


def _who(sent: str, roster: Roster, guests: dict[str, TypedGuest]) -> str:
    """Return what to type for somebody."""
    if sent in _NOBODY:
        return ""
    bare = folded(sent.removeprefix(PRIVATE))
    for each in (*roster.people, BOB):
        if folded(each.sent.removeprefix(PRIVATE)) == bare and _is_meant(each, roster):
            return each.label
    if sent.startswith(ANONYMOUS):
        nickname = sent.removeprefix(ANONYMOUS)
        guests.setdefault(folded(nickname), TypedGuest(nickname, "anonymous"))
        return nickname
    return sent


def _is_meant(listed: Listed, roster: Roster) -> bool:
    """Return whether typing somebody's whole name means them and nobody else."""
    return roster.find(listed.label).one == listed
