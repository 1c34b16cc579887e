"""Auditors read both logs byte for byte, and can prove that nothing was left out or altered."""

import base64
import hashlib
import json

import httpx
import pytest

from services.projections.log.queries import CHUNK_RECORDS, find_stretch
from services.projections.log.routes import line_of
from shared.errors import LogUnavailable
from shared.log.memory import MemoryFactLog
from shared.log.port import Log, LogAway, Position, Record
from tests.projections.conftest import AUDITOR, CLUB, OPERATOR, World
from tests.projections.season import LOG_ID


async def records_of(log: Log) -> list[Record]:
    return await log.read(await log.beginning(), 1_000_000)


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
    records = await records_of(world.season.facts if name == "facts" else world.season.log)
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
    (first,) = await records_of(world.season.facts)
    answer = await world.ask("/v1/log/facts", {"from": 2}, OPERATOR)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Mahjic-Chain-Before"] == first.chain.hex()
    assert answer.headers["Mahjic-Chain-After"] == first.chain.hex()
    far = await world.ask("/v1/log/facts", {"from": 3}, OPERATOR)
    assert (far.status_code, far.content) == (200, b"")
    assert "Mahjic-Chain-Before" not in far.headers


async def test_the_logs_are_for_auditors_and_the_operator(world: World) -> None:
    for name in ("facts", "verdicts"):
        assert (await world.ask(f"/v1/log/{name}")).status_code == 401
        assert (await world.ask(f"/v1/log/{name}", headers=CLUB)).status_code == 403
        for wrong in ({"from": 0}, {"limit": 10_001}, {"from": 10**30}):
            assert (await world.ask(f"/v1/log/{name}", wrong, AUDITOR)).status_code == 422


class AwayLog(MemoryFactLog):
    async def tail(self) -> Position:
        raise LogAway("The log is away.")


async def test_a_log_that_is_away_is_told_as_a_service_that_is_unavailable() -> None:
    with pytest.raises(LogUnavailable) as unavailable:
        await find_stretch(AwayLog(LOG_ID), 1, 10)
    assert unavailable.value.status == 503


async def test_records_that_come_while_a_stretch_is_answered_are_not_in_it(world: World) -> None:
    first = await world.ask("/v1/log/verdicts", {}, AUDITOR)
    await world.season.verify("MJ-00000001")
    again = await world.ask("/v1/log/verdicts", {"limit": 1}, AUDITOR)
    assert (again.content, again.headers["Mahjic-Chain-After"]) == (
        first.content,
        first.headers["Mahjic-Chain-After"],
    )


@pytest.mark.parametrize("body", [b"\xff\xfe", b'{"a":\n1}', b'{"a":\r1}', b"", b"not json"])
def test_a_poisoned_record_does_not_break_the_lines(body: bytes) -> None:
    line = line_of(7, body)
    assert b"\n" not in line
    assert b"\r" not in line
    told = json.loads(line)
    assert (told["seq"], base64.b64decode(told["base64"])) == (7, body)
