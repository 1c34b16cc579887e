"""Reads pages of a board, and one player's place on it, without counting the whole board."""

import functools
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

import asyncpg

from services.projections.answering.correcting import Correcting, shown_correcting
from services.projections.answering.reading import ViewReader
from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT, BoardRow
from shared.errors import MahjicError

# With another filter, the board has to be counted. A public page may not cost more than this.
COUNT_S_MAX: Final = 2.0
RETRY_AFTER_S: Final = 30
RATING_CENTI_MAX: Final = (1 << 62) - 1

# What the default filter shows, worded as in the partial index and the counts.
_RANKED: Final = f"s.verified_games >= {GAMES_MIN_DEFAULT}"
_POINT_OF_FIRST: Final = "floor(first.rating_centi / 100.0)::bigint"
_ABOVE_RANKED: Final = f"""(
    SELECT COALESCE((
        SELECT sum(c.members) FROM {{leaderboards}}.counts AS c
        WHERE c.board = $1 AND c.point > {_POINT_OF_FIRST}
    ), 0) + (
        SELECT count(*) FROM {{leaderboards}}.standings AS s
        WHERE s.board = $1 AND {_RANKED} AND s.rating_centi > first.rating_centi
            AND s.rating_centi < ({_POINT_OF_FIRST} + 1) * 100
    ) FROM first
)"""


# One row for each whole point that someone's rating is in: some thousands, however many players.
COUNT_RANKED: Final = """
SELECT live.seq, (
    SELECT COALESCE(sum(c.members), 0) FROM {leaderboards}.counts AS c WHERE c.board = $1
) AS members
FROM {live} AS live
"""

# A first page starts after a row that is above all others.
_AFTER: Final = "s.rating_centi <= $2 AND (s.rating_centi < $2 OR s.player_id > $3)"
_FILTERED_AFTER: Final = (
    "s.verified_games >= $4 AND ($5::date IS NULL OR s.last_session_date >= $5::date)"
)
_FILTERED_AT: Final = (
    "s.verified_games >= $3 AND ($4::date IS NULL OR s.last_session_date >= $4::date)"
)
_ABOVE_FILTERED: Final = """(
    SELECT count(*) FROM first JOIN {{leaderboards}}.standings AS s
        ON s.rating_centi > first.rating_centi
    WHERE s.board = $1 AND {filters}
)"""
# Who comes before the first row of such a page is known: all above it, and some with the same
# rating.
_ABOVE_AT_OFFSET: Final = "$2::bigint - level.before"
# The whole point that the row at an offset is in, found in the counts. Without the frame,
# PostgreSQL would look for ties at each point, which takes twice as long.
_POINT_AT_OFFSET: Final = """at AS (
    SELECT point, through - members AS above FROM (
        SELECT c.point, c.members,
            sum(c.members) OVER (ORDER BY c.point DESC ROWS UNBOUNDED PRECEDING) AS through
        FROM {leaderboards}.counts AS c WHERE c.board = $1
    ) AS summed
    WHERE through > $2 ORDER BY point DESC LIMIT 1
),"""


@functools.cache
def ranked_after(rows_max: int) -> str:
    """Return the query for a page with the default filter. $2 and $3: rating and player before."""
    return _page(_RANKED, _ABOVE_RANKED, _AFTER, rows_max)


@functools.cache
def ranked_at(rows_max: int) -> str:
    """Return the query for a page with the default filter. $2: the offset."""
    return _page(
        _RANKED,
        _ABOVE_AT_OFFSET,
        "s.rating_centi < (SELECT (at.point + 1) * 100 FROM at)",
        rows_max,
        offset="$2::bigint - (SELECT at.above FROM at)",
        before=_POINT_AT_OFFSET,
    )


@functools.cache
def filtered_after(rows_max: int) -> str:
    """Return the query for a page with other filters. $4: games at least. $5: earliest date."""
    above = _ABOVE_FILTERED.format(filters=_FILTERED_AFTER)
    return _page(_FILTERED_AFTER, above, _AFTER, rows_max)


@functools.cache
def filtered_at(rows_max: int) -> str:
    """Return the query for a page with other filters. $2: offset. $3: games. $4: earliest date."""
    return _page(_FILTERED_AT, _ABOVE_AT_OFFSET, "true", rows_max, offset="$2")


def _page(
    filters: str, above: str, start: str, rows_max: int, *, offset: str = "0", before: str = ""
) -> str:
    """Return the query for a page: its rows, the place of the first, and who may be shown.

    The number of rows is part of the text: if it were a parameter, PostgreSQL would plan the query
    again each time, which takes longer than running it.
    """
    return f"""
WITH {before} page AS (
    SELECT s.player_id, s.rating_centi, s.verified_games, s.last_session_date
    FROM {{leaderboards}}.standings AS s
    WHERE s.board = $1 AND {filters} AND {start}
    ORDER BY s.rating_centi DESC, s.player_id
    LIMIT {rows_max} OFFSET {offset}
), first AS (
    SELECT player_id, rating_centi FROM page ORDER BY rating_centi DESC, player_id LIMIT 1
), level AS MATERIALIZED (
    SELECT count(*) AS before FROM first JOIN {{leaderboards}}.standings AS s
        ON s.rating_centi = first.rating_centi AND s.player_id < first.player_id
    WHERE s.board = $1 AND {filters}
)
SELECT live.seq, live.correcting, COALESCE(boards.fingerprint, 0) AS fingerprint,
    {above} AS above, level.before AS level_before,
    page.player_id, page.rating_centi, page.verified_games, page.last_session_date,
    people.is_public IS TRUE AS is_public, people.name
FROM {{live}} AS live CROSS JOIN level
LEFT JOIN {{leaderboards}}.boards AS boards ON boards.board = $1
LEFT JOIN page ON true
LEFT JOIN mahjic.shown_people AS people ON people.player_id = page.player_id
ORDER BY page.rating_centi DESC, page.player_id
"""


