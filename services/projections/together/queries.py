"""Reads whom a player met, and the rounds that two players sat in, as far back as time allows.

Which sessions count, for whom, is in the view of profiles: it knows what was voided, corrected and
merged. What was played in them is in the histories.
"""

from dataclasses import dataclass
from typing import Final

import asyncpg
import orjson

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader
from services.projections.together.answers import MetPlayer
from services.projections.together.meetings import Meeting, seated
from shared.ids import BOB

ROUNDS_MAX: Final = 2_000
OPPONENTS_MAX: Final = 10
# A page must not wait for somebody's ten thousand nights. It can do without this part.
COUNT_S_MAX: Final = 1.0

IS_VISIBLE: Final = "SELECT FROM {visible} WHERE player_id = $1"

# The public player $1 with everyone who is read as this player, in the view itself: the tables of
# ingest may be ahead, so each of these must be public by now. Nothing is looked up about a hidden
# player, since the time it takes would reveal one.
_MEMBERS: Final = """{name} AS MATERIALIZED (
    SELECT public.player_id FROM public_{name} AS public
    UNION ALL
    SELECT m.player_id FROM public_{name} AS public
    JOIN {{profiles}}.merges AS m ON m.survivor = public.player_id
)"""
_PUBLIC: Final = """public_{name} AS MATERIALIZED (
    SELECT player_id FROM {{visible}} WHERE player_id = {place}
)"""
_HIDDEN_MEMBERS: Final = """(
    SELECT count(*) FROM {name} AS member WHERE NOT EXISTS (
        SELECT FROM {{visible}} AS shown
        WHERE shown.player_id = mahjic.survivor(member.player_id)
    )
)"""
# All rounds of a session, whether it was rated as it came or replaced another. Reading one as text
# tells at little cost whether somebody may have sat in it: few of a large session concern anyone.
# Where seats were reassigned, those who sit there now stand beside those whose ratings moved.
_ROUNDS_OF: Final = """
    SELECT r.round_no, CASE WHEN now.seated IS NULL THEN r.rated ELSE
        (r.rated::jsonb || jsonb_build_object('played_as', now.seated))::json END AS results
    FROM {{history}}.rounds AS r LEFT JOIN {{history}}.reseated_rounds AS now
        ON now.fact_seq = r.fact_seq AND now.round_no = r.round_no
    WHERE r.fact_seq = attended.fact_seq AND ({sat})
    UNION ALL
    SELECT r.round_no, CASE WHEN now.seated IS NULL THEN r.results ELSE
        (r.results::jsonb || jsonb_build_object('played_as', now.seated))::json END AS results
    FROM {{history}}.replaced_rounds AS r LEFT JOIN {{history}}.reseated_rounds AS now
        ON now.fact_seq = r.fact_seq AND now.round_no = r.round_no
    WHERE r.fact_seq = attended.fact_seq AND ({sat_replacing})
    OFFSET 0
"""


def _rounds_of(*players: str) -> str:
    """Return the query for the rounds of `attended` in which each of these may have sat."""
    conditions = {
        name: " AND ".join(
            f"(strpos(r.{column}::text, {player}) > 0 OR {player} = ANY(now.seated))"
            for player in players
        )
        for name, column in (("sat", "rated"), ("sat_replacing", "results"))
    }
    return _ROUNDS_OF.format(**conditions)


