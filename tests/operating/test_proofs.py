"""What was published is proved from the logs, and whatever was forged is found and named."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest

from services.operating.as_it_is import BothLogs
from services.operating.kafka.moving import move_to_kafka
from services.operating.proofs.auditing import AuditDiffers, NeverRated, audit
from services.operating.proofs.replaying import ReplayDiffers, differences, replay
from services.operating.proofs.verifying import LogsDisagree, SumLawBroken, verify
from shared.events.facts import FactEvent, PlayersMerged, PlayersUnmerged
from shared.ids import BOB
from shared.log.port import HistorySplit
from tests.cli.running import Ended, end_of, start
from tests.conftest import Database
from tests.corrections.histories import a_long_history
from tests.corrections.rating import all_shown, rated
from tests.corrections.stories import beats, corrected, voided
from tests.log.adapters import Logs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.operating.conftest import SESSIONS, Site
from tests.rater.running import all_bodies
from tests.rater.stories import ADOPTED, ENGINE

Record = dict[str, Any]

# Ada wins against Bo, whom Cy beats; the first session was not played after all; Cy was Ada.
STORY: list[FactEvent] = [
    ADOPTED,
    beats("ada", "bo", "s-1"),
    beats("cy", "bo", "s-2"),
    voided("s-1"),
    PlayersMerged("cy", "ada"),
]


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


async def opened(logs: Logs) -> BothLogs:
    return BothLogs(logs.facts, logs.verdicts, await logs.facts.tail(), await logs.verdicts.tail())


async def told_story() -> Logs:
    logs = new_memory_logs()
    await rated(logs, STORY)
    return logs


async def forged(logs: Logs, forge: Callable[[list[Record]], Sequence[Record]]) -> BothLogs:
    """Return the same facts with other verdicts, in a chain without a break."""
    other = new_memory_logs()
    await other.facts.append(await all_bodies(logs.facts))
    records = forge([orjson.loads(body) for body in await all_bodies(logs.verdicts)])
    writer = await other.verdicts.open_writer("a forger")
    await writer.append([orjson.dumps(each) for each in records], fact_seq=len(STORY))
    return await opened(other)


async def test_what_the_rater_published_is_proved_whatever_happened() -> None:
    chance = seeded_chance()
    logs = new_memory_logs()
    facts = a_long_history(chance, 120)
    answers = await rated(logs, facts)
    both = await opened(logs)
    replayed = await replay(both, ENGINE, no_progress)
    assert (replayed.facts, replayed.facts_unanswered) == (len(facts), 0)
    assert replayed.verdicts == replayed.same_bytes == sum(map(len, answers))
    verified = await verify(both, no_progress)
    shown = all_shown(answers)
    assert (verified.facts_answered, verified.players) == (len(facts), len(set(shown) - {BOB}))
    for player_id, standing in shown.items():
        audited = await audit(both, player_id, no_progress)
        numbers = audited.now[player_id]
        assert numbers == (
            standing.rating_centi,
            standing.games,
            standing.verified_rating_centi,
            standing.verified_games,
        )


async def test_facts_that_nobody_answered_yet_are_no_difference() -> None:
    logs = await told_story()
    await logs.facts.append([b"whatever comes next"])
    both = await opened(logs)
    assert (await replay(both, ENGINE, no_progress)).facts_unanswered == 1
    assert (await verify(both, no_progress)).facts_answered == len(STORY)


async def test_verdicts_of_another_engine_are_compared_number_for_number() -> None:
    both = await opened(await told_story())
    replayed = await replay(both, "another-engine", no_progress)
    assert (replayed.verdicts, replayed.same_bytes) == (len(STORY), 0)


def moved_by_one(column: str, place: int) -> Callable[[list[Record]], list[Record]]:
    def forge(records: list[Record]) -> list[Record]:
        records[3]["data"][column][place] += 1
        return records

    return forge


async def test_a_forged_number_is_named_with_what_should_stand_there() -> None:
    both = await forged(await told_story(), moved_by_one("rating_change", 0))
    with pytest.raises(ReplayDiffers) as told:
        await replay(both, ENGINE, no_progress)
    # Ada had won 16.00 in the session that was voided.
    assert "rating_change.0 was published as -1599, and comes out as -1600" in told.value.detail
    assert told.value.extra == {"verdict_seq": 4, "fact_seq": 4, "field": "rating_change.0"}


@pytest.mark.parametrize(
    ("column", "place"),
    [
        ("rating_before", 0),
        ("rating_change", 1),
        ("games_before", 1),
        ("games_after", 0),
        ("verified_rating_before", 0),
        ("verified_rating_change", 1),
        ("verified_games_before", 0),
        ("verified_games_after", 1),
    ],
)
async def test_a_number_that_does_not_go_on_from_the_one_before_breaks_the_sum_law(
    column: str, place: int
) -> None:
    """Also one that is consistent in itself: the next verdict on the player shows it."""
    both = await forged(await told_story(), moved_by_one(column, place))
    with pytest.raises((SumLawBroken, AuditDiffers)):
        await verify_and_audit_all(both)
    with pytest.raises(ReplayDiffers):
        await replay(both, ENGINE, no_progress)


async def verify_and_audit_all(both: BothLogs) -> None:
    await verify(both, no_progress)
    for player_id in ("ada", "bo", "cy"):
        await audit(both, player_id, no_progress)


def without(place: int) -> Callable[[list[Record]], list[Record]]:
    return lambda records: records[:place] + records[place + 1 :]


def twice(place: int) -> Callable[[list[Record]], list[Record]]:
    return lambda records: [*records[: place + 1], *records[place:]]


def of_another_fact(records: list[Record]) -> list[Record]:
    records[2]["data"]["fact_chain"] = "00" * 32
    return records


def of_one_more_part(records: list[Record]) -> list[Record]:
    records[-1]["data"]["parts"] = 2
    return records


@pytest.mark.parametrize(
    "forge", [without(1), without(3), twice(2), twice(4), of_another_fact, of_one_more_part]
)
async def test_verdicts_that_are_not_the_answers_in_their_turn_are_found(
    forge: Callable[[list[Record]], list[Record]],
) -> None:
    both = await forged(await told_story(), forge)
    with pytest.raises(LogsDisagree):
        await verify(both, no_progress)
    with pytest.raises(ReplayDiffers):
        await replay(both, ENGINE, no_progress)


async def test_a_record_that_was_altered_in_its_place_breaks_the_chain() -> None:
    chance = seeded_chance()
    for log in ("facts", "verdicts"):
        logs = await told_story()
        bodies = await all_bodies(getattr(logs, log))
        seq = chance.randint(1, len(bodies))
        await logs.harm.alter(log, seq, bodies[seq - 1].replace(b"mahjic-elo/1", b"mahjic-elo/7"))
        if bodies[seq - 1] == (await all_records(logs, log))[seq - 1]:
            continue
        for proof in (verify, lambda both, show: replay(both, ENGINE, show)):
            with pytest.raises(HistorySplit):
                await proof(await opened(logs), no_progress)


async def all_records(logs: Logs, log: str) -> list[bytes]:
    return [record.body for record in logs.harm._records[log]]  # type: ignore[attr-defined]


async def test_an_audit_names_the_fact_behind_each_number() -> None:
    logs = await told_story()
    found = await audit(await opened(logs), "ada", no_progress)
    assert {each.change_id: each.what for each in found.entries} == {
        "ada.2.1": "s-1",
        "cy.3.1": "s-2",
        "ada.4": "void of s-1 (not_played)",
        "cy.4": "void of s-1 (not_played)",
        "ada.5": "merge of cy",
        "cy.5": "merge of cy",
    }
    assert found.members == ("ada", "cy")
    assert found.now["cy"] == (150_000, 0, 150_000, 0)
    facts = {
        record.seq: record for record in await logs.facts.read(await logs.facts.beginning(), 9)
    }
    for entry in found.entries:
        assert entry.fact_chain == facts[entry.fact_seq].chain.hex()
    other = await audit(await opened(logs), "cy", no_progress)
    assert (other.merged_into, other.members) == ("ada", ("cy",))


async def test_an_audit_after_an_unmerge_is_of_one_id_again() -> None:
    logs = new_memory_logs()
    await rated(
        logs, [*STORY, PlayersUnmerged("cy", "ada"), corrected("s-2", beats("bo", "cy", "s-3"))]
    )
    found = await audit(await opened(logs), "ada", no_progress)
    assert found.members == ("ada",)
    assert found.now == {"ada": (150_000, 0, 150_000, 0)}
    assert found.entries[-1].what == "unmerge of cy"


async def test_nobody_is_audited_who_was_never_rated() -> None:
    with pytest.raises(NeverRated):
        await audit(await opened(await told_story()), "dot", no_progress)


def test_two_values_differ_where_any_part_of_them_does() -> None:
    chance = seeded_chance()
    value = {"a": [1, 2, {"b": None}], "c": "d"}
    assert not list(differences(value, orjson.loads(orjson.dumps(value))))
    for path, other in [
        (("a", 1), 3),
        (("a", 2, "b"), 0),
        (("c",), "e"),
        (("a", 0), True),
        (("a", 0), 1.0),
    ]:
        changed = orjson.loads(orjson.dumps(value))
        inner: Any = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = other
        assert [found for found, _, _ in differences(value, changed)] == [path]
    longer = orjson.loads(orjson.dumps(value))
    longer["a"].append(chance.random())
    assert [was for _, was, _ in differences(value, longer)] == ["nothing"]


async def proved(environment: dict[str, str], *arguments: str) -> Ended:
    return await end_of(await start(*arguments, **environment))


async def test_the_commands_prove_a_season_in_tables(rated: Database) -> None:
    environment = {"MAHJIC_DATABASE_URL": rated.dsn}
    facts = SESSIONS + 1
    replayed = await proved(environment, "replay")
    assert (replayed.exit_code, replayed.stderr) == (0, "")
    assert replayed.stdout.startswith(f"{facts} facts give the {facts} verdicts published, all of")
    verified = await proved(environment, "verify")
    assert f"Facts: {facts} in an unbroken chain" in verified.stdout
    player_id = await rated.pool.fetchval("SELECT min(player_id) FROM mahjic.players")
    audited = await proved(environment, "audit", player_id.lower())
    assert audited.exit_code == 0, audited.stderr
    head, *rows = audited.rows
    assert rows
    assert head[0] == "change_id"
    changes = sum(round(float(row[head.index("change")]) * 100) for row in rows)
    assert round(float(rows[-1][head.index("after")]) * 100) == 150_000 + changes
    told = orjson.loads((await proved(environment, "audit", player_id, "--json")).stdout)
    assert [each["change_id"] for each in told["entries"]] == [row[0] for row in rows]
    last = told["entries"][-1]["after"]
    assert last == told["now"][player_id]
    assert f"{last['rating_centi'] / 100:.2f}" == rows[-1][head.index("after")]
    for command, counted in (("replay", "facts"), ("verify", "facts_answered")):
        told = orjson.loads((await proved(environment, command, "--json")).stdout)
        assert told[counted] == facts
        chain = await rated.pool.fetchval("SELECT chain FROM mahjic.verdicts WHERE seq = $1", facts)
        assert told["verdicts_end"] == {
            "log_id": await rated.pool.fetchval("SELECT log_id FROM mahjic.head"),
            "seq": facts,
            "chain": chain.hex(),
        }


async def test_a_season_is_proved_on_kafka_as_well(site: Site) -> None:
    await move_to_kafka(site.settings, is_lost=False, progress=no_progress)
    for command in ("replay", "verify"):
        ended = await proved(site.environment, command)
        assert ended.exit_code == 0, ended.stderr
        assert f"{SESSIONS + 1} " in ended.stdout
    player_id = await site.pool.fetchval("SELECT min(player_id) FROM mahjic.players")
    audited = await proved(site.environment, "audit", player_id)
    assert f"Replaying the facts up to {SESSIONS + 1} gives the same." in audited.stderr


async def test_a_forged_season_fails_loudly(rated: Database) -> None:
    records = await rated.pool.fetch("SELECT seq, body FROM mahjic.verdicts ORDER BY seq")
    seq, body = seeded_chance().choice(records[1:])
    async with rated.pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(
            "UPDATE mahjic.verdicts SET body = $2 WHERE seq = $1",
            seq,
            body.replace(b'"wall_games":0', b'"wall_games":1'),
        )
    for command in ("replay", "verify"):
        ended = await proved({"MAHJIC_DATABASE_URL": rated.dsn}, command)
        assert ended.exit_code == 1
        assert ended.stderr.startswith("history_split: ")


@pytest.mark.parametrize("log", ["facts", "verdicts"])
async def test_a_log_without_its_last_record_fails_loudly(rated: Database, log: str) -> None:
    async with rated.pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(f"DELETE FROM mahjic.{log} WHERE seq = $1", SESSIONS + 1)
    for command in ("replay", "verify"):
        ended = await proved({"MAHJIC_DATABASE_URL": rated.dsn}, command)
        assert ended.exit_code == 1
        expected = f"log_gap: The log should go up to record {SESSIONS + 1}, but ends at "
        assert ended.stderr.startswith(expected)


async def test_a_database_that_was_never_founded_holds_nothing_to_prove(database: Database) -> None:
    await database.pool.execute("DELETE FROM mahjic.head")
    ended = await proved({"MAHJIC_DATABASE_URL": database.dsn}, "verify")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("nothing_there: The database")


async def test_there_is_nothing_to_prove_where_nothing_is(tmp_path: Any) -> None:
    for command in ("replay", "verify", "audit"):
        arguments = ["MJ-7K3Q9XZM"] if command == "audit" else []
        ended = await proved({"MAHJIC_DATA": str(tmp_path / "none")}, command, *arguments)
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert ended.stderr.startswith("nothing_there: ")
