"""Decides that two ids are one person, or two people again. Read `merge_players` first.

Facts keep the ids they were written with. What changes here, in the transaction of the fact and
under the lock on the head, is how they are read: the link, and the prints that recognize what is
sent twice. A merge that is already in force gets the same answer again, and so does its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.ingest.changes.notes import write_note
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import (
    PlayerMerged,
    members_of,
    note_changes,
    sessions_shared,
    survivor_of,
)
from services.ingest.record.reprinting import print_anew
from services.ingest.record.waterline import Writing
from shared.errors import MahjicError, UnknownPlayer
from shared.events.codec import decode_fact
from shared.events.facts import PlayersMerged, PlayersUnmerged, SessionSubmitted
from shared.ids import BOB
from shared.log.postgres import Connection

# The operator has to void the sessions in which the two met. A longer list would not help.
MET_SESSIONS_MAX: Final = 100

READ_LINKS: Final = """
SELECT player_id, merged_into, link_fact_seq FROM mahjic.players WHERE player_id = ANY($1)
"""
SET_LINK: Final = """
UPDATE mahjic.players SET merged_into = $2, link_fact_seq = $3 WHERE player_id = $1
"""
READ_FACT: Final = "SELECT body FROM mahjic.facts WHERE seq = $1"


class NotMergeable(MahjicError):
    """Bob and anonymous players can't be merged, and neither can a player with itself."""

    code = "not_mergeable"
    title = "These players cannot be merged"
    status = 422


class PlayersMet(MahjicError):
    """The two sat at the same table in a round that counts, so they can't be one person."""

    code = "players_met"
    title = "The players sat at the same table"
    status = 409


class NotMerged(MahjicError):
    """The player is not merged into anyone."""

    code = "not_merged"
    title = "The player is not merged"
    status = 409


@dataclass(frozen=True, slots=True)
class Linked:
    """A merge, or the end of one, and its fact. `into` is the player that the link named.

    `is_replayed` is true if it was in force before this request.
    """

    fact_seq: int
    player_id: str
    into: str
    is_replayed: bool


async def merge_players(
    connection: Connection,
    writing: Writing,
    player_id: str,
    into: str,
    ids_and_times: IdsAndTimes,
    *,
    note: str | None = None,
) -> Linked:
    """Treat `player_id`, and everyone merged into it, as `into` from here on.

    Raises NotMergeable, UnknownPlayer, PlayerMerged or PlayersMet before anything is written.
    """
    _check_who(player_id, into)
    links = await _read_links(connection, player_id, into)
    if links[player_id]["merged_into"] == into:
        return Linked(links[player_id]["link_fact_seq"], player_id, into, is_replayed=True)
    moved, joined = await check_mergeable(connection, player_id, into)
    event = PlayersMerged(player_id, into)
    fact_seq = await _write(connection, writing, event, ids_and_times, note)
    await connection.execute(SET_LINK, player_id, into, fact_seq)
    await print_anew(connection, moved)
    await note_changes(connection, writing.head, [*moved, *joined])
    return Linked(fact_seq, player_id, into, is_replayed=False)


async def check_mergeable(
    connection: Connection, player_id: str, into: str
) -> tuple[Sequence[str], Sequence[str]]:
    """Return all ids of the two, if they can be merged, and are not.

    What it says holds as long as the head is locked. Raises what `merge_players` raises.
    """
    _check_who(player_id, into)
    links = await _read_links(connection, player_id, into)
    for each in (player_id, into):
        if links[each]["merged_into"] is not None:
            raise PlayerMerged(each, await survivor_of(connection, each))
    moved = await members_of(connection, player_id)
    joined = await members_of(connection, into)
    await _check_never_met(connection, moved, joined)
    return moved, joined


async def unmerge_players(
    connection: Connection,
    writing: Writing,
    player_id: str,
    ids_and_times: IdsAndTimes,
    *,
    note: str | None = None,
) -> Linked:
    """Undo the merge of `player_id`. Everyone merged into it goes with it.

    Raises UnknownPlayer or NotMerged before anything is written.
    """
    link = (await _read_links(connection, player_id))[player_id]
    if link["merged_into"] is None:
        return await _unmerged_before(connection, player_id, link["link_fact_seq"])
    group = await members_of(connection, await survivor_of(connection, player_id))
    event = PlayersUnmerged(player_id, link["merged_into"])
    fact_seq = await _write(connection, writing, event, ids_and_times, note)
    await connection.execute(SET_LINK, player_id, None, fact_seq)
    await print_anew(connection, await members_of(connection, player_id))
    await note_changes(connection, writing.head, group)
    return Linked(fact_seq, player_id, event.merged_into, is_replayed=False)


def _check_who(player_id: str, into: str) -> None:
    if player_id == into:
        raise NotMergeable(
            f"These two are already one player: {player_id}. Name another one in `into`."
        )
    for each in (player_id, into):
        if each == BOB or each.startswith("AN-"):
            raise NotMergeable(
                f"{each} is imaginary or anonymous: there is no person with an address behind "
                "it. Name two players whose ids start with MJ-."
            )


async def _read_links(connection: Connection, *player_ids: str) -> dict[str, asyncpg.Record]:
    links = {row["player_id"]: row for row in await connection.fetch(READ_LINKS, player_ids)}
    for each in player_ids:
        if each not in links:
            raise UnknownPlayer(f"There is no player with the id {each}.")
    return links


async def _check_never_met(
    connection: Connection, moved: Sequence[str], joined: Sequence[str]
) -> None:
    """Check that no two of them sat at one table in a round that counts. Raises PlayersMet."""
    met: list[str] = []
    async for sessions in sessions_shared(connection, moved, joined):
        met += [each.session_id for each in sessions if _met(each.seated, moved, joined)]
        if len(met) > MET_SESSIONS_MAX:
            break
    if not met:
        return
    shown = met[:MET_SESSIONS_MAX]
    more = " and others" if len(met) > len(shown) else ""
    raise PlayersMet(
        f"They sat at the same table in {', '.join(shown)}{more}. If that was entered wrong, "
        "void or correct it first; nothing was merged.",
        extra={"session_ids": shown, "has_more": len(met) > len(shown)},
    )


def _met(played: SessionSubmitted, moved: Sequence[str], joined: Sequence[str]) -> bool:
    return any(
        not set(moved).isdisjoint(each.players) and not set(joined).isdisjoint(each.players)
        for each in played.rounds
    )


async def _unmerged_before(
    connection: Connection, player_id: str, link_fact_seq: int | None
) -> Linked:
    if link_fact_seq is None:
        raise NotMerged(f"{player_id} is not merged into anyone, so there is nothing to undo.")
    event = decode_fact(await connection.fetchval(READ_FACT, link_fact_seq)).event
    assert isinstance(event, PlayersUnmerged), "The last link of a player without one was undone."
    return Linked(link_fact_seq, player_id, event.merged_into, is_replayed=True)


async def _write(
    connection: Connection,
    writing: Writing,
    event: PlayersMerged | PlayersUnmerged,
    ids_and_times: IdsAndTimes,
    note: str | None,
) -> int:
    """Append the fact, store its note beside it, and return its seq."""
    seq = await writing.append_fact(event, ids_and_times.timestamp())
    await write_note(connection, seq, note)
    return seq
