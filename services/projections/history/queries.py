"""Reads pages of a player's history, single changes, and the formula in force."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

import asyncpg
import orjson

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.history.entries import (
    ChangePlace,
    CorrectionEntry,
    Ending,
    HistoryEntry,
    Pool,
    RoundEntry,
    ToldSession,
)
from shared.events.verdicts import RatedRound
from shared.rating.registry import MAHJIC_ELO_1

# For use within a recursive query: the player $1, if the reader may see them, and everyone who is
# merged into that one by the verdicts up to here.
MEMBERS_SHOWN: Final = """public AS MATERIALIZED (
    SELECT player_id FROM {visible} WHERE player_id = $1
), member AS (
    SELECT public.player_id FROM public
    UNION ALL
    SELECT links.player_id
    FROM member JOIN {history}.links AS links ON links.merged_into = member.player_id
)"""
# A page lists what moved a player and everyone merged into that player, by the verdicts up to here:
# together it adds up to the rating. The tables of ingest may be ahead, so each of these members
# must be public, as themselves or as the player they are read as by now. Nothing is looked up about
# a hidden player, since the time it takes would reveal one. Each table is scanned once at most,
# even by a plan from when it was empty. While a correction comes in parts, what it left out is
# shown to players whose part is in: they have its entry too.
READ_ENTRIES: Final = """
WITH RECURSIVE live AS MATERIALIZED (
    SELECT builds.seq, builds.correcting FROM {{live}} AS builds
), {members}, told AS MATERIALIZED (
    SELECT live.seq + LEAST(1, (
        SELECT count(*) FROM member CROSS JOIN LATERAL (
            SELECT FROM {{history}}.changes AS c
            WHERE live.correcting IS NOT NULL AND c.player_id = member.player_id
                AND c.fact_seq = live.seq + 1 AND c.round_no = 0
            OFFSET 0
        ) AS moved
    )) AS fact_seq
    FROM live
), place AS MATERIALIZED (
    {places}
), round AS MATERIALIZED (
    SELECT r.fact_seq, r.round_no, r.session_id, r.source, r.session_date, r.game_type, r.formula,
        r.rated
    FROM {{history}}.rounds AS r
    WHERE r.fact_seq = ANY(ARRAY(SELECT place.fact_seq FROM place WHERE place.round_no > 0))
        AND (r.fact_seq, r.round_no) IN (SELECT place.fact_seq, place.round_no FROM place)
), ending AS MATERIALIZED (
    SELECT e.session_id, e.cause, e.fact_seq, e.replaced_by FROM {{history}}.endings AS e
    WHERE e.session_id = ANY(ARRAY(SELECT round.session_id FROM round))
        AND e.fact_seq <= (SELECT told.fact_seq FROM told)
), correction AS MATERIALIZED (
    SELECT c.fact_seq, c.cause, c.reason, c.sessions, c.sessions_count, c.replaced_by, c.players,
        c.formula, c.moved
    FROM {{history}}.corrections AS c
    WHERE c.fact_seq = ANY(ARRAY(
        SELECT place.fact_seq FROM place WHERE place.round_no = 0
        UNION SELECT ending.fact_seq FROM ending
    ))
), ended AS MATERIALIZED (
    SELECT ending.session_id, max(ending.replaced_by) AS superseded_by,
        json_agg(
            json_build_object(
                'fact_seq', ending.fact_seq, 'cause', ending.cause, 'reason', correction.reason,
                'replaced_by', ending.replaced_by
            ) ORDER BY ending.fact_seq
        ) AS corrections
    FROM ending JOIN correction ON correction.fact_seq = ending.fact_seq
    GROUP BY ending.session_id
)
SELECT live.seq, live.correcting, EXISTS (SELECT FROM public) AS is_public, (
        SELECT count(*) FROM member
        WHERE member.player_id <> $1 AND NOT EXISTS (
            SELECT FROM {{visible}} AS shown
            WHERE shown.player_id = mahjic.survivor(member.player_id)
        )
    ) AS hidden_members,
    place.player_id, place.fact_seq, place.round_no, place.on_date,
    place.change_centi, place.verified_change_centi, place.rating_before, place.games_before,
    place.games_after, place.verified_rating_before, place.verified_games_before,
    place.verified_games_after,
    round.session_id, round.source, round.session_date, round.game_type, round.formula,
    round.rated, COALESCE(sources.name, round.source) AS source_name,
    correction.cause, correction.reason, correction.sessions, correction.sessions_count,
    correction.replaced_by, correction.players, correction.formula AS adopted, correction.moved,
    ended.corrections, ended.superseded_by
