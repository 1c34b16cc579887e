"""The path of a merge and of its end: decide, wait for the effect, answer."""

import asyncio

from services.ingest.changes.answering import ChangeAnswer, ChangePorts, effect_of, verdict_on
from services.ingest.changes.linking import Linked, merge_players, unmerge_players
from services.ingest.record.waterline import Writing
from shared.answers.effects import MergeAnswer
from shared.log.postgres import Connection


async def merge(
    player_id: str, into: str, note: str | None, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[MergeAnswer]:
    """Merge `player_id` into `into`. The answer says who moved, if that is known in time.

    Raises the same as `merge_players`.
    """

    async def decide(connection: Connection, writing: Writing) -> Linked:
        return await merge_players(
            connection, writing, player_id, into, ports.ids_and_times, note=note
        )

    deadline_s = asyncio.get_running_loop().time() + wait_s
    linked = await ports.recorder.decide(decide)
    return await _answer(linked, deadline_s, ports, is_merged=True)


async def unmerge(
    player_id: str, note: str | None, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[MergeAnswer]:
    """Undo the merge of a player. The answer says who moved, if that is known in time.

    Raises the same as `unmerge_players`.
    """

    async def decide(connection: Connection, writing: Writing) -> Linked:
        return await unmerge_players(connection, writing, player_id, ports.ids_and_times, note=note)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    linked = await ports.recorder.decide(decide)
    return await _answer(linked, deadline_s, ports, is_merged=False)


async def _answer(
    linked: Linked, deadline_s: float, ports: ChangePorts, *, is_merged: bool
) -> ChangeAnswer[MergeAnswer]:
    verdict = await verdict_on(linked.fact_seq, deadline_s, ports)
    body: MergeAnswer = {
        "player_id": linked.player_id,
        "into": linked.into,
        "is_merged": is_merged,
        "fact_seq": linked.fact_seq,
        "seq": linked.fact_seq,
        "effect": effect_of(linked.fact_seq, verdict, shown_to=None),
    }
    return ChangeAnswer(body, verdict is not None, linked.is_replayed)