READ_MET: Final = f"""
WITH {_PUBLIC.format(name="member", place="$1")}, {_MEMBERS.format(name="member")},
attended AS MATERIALIZED (
    SELECT member.player_id, a.fact_seq
    FROM member CROSS JOIN LATERAL (
        SELECT a.fact_seq FROM {{profiles}}.attendances AS a
        WHERE a.player_id = member.player_id ORDER BY a.fact_seq DESC LIMIT {ROUNDS_MAX + 1}
    ) AS a
    ORDER BY a.fact_seq DESC LIMIT {ROUNDS_MAX + 1}
), sat AS MATERIALIZED (
    SELECT attended.player_id, results.games_played, results.wall_games, results.mahjongs,
        COALESCE(results.played_as, results.players) AS players
    FROM attended CROSS JOIN LATERAL (
        {_rounds_of("attended.player_id")}
    ) AS round CROSS JOIN LATERAL json_to_record(round.results) AS results (
        games_played bigint, wall_games bigint, mahjongs bigint[], players text[], played_as text[]
    )
    WHERE attended.player_id = ANY(COALESCE(results.played_as, results.players))
    ORDER BY attended.fact_seq DESC, round.round_no DESC LIMIT {ROUNDS_MAX + 1}
), faced AS MATERIALIZED (
    SELECT other.player_id, count(*) AS rounds, sum(sat.games_played) AS games,
        sum(sat.mahjongs[array_position(sat.players, sat.player_id)]) AS won,
        sum(other.mahjongs) AS lost, sum(sat.wall_games) AS wall_games
    FROM (SELECT * FROM sat LIMIT {ROUNDS_MAX}) AS sat
    CROSS JOIN LATERAL unnest(sat.players, sat.mahjongs) AS other (player_id, mahjongs)
    WHERE other.player_id NOT IN (sat.player_id, '{BOB}')
    GROUP BY other.player_id
), met AS (
    SELECT public.player_id, public.name, sum(faced.rounds)::bigint AS rounds,
        sum(faced.games)::bigint AS games, sum(faced.won)::bigint AS won,
        sum(faced.lost)::bigint AS lost, sum(faced.wall_games)::bigint AS wall_games
    FROM faced CROSS JOIN LATERAL (
        SELECT read.survivor_id FROM mahjic.read_players AS read
        WHERE read.player_id = faced.player_id OFFSET 0
    ) AS read CROSS JOIN LATERAL (
        SELECT public.player_id, COALESCE(public.name, public.player_id) AS name
        FROM mahjic.public_players AS public
        WHERE public.player_id = read.survivor_id OFFSET 0
    ) AS public
    GROUP BY public.player_id, public.name
    ORDER BY rounds DESC, games DESC, public.player_id LIMIT {OPPONENTS_MAX}
)
SELECT live.seq, EXISTS (SELECT FROM public_member) AS is_public,
    {_HIDDEN_MEMBERS.format(name="member")} AS hidden_members,
    (SELECT count(*) FROM sat) AS rounds_found,
    met.player_id, met.name, met.rounds, met.games, met.won, met.lost, met.wall_games
FROM {{live}} AS live LEFT JOIN met ON true
ORDER BY met.rounds DESC, met.games DESC, met.player_id
"""
READ_TOGETHER: Final = f"""
WITH {_PUBLIC.format(name="one", place="$1")}, {_MEMBERS.format(name="one")},
{_PUBLIC.format(name="other", place="$2")}, {_MEMBERS.format(name="other")},
attended AS MATERIALIZED (
    SELECT one.player_id AS one_id, other.player_id AS other_id, a.fact_seq
    FROM one CROSS JOIN LATERAL (
        SELECT a.fact_seq FROM {{profiles}}.attendances AS a
        WHERE a.player_id = one.player_id OFFSET 0
    ) AS a CROSS JOIN other
    WHERE EXISTS (
        SELECT FROM {{profiles}}.attendances AS b
        WHERE b.player_id = other.player_id AND b.fact_seq = a.fact_seq OFFSET 0
    )
), sat AS MATERIALIZED (
    SELECT attended.one_id, attended.other_id, attended.fact_seq, round.round_no, round.results
    FROM attended CROSS JOIN LATERAL (
        {_rounds_of("attended.one_id", "attended.other_id")}
    ) AS round
    ORDER BY attended.fact_seq DESC, round.round_no DESC LIMIT {ROUNDS_MAX + 1}
)
SELECT live.seq,
    EXISTS (SELECT FROM public_one) AND EXISTS (SELECT FROM public_other) AS is_public,
    {_HIDDEN_MEMBERS.format(name="one")} + {_HIDDEN_MEMBERS.format(name="other")} AS hidden_members,
    ARRAY(SELECT one.player_id FROM one) AS ones,
    ARRAY(SELECT other.player_id FROM other) AS others,
    sat.one_id, sat.other_id, sat.fact_seq, sat.round_no, sat.results,
    told.session_id, told.source, told.session_date, told.game_type,
    COALESCE(sources.name, told.source) AS source_name
FROM {{live}} AS live
LEFT JOIN sat ON true
LEFT JOIN LATERAL (
    SELECT r.session_id, r.source, r.session_date, r.game_type FROM {{history}}.rounds AS r
    WHERE r.fact_seq = sat.fact_seq AND r.round_no = sat.round_no
    UNION ALL
    SELECT r.session_id, r.source, r.session_date, r.game_type FROM {{history}}.replacements AS r
    WHERE r.fact_seq = sat.fact_seq
) AS told ON true
LEFT JOIN mahjic.listed_sources AS sources ON sources.slug = told.source
ORDER BY sat.fact_seq DESC, sat.round_no DESC
"""


