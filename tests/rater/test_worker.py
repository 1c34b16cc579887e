"""The running rater: how it starts, what stops it, who writes, and that a kill changes nothing."""

import asyncio
import json
from collections import Counter

import pytest

from services.rater import answering
from services.rater.agreement import RaterDisagrees
from services.rater.worker import Progress, run_rater
from shared.events.codec import Fact, UnknownEventType, decode_fact, decode_verdict
from shared.events.facts import FactEvent, FormulaAdopted, PlayerVerified, SessionsVoided
from shared.log.port import HistorySplit, LogGap, WriterReplaced
from shared.log.right import RatingTakenOver
from shared.rating.registry import UnknownFormula
from tests.log.adapters import Logs, TheseLogs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.running import (
    a_running_rater,
    all_bodies,
    all_verdicts,
    canceled,
    error_of,
    start_rater,
    until_answered,
)
from tests.rater.stories import (
    ADOPTED,
    ENGINE,
    a_rater,
    a_round,
    a_session,
    answered,
    fact_bodies,
)

ADA, BO, CLEO = "MJ-ADA", "MJ-BO", "MJ-CLEO"
STORY: list[FactEvent] = [
    ADOPTED,
    PlayerVerified(ADA),
    PlayerVerified(BO),
    a_session(a_round({ADA: 2, BO: 1}, points_centi=(300, -300)), name="s-1"),
    a_session(a_round({CLEO: 2, BO: 1, "BOB": 0}, wall_games=1), name="s-2"),
]


def more_sessions(count: int) -> list[FactEvent]:
    return [
        a_session(a_round({ADA: number % 5, CLEO: number % 3}, wall_games=1), name=f"more-{number}")
        for number in range(count)
    ]


async def rated(logs: Logs, facts: list[FactEvent], *, engine: str = ENGINE) -> None:
    """Let a rater answer everything that is there, after `facts` were added, and stop it."""
    already = (await logs.facts.tail()).seq
    # The place of a fact is in its bytes, so the ones before it are written again here.
    bodies = fact_bodies([*[b"before"] * already, *facts])[already:]
    if bodies:
        await logs.facts.append(bodies)
    async with a_running_rater(logs, engine=engine):
        await until_answered(logs, already + len(facts))


async def test_each_fact_is_decoded_once_on_its_way_to_its_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: Counter[bytes] = Counter()

    def counting(body: bytes) -> Fact:
        decoded[body] += 1
        return decode_fact(body)

    monkeypatch.setattr(answering, "decode_fact", counting)
    logs = new_memory_logs()
    alone: list[FactEvent] = [a_session(a_round({ADA: 1, CLEO: 2}), name="alone")]
    void: list[FactEvent] = [SessionsVoided(("alone",), "not_played")]
    # In one batch: a session, then one about the past, then a session, and so on.
    mixed = [
        fact
        for number, session in enumerate(more_sessions(3))
        for fact in (session, SessionsVoided((f"more-{number}",), "not_played"))
    ]
    for facts in (STORY, alone, void, mixed):
        await rated(logs, facts)
        # What was answered before is read again when a rater starts.
        fresh = (await all_bodies(logs.facts))[-len(facts) :]
        assert [decoded[body] for body in fresh] == [1] * len(fresh)


# What it writes.


async def test_every_fact_is_answered_once_and_in_order(logs: Logs) -> None:
    await rated(logs, STORY)
    verdicts = await all_verdicts(logs)
    facts = await logs.facts.read(await logs.facts.beginning(), 100)
    assert [v.answers.fact_seq for v in verdicts] == [1, 2, 3, 4, 5]
    assert [v.answers.fact_chain for v in verdicts] == [record.chain for record in facts]
    assert {(v.answers.part, v.answers.parts) for v in verdicts} == {(1, 1)}
    assert {(v.answers.formula, v.answers.engine) for v in verdicts} == {("mahjic-elo/1", ENGINE)}
    assert [v.event.TYPE for v in verdicts] == ["fact-noted.v1"] * 3 + ["session-rated.v1"] * 2
    for fact, verdict in zip(facts, await all_bodies(logs.verdicts), strict=True):
        theirs, ours = json.loads(fact.body), json.loads(verdict)
        assert (ours["time"], ours["subject"]) == (theirs["time"], theirs["subject"])
        assert ours["id"] == f"{theirs['id']}.1"


