"""Reads live builds, with one statement per answer, so that all of it is from one moment."""

import asyncio
import copy
import re
from collections.abc import Sequence
from typing import Final, Self

import asyncpg

from services.projections.answering.arriving import WAIT_S_MAX, Arrivals
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.db.patience import answered_within
from shared.errors import MahjicError, ServiceUnavailable
from shared.feed.views import Connection, View

# In the life of a build, a swap meets a reader a few times at most.
TRIES_MAX: Final = 5
RETRY_AFTER_S: Final = 5

READ_POINTERS: Final = """
SELECT v.name, v.live_schema, b.version
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
"""
# One row with the last fact that all these builds show, or none once one of them is not live. For
# builds in the middle of a verdict, it says how many parts are still to come, the last one taken
# in, and how many there are, for the build that has most to come.
LIVE: Final = """(
    SELECT min(b.fact_seq) AS seq,
        max(ARRAY[
            b.correcting_parts - b.correcting_part, b.correcting_part, b.correcting_parts
        ]) FILTER (WHERE b.correcting_part IS NOT NULL) AS correcting
    FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
    WHERE v.live_schema IN ({schemas})
    HAVING count(*) = {count}
)"""
# Whom answers show: those whom everyone may see; and, to somebody alone, also that person.
_PUBLIC: Final = "mahjic.public_players"
_OWN: Final = "mahjic.own_players"
# What PostgreSQL says about a table that is gone, or that disappears as the statement starts.
_TABLE_GONE: Final = (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError)
_TABLE_GOING: Final = "could not open relation"
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")