# One player's place on the global board, for use inside a query whose $1 is the player.
GLOBAL_PLACE: Final = f"""(
    SELECT 1 + COALESCE((
        SELECT sum(c.members) FROM {{leaderboards}}.counts AS c
        WHERE c.board = 'global' AND c.point > {_POINT_OF_FIRST}
    ), 0) + (
        SELECT count(*) FROM {{leaderboards}}.standings AS s
        WHERE s.board = 'global' AND {_RANKED} AND s.rating_centi > first.rating_centi
            AND s.rating_centi < ({_POINT_OF_FIRST} + 1) * 100
    )
    FROM {{leaderboards}}.standings AS first
    WHERE first.player_id = $1 AND first.board = 'global'
        AND first.verified_games >= {GAMES_MIN_DEFAULT}
)"""


class BoardTakesTooLong(MahjicError):
    """A filter other than the default could not be counted in time."""

    code = "board_takes_too_long"
    title = "The leaderboard takes too long to count with this filter"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            f"Counting the leaderboard with these filters takes more than {COUNT_S_MAX:g} s. "
            "Ask without `min_games` and `active_within_days`, which is always fast, or try "
            "again later.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


@dataclass(frozen=True, slots=True)
class Filters:
    """Who is on a page: players with enough verified games, and a session since a date if given."""

    games_min: int = GAMES_MIN_DEFAULT
    since: date | None = None

    @property
    def are_default(self) -> bool:
        """Return whether the stored counts apply to this filter."""
        return self.games_min == GAMES_MIN_DEFAULT and self.since is None


@dataclass(frozen=True, slots=True)
class After:
    """The page that follows a row, or the first page without one."""

    rating_centi: int = RATING_CENTI_MAX
    player_id: str = ""


@dataclass(frozen=True, slots=True)
class At:
    """The page that starts after this many rows."""

    offset: int


class PlacedStanding(NamedTuple):
    place: int
    standing: BoardRow
    name: str | None


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A page of a board, and the fact and the state of the board that it is as of.

    `correcting` is set while the parts of one verdict are being applied.
    """

    seq: int
    correcting: Correcting | None
    fingerprint: int
    rows: list[PlacedStanding]
    has_more: bool


async def read_page(
    reader: ViewReader, board: str, start: After | At, filters: Filters, limit: int
) -> BoardPage:
    """Return a page of a board. Raises BoardTakesTooLong with filters other than the default.

    A player who has just become private is left out at once, and from the places a little later.
    """
    while True:
        rows = await _fetch_page(reader, board, start, filters, limit)
        found = [row for row in rows if row["player_id"] is not None]
        placed = _placed(board, found)[:limit]
        has_more = len(found) > limit
        shown = [row for row, is_public in placed if is_public]
        if shown or not has_more:
            return BoardPage(
                seq=rows[0]["seq"],
                correcting=shown_correcting(rows[0]["correcting"]),
                fingerprint=rows[0]["fingerprint"],
                rows=shown,
                has_more=has_more,
            )
        # A cursor may not hold the id of someone who is not shown, so keep reading.
        last = placed[-1][0].standing
        start = After(last.rating_centi, last.player_id)


async def count_ranked(reader: ViewReader, board: str) -> int:
    """Return how many players a board has with the default filter."""
    return int((await reader.fetchrow(COUNT_RANKED, board))["members"])


async def _fetch_page(
    reader: ViewReader, board: str, start: After | At, filters: Filters, limit: int
) -> list[asyncpg.Record]:
    is_offset = isinstance(start, At)
    arguments: list[object] = [board]
    arguments += [start.offset] if isinstance(start, At) else [start.rating_centi, start.player_id]
    if filters.are_default:
        query = ranked_at(limit + 1) if is_offset else ranked_after(limit + 1)
        return await reader.fetch(query, *arguments)
    query = filtered_at(limit + 1) if is_offset else filtered_after(limit + 1)
    arguments += [filters.games_min, filters.since]
    try:
        return await reader.fetch(query, *arguments, limit_s=COUNT_S_MAX)
    except TimeoutError:
        raise BoardTakesTooLong from None


def _placed(board: str, rows: list[asyncpg.Record]) -> list[tuple[PlacedStanding, bool]]:
    """Return the rows with their places, and whether each may be shown."""
    placed: list[tuple[PlacedStanding, bool]] = []
    place, last_centi = 0, None
    # Unpacked at once, which is faster than by name: a page has 50 rows, and is read often.
    for number, row in enumerate(rows):
        _, _, _, above, level, player_id, rating_centi, games, last_date, is_public, name = row
        if number == 0:
            place = above + 1
        elif rating_centi != last_centi:
            place = above + level + number + 1
        last_centi = rating_centi
        standing = BoardRow(player_id, board, rating_centi, games, last_date)
        placed.append((PlacedStanding(place, standing, name), bool(is_public)))
    return placed