async def test_facts_that_come_while_it_runs_are_answered(logs: Logs) -> None:
    bodies = fact_bodies([*STORY, *more_sessions(20)])
    async with a_running_rater(logs):
        for seq, body in enumerate(bodies, start=1):
            await logs.facts.append([body])
            if seq % 5 == 0:
                await until_answered(logs, seq)
        await until_answered(logs, len(bodies))
    assert await all_bodies(logs.verdicts) == answered([*STORY, *more_sessions(20)])


async def test_a_rater_that_starts_again_writes_the_same_bytes(logs: Logs) -> None:
    for facts in (STORY[:1], STORY[1:4], STORY[4:], more_sessions(300)):
        await rated(logs, facts)
    assert await all_bodies(logs.verdicts) == answered([*STORY, *more_sessions(300)])


async def test_it_tells_how_far_it_is_and_how_many_facts_it_refused(memory_logs: Logs) -> None:
    told: list[Progress] = []
    await memory_logs.facts.append(fact_bodies([ADOPTED, b"poison", b"poison"]))
    rater = asyncio.create_task(
        run_rater(
            memory_logs.facts,
            memory_logs.verdicts,
            holder="one",
            engine=ENGINE,
            tell=told.append,
        )
    )
    await until_answered(memory_logs, 3)
    await canceled(rater)
    assert told[-1] == Progress(fact_seq=3, facts_refused=2)


async def test_one_that_starts_again_tells_where_it_stands_before_it_goes_on(
    memory_logs: Logs,
) -> None:
    await rated(memory_logs, STORY)
    await memory_logs.facts.append(fact_bodies([*STORY, *more_sessions(1)])[len(STORY) :])
    told: list[Progress] = []
    again = asyncio.create_task(
        run_rater(
            memory_logs.facts, memory_logs.verdicts, holder="b", engine=ENGINE, tell=told.append
        )
    )
    await until_answered(memory_logs, len(STORY) + 1)
    await canceled(again)
    assert told == [Progress(len(STORY), 0), Progress(len(STORY) + 1, 0)]


# What stops it.


async def test_what_stands_before_a_fact_of_a_newer_program_is_answered(logs: Logs) -> None:
    newer = b'{"type": "session-submitted.v2", "data": {}}'
    await logs.facts.append(fact_bodies([*STORY, newer, *more_sessions(1)]))
    for _ in range(2):
        error = await error_of(start_rater(logs))
        assert isinstance(error, UnknownEventType)
        assert await all_bodies(logs.verdicts) == answered(STORY)


async def test_a_formula_that_the_program_does_not_have_stops_it(memory_logs: Logs) -> None:
    await memory_logs.facts.append(fact_bodies([ADOPTED, FormulaAdopted("mahjic-elo/99", {})]))
    error = await error_of(start_rater(memory_logs))
    assert isinstance(error, UnknownFormula)
    assert len(await all_bodies(memory_logs.verdicts)) == 1


async def test_a_missing_fact_stops_it(logs: Logs) -> None:
    await logs.facts.append(fact_bodies(STORY))
    await logs.harm.remove("facts", 3)
    assert isinstance(await error_of(start_rater(logs)), LogGap)
    # The record before the gap is not trusted either: reading stops at once.
    assert await all_bodies(logs.verdicts) == []


async def test_a_fact_altered_under_a_running_rater_stops_it(logs: Logs) -> None:
    bodies = fact_bodies([*STORY, *more_sessions(1)])
    await logs.facts.append(bodies[:-1])
    rater = start_rater(logs)
    await until_answered(logs, 5)
    await logs.harm.cut("facts", after_seq=4)
    # Nobody rings; the rater looks by itself.
    assert isinstance(await error_of(rater), HistorySplit)


# How it starts.


async def test_a_log_of_facts_that_is_shorter_than_what_was_rated_stops_it(logs: Logs) -> None:
    await rated(logs, STORY)
    await logs.harm.cut("facts", after_seq=3)
    error = await error_of(start_rater(logs))
    assert isinstance(error, HistorySplit)
    assert len(await all_bodies(logs.verdicts)) == 5