class ViewBeingBuilt(MahjicError):
    """The view has no build yet that this version of the program can read."""

    code = "view_being_built"
    title = "This part of the service is being built"
    status = 503

    def __init__(self, view: str) -> None:
        super().__init__(
            f"The view {view} is being built from the log. Ask again in {RETRY_AFTER_S} s.",
            extra={"view": view},
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class ViewReader:
    """Runs queries on the live builds, and follows them when they are swapped.

    A query names the schema of a view as `{profiles}`, the players whom its reader may see as
    `{visible}`, and selects from `{live}`, which gives the
    `seq` that the answer is as of, and whether it is `correcting` (correcting.py). It must return a
    row whenever `{live}` does, even if nothing was found: no row at all means that a build is no
    longer live.
    """

    def __init__(self, pool: asyncpg.Pool, views: Sequence[View], bell: Bell) -> None:
        """`bell` rings when a view has moved, where it can ring at all."""
        self._pool: asyncpg.Pool | Connection = pool
        self._arrivals = Arrivals(pool, bell)
        # The fact that all answers must show, and the deadline for waiting for it.
        self._since = (0, 0.0)
        # Who reads what is about them, and nobody else; None for everyone.
        self._oneself: str | None = None
        # How long each question may take; without it, as long as a statement may.
        self._patience_s: float | None = None
        self._versions = {view.name: view.version for view in views}
        self._texts: dict[str, str] = {}
        self._texts_for_oneself: dict[str, str] = {}

    @property
    def waiting(self) -> int:
        """How many requests are waiting for a view to show what they ask for."""
        return self._arrivals.waiting

    def on(self, connection: Connection) -> Self:
        """Return a reader on a connection that others use in the same transaction."""
        reader = copy.copy(self)
        reader._pool = connection  # noqa: SLF001 - Its own copy.
        return reader

    def within(self, limit_s: float) -> Self:
        """Return a reader for people, who don't wait for a database that stands still.

        Each of its questions raises ServiceUnavailable after this time.
        """
        reader = copy.copy(self)
        reader._patience_s = limit_s  # noqa: SLF001 - Its own copy.
        return reader

    def for_oneself(self, player_id: str) -> Self:
        """Return a reader that shows players to themselves, also private ones.

        Only for whoever has proved to be this player, and for answers about it. Others in them stay
        as everyone sees them.
        """
        reader = copy.copy(self)
        reader._oneself = player_id  # noqa: SLF001 - Its own copy.
        reader._texts = self._texts_for_oneself  # noqa: SLF001 - Its own copy.
        return reader

    @property
    def oneself(self) -> str | None:
        """Who reads answers about themselves; None for everyone."""
        return self._oneself

    @property
    def visible(self) -> str:
        """The players whom the reader may ask about: a table, or what stands for one."""
        return _PUBLIC if self._oneself is None else _OWN

    def since(self, seq_min: int | None) -> Self:
        """Return a reader for one request. All of its answers show this fact.

        It waits for views that are behind, for a short time in all, and then raises ViewBehind.
        """
        if not seq_min:
            return self
        reader = copy.copy(self)
        deadline_s = asyncio.get_running_loop().time() + WAIT_S_MAX
        reader._since = (seq_min, deadline_s)  # noqa: SLF001 - Its own copy.
        return reader

    async def fetch(
        self, query: str, *arguments: object, limit_s: float | None = None
    ) -> list[asyncpg.Record]:
        """Return the rows of a query on views, at least one.

        Raises ViewBeingBuilt, ViewBehind, ServiceUnavailable, or TimeoutError if it took over
        `limit_s`.
        """
        rows = await self._fetch(query, *arguments, limit_s=limit_s)
        seq_min, deadline_s = self._since
        while seq_min and rows[0]["seq"] < seq_min:
            await self._arrivals.until(_views_in(query), seq_min, deadline_s)
            rows = await self._fetch(query, *arguments, limit_s=limit_s)
        return rows

    async def _fetch(
        self, query: str, *arguments: object, limit_s: float | None
    ) -> list[asyncpg.Record]:
        for _ in range(TRIES_MAX):
            try:
                text = self._texts.get(query) or await self._read_pointers(query)
                rows = await self._ask(text, *arguments, limit_s=limit_s)
            except _TABLE_GONE:
                rows = []
            except asyncpg.InternalServerError as error:
                if _TABLE_GOING not in str(error):
                    raise
                rows = []
            except TimeoutError:
                if limit_s is not None:
                    raise
                raise ServiceUnavailable from None
            except DATABASE_AWAY:
                raise ServiceUnavailable from None
            if rows:
                return rows
            self._texts.clear()
        raise ViewBeingBuilt(", ".join(_views_in(query)))

    async def until_begun(self, view: str, fact_seq: int, deadline_s: float) -> None:
        """Wait until a view shows the verdict on a fact, or the first part of it.

        Raises ViewBehind if that takes beyond a time of the event loop, and ServiceUnavailable.
        """
        await self._arrivals.until([view], fact_seq, deadline_s, is_first_part_enough=True)

    async def fetchrow(self, query: str, *arguments: object) -> asyncpg.Record:
        """Return the first row of a query on views."""
        return (await self.fetch(query, *arguments))[0]

    async def fetch_plain(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """Return the rows of a query on tables that are not views."""
        try:
            return await self._ask(query, *arguments)
        except DATABASE_AWAY:
            raise ServiceUnavailable from None

    async def _ask(
        self, text: str, *arguments: object, limit_s: float | None = None
    ) -> list[asyncpg.Record]:
        asked = self._pool.fetch(text, *arguments, timeout=limit_s)
        if self._patience_s is None:
            return await asked
        return await answered_within(asked, self._patience_s)

    async def _read_pointers(self, query: str) -> str:
        """Look up the live builds, and return the query with their names in it."""
        rows = await self._ask(READ_POINTERS)
        live = {row["name"]: row for row in rows}
        names = _views_in(query)
        for name in names:
            if name not in live or live[name]["version"] != self._versions[name]:
                raise ViewBeingBuilt(name)
        schemas = {name: live[name]["live_schema"] for name in names}
        listed = ", ".join(f"'{schema}'" for schema in schemas.values())
        live_row = LIVE.format(schemas=listed, count=len(schemas))
        text = query.format(live=live_row, visible=self.visible, **schemas)
        self._texts[query] = text
        return text


def _views_in(query: str) -> list[str]:
    return sorted(set(_PLACEHOLDER.findall(query)) - {"live", "visible"})
