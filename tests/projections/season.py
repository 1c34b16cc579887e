"""An honest little world for tests: people and sources in tables, verdicts by the real rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import asyncpg

from services.rater.answering import Rater
from shared.events.chain import first_chain
from shared.events.codec import encode_fact
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    GameType,
    PlayedRound,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SessionSubmitted,
)
from shared.ids import player_id, session_id
from shared.log.memory import MemoryFactLog, MemoryVerdictLog, MemoryVerdictWriter
from shared.log.port import Position
from shared.log.postgres import Connection
from shared.rating.registry import MAHJIC_ELO_1
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

LOG_ID = "log_of_a_test"
TIME = "2026-02-01T12:00:00.000000Z"


def mj(number: int) -> str:
    """Return a lawful Mahjic ID that ends up in the order of the numbers."""
    return player_id("MJ", number)


def an(number: int) -> str:
    """Return a lawful anonymous id."""
    return player_id("AN", number)


@dataclass(frozen=True, slots=True)
class Round:
    """A round in short: who won how many games, and how many were drawn."""

    mahjongs: Mapping[str, int]
    wall_games: int = 0
    points_centi: Mapping[str, int] | None = None

    def played(self) -> PlayedRound:
        players = tuple(self.mahjongs)
        return PlayedRound(
            games_played=sum(self.mahjongs.values()) + self.wall_games,
            wall_games=self.wall_games,
            players=players,
            mahjongs=tuple(self.mahjongs.values()),
            points_centi=None
            if self.points_centi is None
            else tuple(self.points_centi[each] for each in players),
        )


class Season:
    """Sources, people and sessions; every fact gets its verdict at once."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.facts = MemoryFactLog(LOG_ID)
        self.log = MemoryVerdictLog(LOG_ID)
        beginning = Position(LOG_ID, 0, first_chain(LOG_ID, "facts"))
        self._rater = Rater(beginning, "test", Chronicle(StoredColumns()))
        self._writer: MemoryVerdictWriter | None = None
        self._fact_seq = 0
        self._people_seq = 0
        # When the next fact is accepted.
        self.time = TIME

    async def open(self) -> "Season":
        """Adopt the formula, as the first record of every log does."""
        self._writer = await self.log.open_writer("test")
        await self.tell(FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters))
        return self

    async def source(self, slug: str, *, kind: str = "club", region: str | None = None) -> str:
        await self.pool.execute(
            """INSERT INTO mahjic.sources (slug, name, type, region, created_at)
            VALUES ($1, $2, $3, $4, $5)""",
            slug,
            slug.title(),
            kind,
            region,
            datetime(2026, 1, 1, tzinfo=UTC),
        )
        return slug

    async def player(
        self,
        number: int,
        *,
        source: str | None = None,
        name: str | None = None,
        region: str | None = None,
        is_private: bool = False,
    ) -> str:
        """Register a person whose address and nickname nobody may ever see."""
        who = mj(number)
        await self._change_people(
            who,
            ("INSERT INTO mahjic.players (player_id, first_source) VALUES ($1, $2)", source),
            (
                """INSERT INTO mahjic.people
                (player_id, email, is_private, privacy_by, name, offered_name, region)
                VALUES ($1, $2, $3, 'source', $4, $5, $6)""",
                f"address-{number}@example.com",
                is_private,
                name,
                f"Offered {number}",
                region,
            ),
        )
        return who

    async def anonymous(self, number: int, source: str) -> str:
        who = an(number)
        await self._change_people(
            who,
            ("INSERT INTO mahjic.players (player_id, first_source) VALUES ($1, $2)", source),
            (
                """INSERT INTO mahjic.people
                (player_id, nickname, nickname_key, nickname_source, is_private, privacy_by)
                VALUES ($1, $2, $2, $3, false, 'source')""",
                f"nickname-{number}",
                source,
            ),
        )
        return who

    async def change(self, who: str, **details: object) -> None:
        """Change what a person chose: name, region or is_private."""
        updates = [
            (f"UPDATE mahjic.people SET {column} = $2 WHERE player_id = $1", value)
            for column, value in details.items()
        ]
        await self._change_people(who, *updates)

    async def erase(self, who: str) -> None:
        await self._change_people(who, ("DELETE FROM mahjic.people WHERE player_id = $1",))

    async def _change_people(self, who: str, *statements: tuple[str, *tuple[object, ...]]) -> None:
        """Change somebody and note it in one transaction, as everybody does who changes people.

        A view that could see the change before its note would differ from one that saw neither.
        Whoever the player is read as is noted too, because a view may hear of a merge later.
        """
        async with self.pool.acquire() as connection, connection.transaction():
            for statement, *values in statements:
                await connection.execute(statement, who, *values)
            survivor = await connection.fetchval("SELECT mahjic.survivor($1)", who)
            changed = sorted({who, survivor or who})
            await self._note_changes(connection, changed)

    async def _note_changes(self, connection: Connection, changed: Sequence[str]) -> None:
        await connection.execute(
            """INSERT INTO mahjic.people_changes (seq, player_id)
            SELECT $1 + number, player_id
            FROM unnest($2::text[]) WITH ORDINALITY AS changed (player_id, number)""",
            self._people_seq,
            changed,
        )
        self._people_seq += len(changed)

    async def play(
        self,
        source: str,
        *rounds: Round,
        on: str = "2026-01-31",
        game_type: GameType = "social",
        new_players: Sequence[str] = (),
    ) -> tuple[str, int]:
        """Play a session, and return its id and the number of its fact."""
        number = self._fact_seq + 1
        session = session_id(1_770_000_000_000, number)
        await self.tell(
            SessionSubmitted(
                session_id=session,
                source=source,
                session_date=on,
                game_type=game_type,
                rounds=tuple(each.played() for each in rounds),
                new_players=tuple(new_players),
            )
        )
        return session, number

    async def verify(self, who: str) -> int:
        return await self.tell(PlayerVerified(who))

    async def verified(self, count: int, *, source: str | None = None) -> list[str]:
        """Return so many new players, all of them verified."""
        people = [await self.player(number, source=source) for number in range(1, count + 1)]
        for each in people:
            await self.verify(each)
        return people

    async def end_verification(self, who: str) -> int:
        return await self.tell(PlayerVerificationEnded(who))

    async def merge(self, who: str, into: str) -> int:
        await self._link(who, into)
        return await self.tell(PlayersMerged(who, into))

    async def unmerge(self, who: str, merged_into: str) -> int:
        await self._link(who, None)
        return await self.tell(PlayersUnmerged(who, merged_into))

    async def _link(self, who: str, into: str | None) -> None:
        """Note who is read as whom, and all of both groups as changed, as ingest does."""
        members = """SELECT mahjic.members(mahjic.survivor(player_id))
        FROM unnest($1::text[]) AS player_id"""
        query = "UPDATE mahjic.players SET merged_into = $2 WHERE player_id = $1"
        async with self.pool.acquire() as connection, connection.transaction():
            before = await connection.fetch(members, [who, into or who])
            await connection.execute(query, who, into)
            after = await connection.fetch(members, [who, into or who])
            changed = sorted({row[0] for row in (*before, *after)})
            await self._note_changes(connection, changed)

    async def tell(self, event: FactEvent) -> int:
        """Put a fact on the log and the rater's verdict on the other; return its number."""
        body = encode_fact(event, log_id=LOG_ID, seq=self._fact_seq + 1, time=self.time)
        return await self.tell_raw(body)

    async def tell_raw(self, body: bytes) -> int:
        """Put any bytes on the log of facts, lawful or not, and let the rater answer them."""
        assert self._writer is not None
        (record,) = await self.facts.append([body])
        self._fact_seq = record.seq
        await self._writer.append(self._rater.answer(record), fact_seq=record.seq)
        return record.seq