async def test_an_altered_fact_stops_it(logs: Logs) -> None:
    await rated(logs, STORY)
    await logs.harm.alter("facts", 4, fact_bodies(STORY)[4])
    assert isinstance(await error_of(start_rater(logs)), HistorySplit)


async def test_facts_of_another_history_stop_it() -> None:
    rated_logs, others = new_memory_logs(), new_memory_logs()
    await rated(rated_logs, STORY)
    await others.facts.append(fact_bodies([*STORY[:4], *more_sessions(1)]))
    mixed = TheseLogs(others.facts, rated_logs.verdicts, rated_logs.harm)
    error = await error_of(start_rater(mixed))
    assert isinstance(error, HistorySplit)
    assert "a fact 5 that is not" in error.detail


@pytest.mark.parametrize("logs", ["memory_logs", "postgres_logs"], indirect=True)
async def test_verdicts_that_are_gone_stop_it(logs: Logs) -> None:
    await rated(logs, STORY)
    for after_seq in (4, 0):
        await logs.harm.cut("verdicts", after_seq=after_seq)
        assert isinstance(await error_of(start_rater(logs)), HistorySplit)
        assert len(await all_bodies(logs.verdicts)) == after_seq


async def test_verdicts_that_a_topic_has_lost_are_written_again_to_the_byte(
    kafka_logs: Logs,
) -> None:
    await rated(kafka_logs, STORY)
    await rated(kafka_logs, more_sessions(3))
    bodies = await all_bodies(kafka_logs.verdicts)
    for after_seq in (5, 0):  # Transactions are lost as a whole.
        await kafka_logs.harm.cut("verdicts", after_seq=after_seq)
        await rated(kafka_logs, [])
        assert await all_bodies(kafka_logs.verdicts) == bodies


async def test_a_topic_that_ends_within_a_transaction_stops_it(kafka_logs: Logs) -> None:
    await rated(kafka_logs, STORY)
    await kafka_logs.harm.cut("verdicts", after_seq=4)
    assert isinstance(await error_of(start_rater(kafka_logs)), HistorySplit)


async def test_another_engine_that_agrees_on_the_numbers_goes_on(logs: Logs) -> None:
    await rated(logs, STORY, engine="the-old-engine")
    await rated(logs, more_sessions(3), engine="the-new-engine")
    engines = [verdict.answers.engine for verdict in await all_verdicts(logs)]
    assert engines == ["the-old-engine"] * 5 + ["the-new-engine"] * 3
    of_one_engine = [decode_verdict(body) for body in answered([*STORY, *more_sessions(3)])]
    assert [v.event for v in await all_verdicts(logs)] == [v.event for v in of_one_engine]


async def published(logs: Logs, bodies: list[bytes]) -> None:
    """Let the story be on the log of facts, and these bodies be what was said of it."""
    await logs.facts.append(fact_bodies(STORY))
    writer = await logs.verdicts.open_writer("whoever wrote them")
    await writer.append(bodies, fact_seq=len(STORY))
    await writer.close()


def story_with(old: bytes, new: bytes, *, seq: int, engine: str) -> list[bytes]:
    """Return the verdicts on the story, in one of which a text is another."""
    bodies = answered(STORY, a_rater(engine))
    assert bodies[seq - 1].count(old) == 1, bodies[seq - 1]
    bodies[seq - 1] = bodies[seq - 1].replace(old, new)
    return bodies


A_NUMBER = (b'"rating_before":[150000,', b'"rating_before":[150001,')


@pytest.mark.parametrize(("engine", "seq"), [(ENGINE, 5), ("the-old-engine", 5), ("old", 4)])
async def test_another_number_in_a_verdict_stops_it(logs: Logs, engine: str, seq: int) -> None:
    await published(logs, story_with(*A_NUMBER, seq=seq, engine=engine))
    error = await error_of(start_rater(logs))
    assert isinstance(error, RaterDisagrees)
    assert error.code == "rater_disagrees"
    assert f"Verdict {seq} (on fact {seq}, written by engine {engine})" in error.detail
    assert (await logs.verdicts.tail()).seq == 5


