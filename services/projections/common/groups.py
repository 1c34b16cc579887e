"""Keeps which player each merged player is read as, and says whose groups a batch changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.projections.common.standings import told_verification
from shared.events.codec import Verdict
from shared.events.facts import PlayersMerged, PlayersUnmerged
from shared.events.verdicts import RatingsCorrected
from shared.feed.views import Connection, VerdictBatch

# For use within a query: for each player in $1 the members, including the player (none for a merged
# one), and what they attended. A plan is made while the tables are small and kept as they grow, so
# the order is fixed here: from the few players given to what is kept about each.
MEMBERS: Final = """due AS MATERIALIZED (
    SELECT named.player_id, m.player_id IS NOT NULL AS is_merged
    FROM unnest($1::text[]) AS named (player_id)
    LEFT JOIN {schema}.merges AS m ON m.player_id = named.player_id
), member AS MATERIALIZED (
    SELECT due.player_id AS survivor, due.player_id FROM due WHERE NOT due.is_merged
    UNION ALL
    SELECT m.survivor, m.player_id
    FROM due JOIN {schema}.merges AS m ON m.survivor = due.player_id
), attended AS (
    SELECT member.survivor, a.fact_seq, a.source, a.session_date, a.mahjongs, a.wall_games
    FROM member CROSS JOIN LATERAL (
        SELECT a.fact_seq, a.source, a.session_date, a.mahjongs, a.wall_games
        FROM {schema}.attendances AS a WHERE a.player_id = member.player_id OFFSET 0
    ) AS a
)"""
READ_LINKS: Final = """
SELECT player_id, merged_into FROM {schema}.merges WHERE survivor IN (
    SELECT player_id FROM unnest($1::text[]) AS named (player_id)
    UNION ALL
    SELECT survivor FROM {schema}.merges WHERE player_id = ANY($1::text[])
)
"""
REMOVE_LINKS: Final = "DELETE FROM {schema}.merges WHERE player_id = ANY($1::text[])"
WRITE_LINKS: Final = """
INSERT INTO {schema}.merges (player_id, merged_into, survivor)
SELECT player_id, merged_into, survivor
FROM unnest($1::text[], $2::text[], $3::text[]) AS n (player_id, merged_into, survivor)
"""
READ_SURVIVORS: Final = """
SELECT COALESCE(m.survivor, named.player_id) AS player_id
FROM unnest($1::text[]) AS named (player_id)
LEFT JOIN {schema}.merges AS m ON m.player_id = named.player_id
"""


@dataclass(frozen=True, slots=True)
class Groups:
    """What a batch says about groups.

    `regrouped` holds all members, before or after, of the groups that changed. `verified` holds the
    survivors of players whose verification began or ended, each with the number of the fact.
    """

    regrouped: set[str]
    verified: Mapping[str, int]


async def take_in_groups(connection: Connection, schema: str, batch: VerdictBatch) -> Groups:
    """Bring `merges` up to the end of a batch, and return what changed."""
    named = batch.once(_named)
    if not named:
        return Groups(set(), {})
    rows = await connection.fetch(READ_LINKS.format(schema=schema), sorted(named))
    links = {row["player_id"]: row["merged_into"] for row in rows}
    groups = regroup(links, batch.verdicts)
    if groups.regrouped:
        await connection.execute(REMOVE_LINKS.format(schema=schema), sorted(groups.regrouped))
        await connection.execute(
            WRITE_LINKS.format(schema=schema),
            list(links),
            list(links.values()),
            [survivor_of(player_id, links) for player_id in links],
        )
    return groups


async def survivors(connection: Connection, schema: str, player_ids: set[str]) -> set[str]:
    """Return the players that these are read as."""
    rows = await connection.fetch(READ_SURVIVORS.format(schema=schema), sorted(player_ids))
    return {row["player_id"] for row in rows}


def regroup(links: dict[str, str], verdicts: Sequence[Verdict]) -> Groups:
    """Take merges and unmerges into the links of the groups that a batch names. Pure."""
    everyone = {*links, *links.values()}
    is_regrouped = False
    verified: dict[str, int] = {}
    for verdict in verdicts:
        if (told := told_verification(verdict)) is not None:
            verified[survivor_of(told[0], links)] = verdict.answers.fact_seq
        elif (pair := _regrouped_by(verdict)) is not None:
            is_regrouped = True
            everyone |= set(pair)
            if _is_about(verdict, PlayersMerged.TYPE):
                links.update([pair])
            else:
                links.pop(pair[0], None)
    return Groups(everyone if is_regrouped else set(), verified)


def survivor_of(player_id: str, links: Mapping[str, str]) -> str:
    """Return the end of a player's chain of links. Pure."""
    while player_id in links:
        player_id = links[player_id]
    return player_id


def _named(verdicts: Sequence[Verdict]) -> set[str]:
    named: set[str] = set()
    for verdict in verdicts:
        if (told := told_verification(verdict)) is not None:
            named.add(told[0])
        elif (pair := _regrouped_by(verdict)) is not None:
            named |= set(pair)
    return named


def _regrouped_by(verdict: Verdict) -> tuple[str, str] | None:
    """Return who was merged or unmerged, and into whom, by the first part of a verdict."""
    event = verdict.event
    if not isinstance(event, RatingsCorrected) or verdict.answers.part > 1:
        return None
    if event.fact_type == PlayersMerged.TYPE:
        return event.data["player_id"], event.data["into"]
    if event.fact_type == PlayersUnmerged.TYPE:
        return event.data["player_id"], event.data["merged_into"]
    return None


def _is_about(verdict: Verdict, fact_type: str) -> bool:
    event = verdict.event
    return isinstance(event, RatingsCorrected) and event.fact_type == fact_type