@dataclass(frozen=True, slots=True)
class MostMet:
    """Whom a player met most, and whether all of the player's rounds were counted for it."""

    opponents: list[MetPlayer]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Meetings:
    """The newest rounds that two players sat in, newest first, and whether those are all."""

    rounds: list[Meeting]
    is_whole: bool


async def read_met(reader: ViewReader, player_id: str) -> MostMet | None:
    """Return the public opponents of a public player, or None if that takes too long.

    Raises NoPublicPlayer.
    """
    try:
        rows = await reader.fetch(READ_MET, player_id, limit_s=COUNT_S_MAX)
    except TimeoutError:
        if not await reader.fetch_plain(IS_VISIBLE.format(visible=reader.visible), player_id):
            raise NoPublicPlayer from None
        return None
    _check_public(rows[0])
    return MostMet(
        [_met(row) for row in rows if row["player_id"] is not None],
        is_whole=rows[0]["rounds_found"] <= ROUNDS_MAX,
    )


async def read_meetings(reader: ViewReader, one: str, other: str) -> Meetings | None:
    """Return the rounds that two public players sat in, or None if that takes too long.

    It goes through the sessions of the first one. Raises NoPublicPlayer.
    """
    try:
        rows = await reader.fetch(READ_TOGETHER, one, other, limit_s=COUNT_S_MAX)
    except TimeoutError:
        return None
    _check_public(rows[0])
    found = [row for row in rows if row["fact_seq"] is not None]
    meetings = [each for row in found[:ROUNDS_MAX] if (each := _meeting(row)) is not None]
    return Meetings(meetings, is_whole=len(found) <= ROUNDS_MAX)


def _check_public(row: asyncpg.Record) -> None:
    if not row["is_public"] or row["hidden_members"]:
        raise NoPublicPlayer


def _met(row: asyncpg.Record) -> MetPlayer:
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "rounds": row["rounds"],
        "games": row["games"],
        "won": row["won"],
        "lost": row["lost"],
        "wall_games": row["wall_games"],
    }


def _meeting(row: asyncpg.Record) -> Meeting | None:
    """Return a round, or None if one of the two only stands in it as whom another is read as."""
    results = orjson.loads(row["results"])
    one = seated(results, row["one_id"], row["ones"])
    other = seated(results, row["other_id"], row["others"])
    if one is None or other is None:
        return None
    return Meeting(
        fact_seq=row["fact_seq"],
        round_no=row["round_no"],
        session_id=row["session_id"],
        source=row["source"],
        source_name=row["source_name"],
        session_date=row["session_date"],
        game_type=row["game_type"],
        games=results["games_played"],
        wall_games=results["wall_games"],
        one=one,
        other=other,
    )
