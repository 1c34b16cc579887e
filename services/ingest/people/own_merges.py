"""Another address of the same person, whose player is merged by the person, without staff.

Both addresses are proved by one account, which the caller has checked. What staff may do beyond the
limits here is `changes.linking`, and so is undoing it: `unmerge_players`.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Final

from services.ingest.changes.linking import Linked, check_mergeable, merge_players
from services.ingest.players.grouped import PersonIds, find_person, write_privacy
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import sessions_of
from services.ingest.record.waterline import Writing
from shared.errors import MahjicError
from shared.log.postgres import Connection

# A person has a few addresses. Whoever joins more of them, or a longer history, may be somebody who
# wants to look better, and staff look at it first.
OWN_MERGES_MAX: Final = 3
OWN_ROUNDS_MAX: Final = 500

COUNT_MERGES: Final = """
SELECT count(*) FROM mahjic.own_merges WHERE player_id = ANY($1) OR into_id = ANY($1)
"""
KEEP: Final = "INSERT INTO mahjic.own_merges (fact_seq, player_id, into_id) VALUES ($1, $2, $3)"
READ_PRIVACY: Final = """
SELECT count(*) < cardinality($1::text[]) OR bool_or(is_private)
FROM mahjic.people WHERE player_id = ANY($1)
"""
COUNTING: Final = """
SELECT session_id FROM mahjic.submissions
WHERE session_id = ANY($1) AND status = 'accepted'
"""


class AskStaffToMerge(MahjicError):
    """Too many merges, or too long a history, for a person to decide alone."""

    code = "ask_staff_to_merge"
    title = "Staff have to look at this merge"
    status = 409


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a merge would move, and why it is not possible, if it is not.

    `rounds`, `sessions`, `sources` and the days are of the player that would be read as `into`;
    with more than OWN_ROUNDS_MAX rounds they are not counted to the end, and `is_more` says so.
    One private player of the two hides both (decision 0011), unless the person chooses otherwise.
    """

    player_id: str
    into: str
    rounds: int
    sessions: int
    sources: tuple[str, ...]
    first_day: date | None
    last_day: date | None
    is_more: bool
    is_private: bool
    into_is_private: bool
    why_not: MahjicError | None

    @property
    def would_be_private(self) -> bool:
        """Whether nobody would see the two, if nothing is chosen."""
        return self.is_private or self.into_is_private


@dataclass(slots=True)
class _Moved:
    """What is counted of a player's history."""

    rounds: int = 0
    sessions: int = 0
    sources: set[str] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    is_more: bool = False


async def look_at_merge(connection: Connection, player_id: str, into: str) -> MergePreview:
    """Return what `merge_own` would do. Nothing is written. Raises UnknownPlayer.

    Anybody may have played in the meantime, so a merge checks everything again.
    """
    moved, joined = await find_person(connection, player_id), await find_person(connection, into)
    counted = await _count(connection, moved)
    why_not: MahjicError | None = None
    try:
        await _check_own(connection, moved, joined, counted)
        await check_mergeable(connection, moved.survivor, joined.survivor)
    except MahjicError as error:
        why_not = error
    return MergePreview(
        player_id=moved.survivor,
        into=joined.survivor,
        rounds=counted.rounds,
        sessions=counted.sessions,
        sources=tuple(sorted(counted.sources)),
        first_day=min(counted.days, default=None),
        last_day=max(counted.days, default=None),
        is_more=counted.is_more,
        is_private=await _is_private(connection, moved),
        into_is_private=await _is_private(connection, joined),
        why_not=why_not,
    )


async def merge_own(
    connection: Connection,
    writing: Writing,
    player_id: str,
    into: str,
    ids_and_times: IdsAndTimes,
    *,
    is_private: bool,
) -> Linked | None:
    """Merge a person's player into the other one, and show or hide the two as the person chose.

    Two that are one already are only shown or hidden, and None is returned. Raises AskStaffToMerge,
    and what `merge_players` raises, before anything is written.
    """
    moved, joined = await find_person(connection, player_id), await find_person(connection, into)
    linked: Linked | None = None
    if moved.survivor != joined.survivor:
        await _check_own(connection, moved, joined, await _count(connection, moved))
        # The ends of both chains, so that a third address can follow.
        linked = await merge_players(
            connection, writing, moved.survivor, joined.survivor, ids_and_times
        )
        await connection.execute(KEEP, linked.fact_seq, linked.player_id, linked.into)
    group = await find_person(connection, joined.survivor)
    await write_privacy(connection, writing, group, is_private=is_private, by="player")
    return linked


async def _check_own(
    connection: Connection, moved: PersonIds, joined: PersonIds, counted: _Moved
) -> None:
    """Check that a person may merge these two alone. Raises AskStaffToMerge."""
    members = [*moved.members, *joined.members]
    if await connection.fetchval(COUNT_MERGES, members) >= OWN_MERGES_MAX:
        raise AskStaffToMerge(
            f"You have joined {OWN_MERGES_MAX} players into one by yourself already. Write to us "
            "if there is another one; nothing was merged."
        )
    if counted.is_more:
        raise AskStaffToMerge(
            f"This player has more than {OWN_ROUNDS_MAX} rounds. Write to us, and we will look at "
            "it together; nothing was merged."
        )


async def _count(connection: Connection, moved: PersonIds) -> _Moved:
    """Count the rounds that would move, and stop where staff have to decide anyway."""
    counted = _Moved()
    async for sessions in sessions_of(connection, moved.members):
        rows = await connection.fetch(COUNTING, [each.session_id for each in sessions])
        counting = {row["session_id"] for row in rows}
        for each in sessions:
            rounds = sum(
                not set(moved.members).isdisjoint(one.players) for one in each.seated.rounds
            )
            if each.session_id not in counting or not rounds:
                continue
            counted.sessions += 1
            counted.sources.add(each.source)
            counted.days.add(date.fromisoformat(each.played.session_date))
            counted.rounds += rounds
            if counted.rounds > OWN_ROUNDS_MAX:
                counted.is_more = True
                return counted
    return counted


async def _is_private(connection: Connection, group: PersonIds) -> bool:
    return bool(await connection.fetchval(READ_PRIVACY, group.members))
