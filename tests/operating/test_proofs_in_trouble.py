"""Proofs say what is in their way, stop when they are told to, and show how far they are."""

import asyncio
import signal
from pathlib import Path

import orjson
import pytest

from services.foresight.season import read_season
from services.operating.as_it_is import BothLogs
from services.operating.proofs.auditing import NeverRated, audit
from services.operating.proofs.replaying import replay
from services.operating.proofs.verifying import verify
from shared.events.codec import UnknownEventType
from shared.events.facts import FactEvent, PlayersMerged, PlayersUnmerged
from tests.cli.running import end_of, start
from tests.cli.terminal.test_terminal import on_terminal
from tests.conftest import Database
from tests.corrections.rating import rated as let_rate
from tests.corrections.stories import beats, voided
from tests.folders import open_folder
from tests.log.adapters import new_memory_logs
from tests.operating.conftest import SESSIONS, play
from tests.processes import serving
from tests.rater.stories import ADOPTED, ENGINE, a_round, a_session, answered, fact_bodies
from tests.service import running_service

FORMULA = "mahjic-elo/2-scaled"
COMMANDS = [("replay",), ("verify",), ("audit", "MJ-7K3Q9XZM"), ("formula", "try", FORMULA)]

COMMANDS_ON_LOGS = COMMANDS[:2]


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


async def told(facts: list[FactEvent], *more: bytes) -> BothLogs:
    """Return the logs of rated facts, and of more of them that nobody has rated."""
    logs = new_memory_logs()
    await let_rate(logs, facts)
    if more:
        await logs.facts.append(more)
    return BothLogs(logs.facts, logs.verdicts, await logs.facts.tail(), await logs.verdicts.tail())


async def test_facts_of_a_newer_program_that_are_not_rated_stop_no_proof() -> None:
    facts: list[FactEvent] = [ADOPTED, beats("ada", "bo", "s-1")]
    newer = orjson.loads(fact_bodies([*facts, voided("s-1")])[-1])
    newer["type"] = "players-entangled.v1"
    both = await told(facts, orjson.dumps(newer))
    assert (await replay(both, ENGINE, no_progress)).facts_unanswered == 1
    assert (await verify(both, no_progress)).facts_answered == 2
    assert len((await audit(both, "ada", no_progress)).entries) == 1
    with pytest.raises(UnknownEventType, match="players-entangled"):
        await read_season(both.facts, both.facts_end.seq, no_progress)


async def test_records_that_are_no_facts_are_proved_as_refused() -> None:
    logs = new_memory_logs()
    good = fact_bodies([ADOPTED, beats("ada", "bo", "s-1"), voided("s-9")])
    bodies = [*good, b"\xff", b"{}", b""]
    await logs.facts.append(bodies)
    writer = await logs.verdicts.open_writer("one")
    await writer.append(answered(bodies), fact_seq=len(bodies))
    both = BothLogs(logs.facts, logs.verdicts, await logs.facts.tail(), await logs.verdicts.tail())
    replayed = await replay(both, ENGINE, no_progress)
    assert (replayed.facts, replayed.same_bytes) == (6, 6)
    assert (await verify(both, no_progress)).facts_answered == 6
    assert len((await audit(both, "ada", no_progress)).entries) == 1


async def test_an_audit_follows_merges_of_merged_ids_and_back() -> None:
    merges: list[FactEvent] = [
        ADOPTED,
        beats("ada", "x", "s-1"),
        beats("bo", "x", "s-2"),
        beats("cy", "x", "s-3"),
        PlayersMerged("ada", "bo"),
        PlayersMerged("bo", "cy"),
    ]
    found = await audit(await told(merges), "cy", no_progress)
    assert found.members == ("ada", "bo", "cy")
    newcomer = (150_000, 0, 150_000, 0)
    assert (found.now["ada"], found.now["bo"]) == (newcomer, newcomer)
    assert found.now["cy"][1] == 3
    inner = await audit(await told(merges), "bo", no_progress)
    assert (inner.members, inner.merged_into) == (("ada", "bo"), "cy")
    parted = [*merges, PlayersUnmerged("bo", "cy")]
    found = await audit(await told(parted), "bo", no_progress)
    assert (found.members, found.merged_into) == (("ada", "bo"), None)
    assert found.now["bo"][1] == 2
    assert found.entries[-1].what == "unmerge of bo"