async def test_the_same_engine_must_find_the_very_bytes(logs: Logs) -> None:
    spaced = story_with(b'"data":{', b'"data": {', seq=5, engine=ENGINE)
    await published(logs, spaced)
    assert isinstance(await error_of(start_rater(logs)), RaterDisagrees)
    # Another engine may write them in another way.
    await rated(logs, more_sessions(1), engine="another-engine")


async def test_an_altered_verdict_stops_another_engine(logs: Logs) -> None:
    await rated(logs, STORY)
    await logs.harm.alter("verdicts", 4, (await all_bodies(logs.verdicts))[4])
    assert isinstance(await error_of(start_rater(logs, engine="another-engine")), HistorySplit)


@pytest.mark.parametrize("count", [4, 6])
async def test_more_or_fewer_verdicts_than_answers_stop_another_engine(
    logs: Logs, count: int
) -> None:
    bodies = answered([*STORY, *more_sessions(1)], a_rater("the-old-engine"))
    await published(logs, bodies[:count])
    assert isinstance(await error_of(start_rater(logs)), HistorySplit)


# Two of them.


async def test_a_second_rater_takes_over_and_nothing_is_rated_twice(logs: Logs) -> None:
    bodies = fact_bodies([*STORY, *more_sessions(40)])
    await logs.facts.append(bodies[:5])
    first = start_rater(logs, holder="instance one")
    await until_answered(logs, 5)
    second = start_rater(logs, holder="instance two")
    for number, body in enumerate(bodies[5:], start=6):
        await logs.facts.append([body])
        if number % 10 == 0:
            await until_answered(logs, number)
    error = await error_of(first)
    assert isinstance(error, WriterReplaced)
    assert error.exit_code == 3
    await until_answered(logs, len(bodies))
    assert not second.done()
    await canceled(second)
    assert await all_bodies(logs.verdicts) == answered([*STORY, *more_sessions(40)])


async def test_an_idle_rater_that_was_replaced_leaves_too(logs: Logs) -> None:
    await logs.facts.append(fact_bodies(STORY))
    first = start_rater(logs, holder="instance one")
    await until_answered(logs, 5)
    async with a_running_rater(logs, holder="instance two"):
        assert isinstance(await error_of(first), WriterReplaced)


async def test_an_instance_that_was_displaced_starts_no_war(postgres_logs: Logs) -> None:
    await postgres_logs.facts.append(fact_bodies(STORY))
    first = start_rater(postgres_logs, holder="instance one")
    await until_answered(postgres_logs, 5)
    async with a_running_rater(postgres_logs, holder="instance two") as second:
        await postgres_logs.facts.append(fact_bodies([*STORY, *more_sessions(1)])[5:])
        assert isinstance(await error_of(first), WriterReplaced)
        restarted = start_rater(postgres_logs, holder="instance one")
        assert isinstance(await error_of(restarted), RatingTakenOver)
        await until_answered(postgres_logs, 6)
        assert not second.done()
    # The other has left: now it may.
    await rated(postgres_logs, more_sessions(2)[1:])
    assert await all_bodies(postgres_logs.verdicts) == answered([*STORY, *more_sessions(2)])


# Killed.


async def test_a_rater_canceled_at_random_instants_writes_the_bytes_of_one_undisturbed(
    logs: Logs,
) -> None:
    chance = seeded_chance()
    facts = [*STORY, *more_sessions(300)]
    bodies = fact_bodies(facts)
    for _ in range(15):
        page = bodies[(await logs.facts.tail()).seq :][: chance.randrange(1, 20)]
        await logs.facts.append(page)
        rater = start_rater(logs)
        if chance.random() < 0.5:
            # While it writes; else most likely while it starts.
            await until_answered(logs, (await logs.facts.tail()).seq - chance.randrange(len(page)))
        # A turn of the loop is the finest instant at which a task can be canceled.
        for _ in range(chance.randrange(60)):
            await asyncio.sleep(0)
        assert not rater.done()
        await canceled(rater)
    await logs.facts.append(bodies[(await logs.facts.tail()).seq :])
    async with a_running_rater(logs):
        await until_answered(logs, len(bodies))
    assert await all_bodies(logs.verdicts) == answered(facts)
