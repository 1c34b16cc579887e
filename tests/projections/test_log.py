"""Auditors read both logs byte for byte, and can prove that nothing was left out or altered."""

import base64
import hashlib
import json
from dataclasses import dataclass

import httpx
import pytest

from services.projections.log.queries import CHUNK_RECORDS
from services.projections.log.routes import line_of
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.log.port import Record
from tests.projections.conftest import AUDITOR, CLUB, OPERATOR, World
from tests.projections.season import LOG_ID


@dataclass(frozen=True)
class Logs:
    facts: list[Record]
    verdicts: list[Record]


async def stored(world: World) -> Logs:
    """Put both logs of the season into the tables."""
    await world.pool.execute(
        "INSERT INTO mahjic.head VALUES (true, $1, 0, $2, 0)", LOG_ID, b"\0" * 32
    )

    async def copy(name: str, log: MemoryFactLog | MemoryVerdictLog) -> list[Record]:
        records = await log.read(await log.beginning(), 1_000_000)
        rows = [(record.seq, record.chain, record.body) for record in records]
        await world.pool.copy_records_to_table(name, records=rows, schema_name="mahjic")
        return records

    return Logs(await copy("facts", world.season.facts), await copy("verdicts", world.season.log))


def chain_over(answer: httpx.Response) -> str:
    """Chain the lines of an answer by hand, as an auditor does."""
    chain = bytes.fromhex(answer.headers["Mahjic-Chain-Before"])
    for line in answer.content.splitlines():
        chain = hashlib.sha256(chain + line).digest()
    return chain.hex()


@pytest.mark.parametrize("name", ["facts", "verdicts"])
async def test_an_auditor_can_prove_the_whole_log(world: World, name: str) -> None:
    for number in range(CHUNK_RECORDS + 30):
        await world.season.verify(f"MJ-{number:08}")
    logs = await stored(world)
    records: list[Record] = getattr(logs, name)
    first = hashlib.sha256(f"/logs/{LOG_ID}/{name}".encode()).hexdigest()
    lines: list[bytes] = []
    chain = first
    while len(lines) < len(records):
        asked = {"from": len(lines) + 1, "limit": CHUNK_RECORDS + 9}
        answer = await world.ask(f"/v1/log/{name}", asked, AUDITOR)
        assert answer.headers["Mahjic-Log-Id"] == LOG_ID
        assert answer.headers["Mahjic-Chain-Before"] == chain
        chain = answer.headers["Mahjic-Chain-After"]
        assert chain_over(answer) == chain
        lines += answer.content.splitlines()
    assert lines == [record.body for record in records]
    assert chain == records[-1].chain.hex()


async def test_beyond_the_end_there_is_nothing_and_the_chain_tells_where_it_ends(
    world: World,
) -> None:
    logs = await stored(world)
    answer = await world.ask("/v1/log/facts", {"from": 2}, OPERATOR)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Mahjic-Chain-Before"] == logs.facts[0].chain.hex()
    assert answer.headers["Mahjic-Chain-After"] == logs.facts[0].chain.hex()
    far = await world.ask("/v1/log/facts", {"from": 3}, OPERATOR)
    assert (far.status_code, far.content) == (200, b"")
    assert "Mahjic-Chain-Before" not in far.headers


async def test_the_logs_are_for_auditors_and_the_operator(world: World) -> None:
    await stored(world)
    for name in ("facts", "verdicts"):
        assert (await world.ask(f"/v1/log/{name}")).status_code == 401
        assert (await world.ask(f"/v1/log/{name}", headers=CLUB)).status_code == 403
        for wrong in ({"from": 0}, {"limit": 10_001}, {"from": 10**30}):
            assert (await world.ask(f"/v1/log/{name}", wrong, AUDITOR)).status_code == 422


@pytest.mark.parametrize("body", [b"\xff\xfe", b'{"a":\n1}', b'{"a":\r1}', b"", b"not json"])
def test_a_poisoned_record_does_not_break_the_lines(body: bytes) -> None:
    line = line_of(7, body)
    assert b"\n" not in line
    assert b"\r" not in line
    told = json.loads(line)
    assert (told["seq"], base64.b64decode(told["base64"])) == (7, body)