async def test_anonymous_players_are_audited_and_bob_stands_where_he_stood() -> None:
    table = a_round({"AN-0000001Y": 1, "ada": 0, "BOB": 2})
    both = await told([ADOPTED, a_session(table, name="s-1"), a_session(table, name="s-2")])
    anonymous = await audit(both, "AN-0000001Y", no_progress)
    assert anonymous.now["AN-0000001Y"][1] == 6
    bob = await audit(both, "BOB", no_progress)
    assert bob.now == {"BOB": (150_000, 0, 150_000, 0)}
    assert {each.before for each in bob.entries} == {each.after for each in bob.entries}
    with pytest.raises(NeverRated):
        await audit(both, "AN-0000000X", no_progress)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_proof_ends_at_a_signal_and_says_nothing(
    rated: Database, command: tuple[str, ...], number: signal.Signals
) -> None:
    async with rated.pool.acquire() as writer, writer.transaction():
        await writer.execute("LOCK TABLE mahjic.facts, mahjic.verdicts IN ACCESS EXCLUSIVE MODE")
        program = await start(*command, MAHJIC_DATABASE_URL=rated.dsn)
        await _somebody_waits(rated)
        program.send_signal(number)
        ended = await end_of(program)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (128 + number, "", "")


async def _somebody_waits(database: Database) -> None:
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with asyncio.timeout(60):
        while await database.pool.fetchval(waiting) == 0:
            await asyncio.sleep(0.01)


async def test_a_person_sees_how_far_a_proof_is(rated: Database) -> None:
    player_id = await rated.pool.fetchval("SELECT min(player_id) FROM mahjic.players")
    settings = {"MAHJIC_DATABASE_URL": rated.dsn}
    for command, title, at_hand in [
        (("replay",), "Replaying", f"fact {SESSIONS + 1}"),
        (("verify",), "Verifying", f"verdict {SESSIONS + 1}"),
        (("audit", player_id), "Auditing", f"fact {SESSIONS + 1}"),
        (("formula", "try", FORMULA), "Trying", FORMULA),
    ]:
        shown = await on_terminal(*command, **settings)
        assert title in shown
        assert at_hand in shown
        if command[0] == "audit":
            framed = [line for line in shown.splitlines() if player_id + "." in line]
            assert framed
            assert all(len(line.rstrip()) <= 80 for line in framed)


async def test_logs_are_proved_while_they_are_written(rated: Database) -> None:
    async with running_service(rated) as service:
        writing = asyncio.create_task(play(service, range(SESSIONS, SESSIONS + 200)))
        proofs = 0
        while not writing.done():
            for command in COMMANDS_ON_LOGS:
                ended = await end_of(await start(*command, MAHJIC_DATABASE_URL=rated.dsn))
                assert (ended.exit_code, ended.stderr) == (0, "")
                proofs += 1
        await writing
    assert proofs


async def test_a_cluster_that_is_away_is_told(rated: Database) -> None:
    await rated.pool.execute(
        "INSERT INTO mahjic.kafka (cluster_id, prefix, is_moved)"
        " VALUES ('a cluster', 'mahjic', true)"
    )
    settings = {"MAHJIC_DATABASE_URL": rated.dsn}
    for command in COMMANDS:
        ended = await end_of(await start(*command, **settings))
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert ended.stderr.startswith("kafka_not_named: ")
        ended = await end_of(await start(*command, MAHJIC_KAFKA_SERVERS="127.0.0.1:1", **settings))
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert ended.stderr.startswith("log_away: ")


async def test_a_data_folder_is_proved_beside_its_service_and_after_it() -> None:
    folder: Path = open_folder()
    settings = {"MAHJIC_DATA": str(folder / "data")}
    told_by_both = []
    async with serving(settings):
        told_by_both.append(await end_of(await start("verify", **settings)))
        replayed = await end_of(await start("replay", **settings))
    told_by_both.append(await end_of(await start("verify", **settings)))
    assert replayed.stdout.startswith("1 facts give the 1 verdicts published")
    assert told_by_both[0] == told_by_both[1]
    assert (told_by_both[0].exit_code, told_by_both[0].stderr) == (0, "")
