"""Merges among submissions of several processes: one order, and each lawful at its place."""

import asyncio
import contextlib
import itertools
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.ingest.changes.answering import ChangeAnswer, ChangePorts
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.changes.linking import Linked, merge_players, unmerge_players
from services.ingest.changes.voids import Voiding, void_session
from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ingest.record.deciding import Change
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judgment import Accepted
from services.ingest.record.judging.refusing import AskTheOperator
from services.ingest.record.recorder import Recorder
from services.ingest.record.waterline import Waterline, Writing
from shared.errors import ClaimRefused, MahjicError
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayersMerged,
    PlayersUnmerged,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.log.postgres import Connection
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns
from tests.conftest import Database
from tests.ingest.changes.asking import ports_on
from tests.ingest.changes.linking.merges import (
    check_links,
    check_prints,
    check_seats,
    events_on,
    survivor,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, ids_and_times_of, recording
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.log.postgres.broken_line import Loss, broken_line

IDS_AND_TIMES = ids_and_times_of(random.Random(4))
NAMES = ("ada", "bo", "cy", "dee", "eve", "flo")
PROCESSES = 4
# More messages than a merge takes, from its connection to its commit.
MESSAGES = 20
VOID = "UPDATE mahjic.submissions SET status = 'voided' WHERE session_id = $1"

Act = Callable[[Recorder], Awaitable[str]]


@pytest.fixture
async def ids(office: Database) -> dict[str, str]:
    """Return the ids of players by name who have not met yet."""
    ids_and_times = ids_and_times_of(random.Random(2))
    return {
        name: (
            await register(
                office.pool, Waterline(), read_person(f"{name}@example.com"), ids_and_times
            )
        ).player_id
        for name in NAMES
    }


@asynccontextmanager
async def processes(dsn: str) -> AsyncIterator[list[Recorder]]:
    """Run as many recorders as there are processes, each on connections of its own."""
    async with contextlib.AsyncExitStack() as stack, deadline():
        yield [
            await stack.enter_async_context(recording(dsn, ids_and_times_of(random.Random(number))))
            for number in range(PROCESSES)
        ]


def merging(player_id: str, into: str, ids_and_times: IdsAndTimes) -> Change[Linked]:
    """Return the change that merges a player into another."""

    async def change(connection: Connection, writing: Writing) -> Linked:
        return await merge_players(connection, writing, player_id, into, ids_and_times)

    return change


def unmerging(player_id: str, ids_and_times: IdsAndTimes) -> Change[Linked]:
    """Return the change that undoes a merge."""

    async def change(connection: Connection, writing: Writing) -> Linked:
        return await unmerge_players(connection, writing, player_id, ids_and_times)

    return change


async def outcome_of_change(recorder: Recorder, change: Change[Linked]) -> str:
    """Return in a word what became of a change."""
    try:
        linked = await recorder.decide(change)
    except MahjicError as refusal:
        return refusal.code
    return "held before" if linked.is_replayed else "done"


async def at_once(recorders: Sequence[Recorder], *changes: Change[Linked]) -> list[str]:
    """Ask several processes for changes at the same time."""
    return await asyncio.gather(
        *(
            outcome_of_change(recorders[number % PROCESSES], change)
            for number, change in enumerate(changes)
        )
    )


async def test_one_merge_asked_for_by_all_at_once_is_one_fact(
    office: Database, ids: dict[str, str]
) -> None:
    ids_and_times = ids_and_times_of(random.Random(3))
    same = merging(ids["ada"], ids["bo"], ids_and_times)
    async with processes(office.dsn) as recorders:
        assert Counter(await at_once(recorders, *[same] * 12)) == {"done": 1, "held before": 11}
        undo = unmerging(ids["ada"], ids_and_times)
        assert Counter(await at_once(recorders, *[undo] * 12)) == {"done": 1, "held before": 11}
    assert (await events_on(office.pool))[1:] == [
        PlayersMerged(ids["ada"], ids["bo"]),
        PlayersUnmerged(ids["ada"], ids["bo"]),
    ]


async def test_of_merges_that_would_make_a_ring_one_is_refused(
    office: Database, ids: dict[str, str]
) -> None:
    ids_and_times = ids_and_times_of(random.Random(3))
    ada, bo, cy = ids["ada"], ids["bo"], ids["cy"]
    ring = [(ada, bo), (bo, ada)], [(ada, bo), (bo, cy), (cy, ada)]
    async with processes(office.dsn) as recorders:
        for merges in ring:
            done = await at_once(recorders, *(merging(*each, ids_and_times) for each in merges))
            assert done.count("done") >= 1
            assert "player_merged" in done
            await check_links(office.pool)
            await at_once(recorders, *(unmerging(each, ids_and_times) for each in (ada, bo, cy)))
        assert await office.pool.fetchval("SELECT count(merged_into) FROM mahjic.players") == 0


async def test_whoever_is_merged_while_they_meet_is_refused_the_one_or_the_other(
    office: Database, ids: dict[str, str]
) -> None:
    chance = seeded_chance()
    ids_and_times = ids_and_times_of(chance)
    # Who was in an accepted session: of others the source is not told as whom they are read.
    had: set[str] = set()
    async with processes(office.dsn) as recorders:
        for number in range(30):
            one, other = chance.sample(NAMES, 2)
            meeting = a_submission(number, a_session(a_round({one: 1, other: 0}), on=day(number)))
            acts: list[Act] = [
                _deciding(merging(ids[one], ids[other], ids_and_times)),
                _recording(meeting),
            ]
            chance.shuffle(acts)
            told = await asyncio.gather(*(act(recorders[place]) for place, act in enumerate(acts)))
            refusal = "player_twice" if {one, other} <= had else "ask_the_operator"
            assert set(told) in ({"accepted", "players_met"}, {"done", refusal})
            if "accepted" in told:
                had |= {one, other}
            # As they were, for the next to meet.
            await office.pool.execute(VOID, meeting.session_id)
            await at_once(recorders, unmerging(ids[one], ids_and_times))
    await check_links(office.pool)
    await check_prints(office.pool)


def day(number: int) -> str:
    """Return a date of its own for each number."""
    return f"2025-{number % 12 + 1:02}-{number // 12 + 1:02}"


def _deciding(change: Change[Linked]) -> Act:
    async def act(recorder: Recorder) -> str:
        return await outcome_of_change(recorder, change)

    return act


def _recording(submission: Submission) -> Act:
    async def act(recorder: Recorder) -> str:
        try:
            judgment = await recorder.record(submission)
        except ClaimRefused as refused:
            return refused.mistakes[0].code
        except AskTheOperator as refusal:
            return refusal.code
        return "accepted" if isinstance(judgment, Accepted) else "something else"

    return act


def some_act(number: int, ids: Mapping[str, str], chance: random.Random) -> Act:
    """Return a submission, a void, a correction, a merge or the end of one."""
    one, other = chance.sample(NAMES, 2)
    table = chance.sample(NAMES, chance.choice([2, 3]))
    claim = a_session(a_round(dict.fromkeys(table, 0), wall_games=1), on=day(number))
    submission = a_submission(number, claim)
    earlier = a_submission(chance.randrange(number + 1), claim).session_id
    match chance.choices(["submit", "merge", "unmerge", "void", "correct"], (30, 30, 15, 15, 10))[
        0
    ]:
        case "submit":
            return _recording(submission)
        case "merge":
            return _deciding(merging(ids[one], ids[other], IDS_AND_TIMES))
        case "unmerge":
            return _deciding(unmerging(ids[one], IDS_AND_TIMES))
        case "void":
            return _changing(
                lambda ports: void_session(
                    Voiding((earlier,), "other", None, None), wait_s=0, ports=ports
                )
            )
        case _:
            return _changing(
                lambda ports: correct_session(
                    AskedCorrection(earlier, submission, "other", None, None), wait_s=0, ports=ports
                )
            )


def _changing(change: Callable[[ChangePorts], Awaitable[ChangeAnswer[object]]]) -> Act:
    async def act(recorder: Recorder) -> str:
        try:
            answer = await change(ports_on(recorder, IDS_AND_TIMES))
        except ClaimRefused as refused:
            return refused.mistakes[0].code
        except MahjicError as refusal:
            return refusal.code
        return "replayed" if answer.is_replayed else "changed"

    return act


async def test_a_storm_of_merges_and_submissions_is_lawful_at_every_place_of_the_log(
    office: Database, ids: dict[str, str]
) -> None:
    chance = seeded_chance()
    acts = deque(some_act(number, ids, chance) for number in range(250))

    async def work(recorder: Recorder) -> list[str]:
        told = []
        while acts:
            told.append(await acts.popleft()(recorder))
        return told

    async with processes(office.dsn) as recorders:
        told = await asyncio.gather(*(work(each) for each in recorders * 3))
    outcomes = Counter(each for of_one in told for each in of_one)
    assert outcomes["done"] > 0
    assert outcomes["accepted"] > 0
    assert outcomes["changed"] > 0
    assert "something else" not in outcomes
    events = await events_on(office.pool)
    check_lawful(events)
    chronicle = Chronicle(StoredColumns())
    for seq, event in enumerate(events, start=1):
        # The rater takes in every one of them, or this raises.
        chronicle.take_in(seq, event)
    changes = [each for each in events if isinstance(each, PlayersMerged | PlayersUnmerged)]
    assert len(changes) == outcomes["done"]
    await check_links(office.pool)
    await check_prints(office.pool)
    await check_seats(office.pool)


def check_lawful(events: Sequence[FactEvent]) -> None:
    """Go through the log: nobody sits with himself, and nobody is merged who is or has met."""
    links: dict[str, str] = {}
    tables: dict[str, list[tuple[str, ...]]] = {}
    for event in events:
        match event:
            case PlayersMerged(player_id, into):
                assert player_id not in links
                assert into not in links
                links[player_id] = into
            case PlayersUnmerged(player_id, merged_into):
                assert links.pop(player_id) == merged_into
            case SessionSubmitted(session_id, rounds=rounds):
                tables[session_id] = [played.players for played in rounds]
            case SessionCorrected(corrects, _, session):
                tables.pop(corrects, None)
                tables[session.session_id] = [played.players for played in session.rounds]
            case SessionsVoided(session_ids):
                for each in session_ids:
                    del tables[each]
            case _:
                assert isinstance(event, FormulaAdopted)
        for table in itertools.chain(*tables.values()):
            assert len({survivor(each, links) for each in table}) == len(table)


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_whatever_message_is_lost_a_merge_is_written_once_and_told_as_done(
    office: Database, ids: dict[str, str], line_folder: Path, loss: Loss
) -> None:
    ids_and_times = ids_and_times_of(random.Random(3))
    played = [a_submission(n, a_session(a_round(ada=1, cy=0), on=day(n))) for n in range(3)]
    losses: list[int] = []
    async with (
        broken_line(office.dsn, line_folder) as (line, dsn),
        recording(dsn, ids_and_times) as recorder,
        deadline(),
    ):
        for each in played:
            await recorder.record(each)
        for message in range(MESSAGES):
            change = (
                unmerging(ids["ada"], ids_and_times)
                if message % 2
                else merging(ids["ada"], ids["bo"], ids_and_times)
            )
            lost_before = line.losses
            line.plan((message, loss))
            assert await outcome_of_change(recorder, change) == "done", message
            line.plan()
            losses.append(line.losses - lost_before)
    # Each message was lost once, the one that commits too: the last ones were never sent.
    assert losses == sorted(losses, reverse=True)
    assert (losses[8], losses[-1]) == (1, 0)
    changes = (await events_on(office.pool))[4:]
    assert changes == [
        PlayersUnmerged(ids["ada"], ids["bo"])
        if message % 2
        else PlayersMerged(ids["ada"], ids["bo"])
        for message in range(MESSAGES)
    ]
    await check_prints(office.pool)