FROM live
LEFT JOIN place ON true
LEFT JOIN round ON round.fact_seq = place.fact_seq AND round.round_no = place.round_no
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = round.source
LEFT JOIN correction ON correction.fact_seq = place.fact_seq AND place.round_no = 0
LEFT JOIN ended ON ended.session_id = round.session_id
ORDER BY place.fact_seq DESC, place.round_no DESC, place.player_id DESC
"""
PLACE_COLUMNS: Final = """c.player_id, c.fact_seq, c.round_no, c.on_date, c.change_centi,
        c.verified_change_centi, c.rating_before, c.games_before, c.games_after,
        c.verified_rating_before, c.verified_games_before, c.verified_games_after"""
READ_HISTORY: Final = READ_ENTRIES.format(
    members=MEMBERS_SHOWN,
    places=f"""SELECT {PLACE_COLUMNS}
    FROM member CROSS JOIN LATERAL (
        SELECT {PLACE_COLUMNS} FROM {{history}}.changes AS c
        WHERE c.player_id = member.player_id
            AND (c.fact_seq, c.round_no) <= ($2::bigint, $3::smallint)
            AND (c.fact_seq, c.round_no, c.player_id) < ($2, $3, $4::text)
            AND ($5::date IS NULL OR c.on_date >= $5::date)
            AND ($6::date IS NULL OR c.on_date <= $6::date)
        ORDER BY c.fact_seq DESC, c.round_no DESC LIMIT $7
    ) AS c
    ORDER BY c.fact_seq DESC, c.round_no DESC, c.player_id DESC LIMIT $7""",
)
READ_CHANGE: Final = READ_ENTRIES.format(
    members=MEMBERS_SHOWN,
    places=f"""SELECT {PLACE_COLUMNS}
    FROM member JOIN {{history}}.changes AS c ON c.player_id = member.player_id
    WHERE c.player_id = $2 AND c.fact_seq = $3 AND c.round_no = $4""",
)
READ_SESSIONS: Final = """
SELECT live.seq, told.fact_seq, told.session_id, told.source, told.session_date, told.game_type,
    COALESCE(sources.name, told.source) AS source_name
FROM {live} AS live
LEFT JOIN LATERAL (
    SELECT r.fact_seq, r.session_id, r.source, r.session_date, r.game_type
    FROM {history}.rounds AS r WHERE r.fact_seq = ANY($1::bigint[]) AND r.round_no = 1
    UNION ALL
    SELECT r.fact_seq, r.session_id, r.source, r.session_date, r.game_type
    FROM {history}.replacements AS r WHERE r.fact_seq = ANY($1::bigint[])
) AS told ON true
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = told.source
"""
READ_ADOPTION: Final = """
SELECT live.seq, adopted.formula, adopted.parameters, adopted.proposal
FROM {live} AS live
LEFT JOIN LATERAL (
    SELECT a.formula, a.parameters, a.proposal FROM {history}.adoptions AS a
    ORDER BY a.fact_seq DESC LIMIT 1
) AS adopted ON true
"""
# So many adoptions that nobody will ever see the end of the list.
READ_ADOPTIONS: Final = """
SELECT a.fact_seq, a.formula, a.proposal
FROM {live} AS live LEFT JOIN {history}.adoptions AS a ON true
ORDER BY a.fact_seq DESC LIMIT 1000
"""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of a history, newest first, and the fact that it is as of.

    `correcting` is set while the verdict on the next fact is being applied (correcting.py).
    """

    seq: int
    correcting: Sequence[int] | None
    entries: list[HistoryEntry]
    has_more: bool


async def read_history(
    reader: ViewReader,
    player_id: str,
    *,
    before: ChangePlace,
    first_date: date | None,
    last_date: date | None,
    limit: int,
) -> HistoryPage:
    """Return what moved a public player, and everyone merged into them, before a place.

    Raises NoPublicPlayer.
    """
    rows = await reader.fetch(
        READ_HISTORY,
        player_id,
        before.fact_seq,
        before.round_no,
        before.player_id,
        first_date,
        last_date,
        limit + 1,
    )
    page = page_of_entries(rows)
    return replace(page, entries=page.entries[:limit], has_more=len(page.entries) > limit)


