"""What nights that are not sent yet say of somebody who downloads everything stored about them."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg
import orjson

from services.desks.own_list import bare, listed_in, listed_people, names_on
from services.site.desk.night.roster import Roster
from services.site.desk.night.seated import AtTable, WhoSits, seats_of
from services.site.desk.night.typed import from_document
from shared.sheets.addressed import addresses_in
from shared.sheets.cells import Cell, Sheet
from shared.sheets.drawn import from_drawn

READ: Final = """
SELECT source, state, night, changed_at, sheet FROM mahjic.night_drafts
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
                people = await listed_people(connection, row["source"])
                night = orjson.loads(row["night"])
                lines: Iterator[Mapping[str, Any]]
                if row["sheet"] is None:
                    lines = _lines_of(night, Roster(people), whose)
                else:
                    lines = _rows_of(row["sheet"], names_on(people), whose)
                yield {
                    "source": row["source"],
                    "state": row["state"],
                    "changed_at": row["changed_at"],
                    "day": night["day"],
                    "game_type": night.get("kind", ""),
                    "lines": list(lines),
                }


def _rows_of(
    kept: str, names: Mapping[str, Sequence[str]], whose: set[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of an uploaded sheet that name somebody, without cells that name others."""
    for sheet in from_drawn(orjson.loads(kept)["sheets"]):
        for number, row in enumerate(sheet.rows, start=1):
            if not whose.isdisjoint(_named_in(row, names)):
                cells = [each.text for each in row if whose.issuperset(_named_in([each], names))]
                yield {"row": number, "cells": [text for text in cells if text]}


def _named_in(cells: Sequence[Cell], names: Mapping[str, Sequence[str]]) -> set[str]:
    return {*addresses_in([Sheet(None, [cells])]), *listed_in(cells, names)}


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
