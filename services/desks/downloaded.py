"""What nights that are not sent yet say of somebody who downloads everything stored about them."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg
import orjson

from services.desks.own_list import bare, listed_people
from services.site.desk.night.roster import Roster
from services.site.desk.night.seated import AtTable, WhoSits, seats_of
from services.site.desk.night.typed import from_document

READ: Final = """
SELECT source, state, night, changed_at FROM mahjic.night_drafts
WHERE named && $1 AND state <> 'sent' ORDER BY source, changed_at, draft_id
"""


class _Somebody(Protocol):
    @property
    def player_ids(self) -> Sequence[str]: ...

    @property
    def addresses(self) -> Sequence[str]: ...


class DraftSection:
    """Nights that somebody is named in: their own lines, and nobody else's."""

    name = "nights_not_sent"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def about(self, person: _Somebody) -> AsyncIterator[Mapping[str, Any]]:
        """Yield each night as values that JSON can hold."""
        whose = {*person.player_ids, *person.addresses}
        async with self._pool.acquire() as connection:
            for row in await connection.fetch(READ, list(whose)):
                roster = Roster(await listed_people(connection, row["source"]))
                night = orjson.loads(row["night"])
                yield {
                    "source": row["source"],
                    "state": row["state"],
                    "changed_at": row["changed_at"],
                    "day": night["day"],
                    "game_type": night["kind"],
                    "lines": list(_lines_of(night, roster, whose)),
                }


def _lines_of(
    kept: Mapping[str, Any], roster: Roster, whose: set[str]
) -> Iterator[Mapping[str, Any]]:
    night = from_document(kept)
    seated = WhoSits(night, roster)
    for table, _place, seat in seats_of(night):
        who = seated.who(seat.who) if seat.who else None
        if isinstance(who, AtTable) and not whose.isdisjoint({who.player_id, bare(who.sent)}):
            yield {
                "round": table + 1,
                "typed": seat.who,
                "won": seat.won,
                "points": seat.points,
            }