def page_of_entries(rows: list[asyncpg.Record]) -> HistoryPage:
    """Return all rows of READ_ENTRIES as a page. Raises NoPublicPlayer."""
    live = rows[0]
    return HistoryPage(live["seq"], live["correcting"], _public_entries(rows), has_more=False)


async def read_change(
    reader: ViewReader, player_id: str, place: ChangePlace
) -> tuple[int, HistoryEntry | None]:
    """Return one change of a public player, if it exists, and the fact it is as of.

    Raises NoPublicPlayer.
    """
    rows = await reader.fetch(
        READ_CHANGE, player_id, place.player_id, place.fact_seq, place.round_no
    )
    entries = _public_entries(rows)
    return rows[0]["seq"], entries[0] if entries else None


async def read_sessions(reader: ViewReader, fact_seqs: list[int]) -> dict[int, ToldSession]:
    """Return the sessions of these facts."""
    rows = await reader.fetch(READ_SESSIONS, fact_seqs)
    return {
        row["fact_seq"]: ToldSession(
            session_id=row["session_id"],
            source=row["source"],
            source_name=row["source_name"],
            session_date=row["session_date"],
            game_type=row["game_type"],
        )
        for row in rows
        if row["fact_seq"] is not None
    }


async def read_adoption(reader: ViewReader) -> tuple[int, str, dict[str, Any], str | None]:
    """Return the formula in force: as of which fact, its name and parameters as on the log, and the
    proposal that led to it.
    """
    row = await reader.fetchrow(READ_ADOPTION)
    if row["formula"] is None:  # A brand-new log. Its first record is this one.
        return row["seq"], MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters, None
    return row["seq"], row["formula"], orjson.loads(row["parameters"]), row["proposal"]


async def read_adoptions(reader: ViewReader) -> list[tuple[int, str, str | None]]:
    """Return the facts that adopted a formula, the newest first: seq, formula and proposal."""
    rows = await reader.fetch(READ_ADOPTIONS)
    return [(r["fact_seq"], r["formula"], r["proposal"]) for r in rows if r["fact_seq"]]


def _public_entries(rows: list[asyncpg.Record]) -> list[HistoryEntry]:
    if not rows[0]["is_public"] or rows[0]["hidden_members"]:
        raise NoPublicPlayer
    return [_entry(row) for row in rows if row["fact_seq"] is not None]


def _entry(row: asyncpg.Record) -> HistoryEntry:
    """Read a row from one of the history queries."""
    place = ChangePlace(row["fact_seq"], row["round_no"], row["player_id"])
    return _round(place, row) if place.round_no else _correction(place, row)


def _round(place: ChangePlace, row: asyncpg.Record) -> RoundEntry:
    rated = RatedRound.from_json(orjson.loads(row["rated"]))
    endings: list[dict[str, Any]] = orjson.loads(row["corrections"] or "[]")
    return RoundEntry(
        place=place,
        session_id=row["session_id"],
        source=row["source"],
        source_name=row["source_name"],
        session_date=row["session_date"],
        game_type=row["game_type"],
        formula=row["formula"],
        rated=rated,
        seat=rated.players.index(place.player_id),
        endings=tuple(Ending(**each) for each in endings),
        superseded_by=row["superseded_by"],
    )


def _correction(place: ChangePlace, row: asyncpg.Record) -> CorrectionEntry:
    return CorrectionEntry(
        place=place,
        on_date=row["on_date"],
        cause=row["cause"],
        reason=row["reason"],
        sessions=tuple(row["sessions"]),
        sessions_count=row["sessions_count"],
        replaced_by=row["replaced_by"],
        players=tuple(row["players"]),
        formula=row["adopted"],
        moved=row["moved"],
        mahjic=Pool(
            row["rating_before"], row["change_centi"], row["games_before"], row["games_after"]
        ),
        verified=Pool(
            row["verified_rating_before"],
            row["verified_change_centi"],
            row["verified_games_before"],
            row["verified_games_after"],
        ),
    )
