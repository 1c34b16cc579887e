"""What people say about sessions they did not play, and what became of it, for themselves."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from services.accounts.logging_in.logins import Login
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.people.disputes import (
    Dispute,
    NothingToDispute,
    dispute,
    disputes_of,
    session_of,
    take_back,
)
from services.ingest.people.own_addresses import KnownPlayer
from services.people.own import players_of_login
from services.site.me.rights import DisputeRefused, OwnDispute
from shared.errors import NotFound

READ_SOURCES: Final = "SELECT slug, name FROM mahjic.listed_sources WHERE slug = ANY($1)"


@dataclass(frozen=True, slots=True)
class Disputing:
    """Keeps the promises of DisputesSessions."""

    accounts: Accounts

    async def look(self, login: Login, session_id: str) -> OwnDispute:
        """Return a session that somebody sits in or has disputed, and what became of it."""

        async def look(connection: Connection) -> OwnDispute:
            for each in await self._said(connection, login):
                if each.session_id == session_id:
                    return each
            _player, seat = await _seat_in(connection, login, session_id)
            names = await _names(connection, [seat["source"]])
            return OwnDispute(
                session_id=session_id,
                day=seat["session_date"],
                source=seat["source"],
                source_name=names.get(seat["source"], seat["source"]),
                counts=seat["status"] == "accepted",
            )

        return await self.accounts.settled(look)

    async def say(self, login: Login, session_id: str, text: str) -> None:
        """Keep what somebody says about a session."""

        async def say(connection: Connection) -> None:
            player, _seat = await _seat_in(connection, login, session_id)
            now = self.accounts.chance.now()
            await dispute(connection, player.player_id, session_id, text, now=now)

        try:
            await self.accounts.settled(say)
        except NothingToDispute as refused:
            raise DisputeRefused(refused.detail) from None

    async def take_back(self, login: Login, session_id: str) -> None:
        """Erase what somebody said about a session."""

        async def erase(connection: Connection) -> None:
            gone = [
                await take_back(connection, player.player_id, session_id)
                for player in await players_of_login(connection, login)
            ]
            if not any(gone):
                raise NotFound("You have said nothing about this session. Load the page again.")

        await self.accounts.settled(erase)

    async def all(self, login: Login) -> list[OwnDispute]:
        """Return everything somebody said about sessions, the newest first."""
        return await self.accounts.settled(lambda c: self._said(c, login))

    async def _said(self, connection: Connection, login: Login) -> list[OwnDispute]:
        players = await players_of_login(connection, login)
        ids = [each for player in players for each in player.player_ids]
        said = await disputes_of(connection, ids, now=self.accounts.chance.now())
        names = await _names(connection, [each.source for each in said])
        return [_shown(each, names) for each in reversed(said)]


async def _seat_in(
    connection: Connection, login: Login, session_id: str
) -> tuple[KnownPlayer, asyncpg.Record]:
    """Return the player of a login who sits in a session, and the session. Raises NotFound."""
    for player in await players_of_login(connection, login):
        seat = await session_of(connection, player.player_ids, session_id)
        if seat is not None:
            return player, seat
    raise NotFound("You are not in this session. Choose one from your own results.")


async def _names(connection: Connection, sources: list[str]) -> dict[str, str]:
    return {row["slug"]: row["name"] for row in await connection.fetch(READ_SOURCES, sources)}


def _shown(told: Dispute, names: dict[str, str]) -> OwnDispute:
    return OwnDispute(
        session_id=told.session_id,
        day=told.session_date,
        source=told.source,
        source_name=names.get(told.source, told.source),
        counts=told.resolved_by is None,
        said=told.said,
        said_on=told.said_at.date(),
        state=told.state,
        answer=told.answer,
        answered_on=told.answered_at.date() if told.answered_at else None,
        resolved_by=told.resolved_by,
    )
