"""What clubs are told: of their own sessions everything, of others what everyone may see."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from services.ingest.people.disputes import dispute
from services.notices import api
from services.notices.keeping import sweep_notices
from services.notices.place import notice_again
from shared.access.sources import resume_source, suspend_source
from shared.db.backups.backup import backup
from shared.db.backups.restore import restore
from shared.db.bell import Bell
from shared.db.server.embedded import EmbeddedServer
from shared.notices.writing import NOTICES_CHANNEL
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.log.deadlines import until
from tests.notices.town import NoticeTown
from tests.service import bearer, running_service

ADA, BO, CY = "ada@example.com", "bo@example.com", "cy@example.com"


def kinds(events: list[Any]) -> list[str]:
    return [each["type"] for each in events]


async def test_a_rated_session_is_told_with_the_numbers_of_its_answer(town: NoticeTown) -> None:
    answer = await town.night(ADA, BO)
    (event,) = await town.told()
    assert (event["number"], event["type"], event["source"]) == (1, "session.rated", "a-club")
    data = event["data"]
    assert data["session_id"] == answer["session_id"]
    assert data["session_date"] == "2026-01-31"
    assert data["seq"] == answer["seq"]
    shown = {each["player_id"]: each for each in data["players"]}
    assert set(shown) == {each["player_id"] for each in answer["results"]}
    for result in answer["results"]:
        told = shown[result["player_id"]]
        for name in ("rating_before", "rating_change", "rating_after"):
            assert told[name] == result[name]
    assert await town.told("b-club") == []


async def test_corrections_and_voids_are_told_to_the_source_and_what_moved_to_others(
    town: NoticeTown,
) -> None:
    first = await town.night(ADA, BO)
    await town.night(BO, ADA, at="b-club", on="2026-02-01")
    key = await town.key("a-club")
    path = f"/v1/sessions/{first['session_id']}"
    claim = {
        "session_date": "2026-01-31",
        "game_type": "social",
        "rounds": [
            {
                "wall_games": 0,
                "players": [
                    {"email": ADA, "games_played": 3, "mahjongs": 0},
                    {"email": BO, "games_played": 3, "mahjongs": 3},
                ],
            }
        ],
        "reason": "wrong_result",
    }
    answer = await town.service.client.post(
        f"{path}/corrections", json=claim, headers={**bearer(key), "prefer": "wait=30"}
    )
    assert answer.status_code < 300, answer.text
    corrected = answer.json()["session_id"]
    events = await town.told()
    assert kinds(events) == ["session.rated", "session.corrected"]
    assert events[1]["data"]["session_id"] == corrected
    assert events[1]["data"]["replaces"] == first["session_id"]
    void = await town.post(f"/v1/sessions/{corrected}/void", {"reason": "not_played"}, key=key)
    events = await town.told()
    assert kinds(events)[2:] == ["session.voided"]
    assert events[2]["data"]["session_id"] == corrected
    others = await town.told("b-club")
    assert kinds(others) == ["session.rated", "ratings.corrected", "ratings.corrected"]
    for event in others[1:]:
        assert set(event["data"]) == {"seq", "players"}
    ada = await town.player(ADA)
    shown = await town.service.client.get(f"/v1/players/{ada}", params={"min_seq": void["seq"]})
    now = shown.json()
    moved = {each["player_id"]: each for each in others[2]["data"]["players"]}
    assert moved[ada]["rating_after"] == now["rating"]


async def test_what_others_did_to_a_private_player_is_told_to_nobody(town: NoticeTown) -> None:
    first = await town.night(ADA, CY)
    await town.night(ADA, BO, at="b-club", on="2026-02-01")
    await town.night(f"PRIVATE:{BO}", CY, at="b-club", on="2026-02-02")
    await town.hide(ADA)
    key = await town.key("a-club")
    await town.post(f"/v1/sessions/{first['session_id']}/void", {"reason": "not_played"}, key=key)
    ada, cy = await town.player(ADA), await town.player(CY)
    corrected = [each for each in await town.told("b-club") if each["type"] == "ratings.corrected"]
    seen = {one["player_id"] for each in corrected for one in each["data"]["players"]}
    assert cy in seen
    assert ada not in seen
    # The nights that the club sent itself show it whom it named.
    own = [each for each in await town.told("b-club") if each["type"] == "session.rated"]
    assert ada in {one["player_id"] for one in own[0]["data"]["players"]}


async def test_whoever_becomes_private_is_left_out_of_what_was_told_before(
    town: NoticeTown,
) -> None:
    await town.night(ADA, BO)
    await town.verify(ADA)
    assert kinds(await town.told()) == ["session.rated", "player.verified"]
    await town.hide(ADA)
    answer = (await town.ask("a-club")).json()
    assert kinds(answer["events"]) == ["session.rated"]
    assert answer["next_after"] == 2
    assert answer["is_last"]


async def test_a_dispute_and_a_suspension_are_told_once_and_without_words(
    town: NoticeTown,
) -> None:
    night = await town.night(ADA, BO)
    await town.follow()
    for words in ("That was not me.", "That was not me at all."):
        async with town.service.pool.acquire() as connection, connection.transaction():
            ada = await town.player(ADA)
            said = await dispute(connection, ada, night["session_id"], words, now=town.now())
    for _ in range(2):
        await suspend_source(town.service.pool, "a-club")
    await resume_source(town.service.pool, "a-club")
    events = await town.told()
    assert kinds(events) == ["session.rated", "dispute.opened", "source.suspended"]
    assert events[1]["data"] == {
        "dispute": said.number,
        "session_id": night["session_id"],
        "session_date": "2026-01-31",
    }
    assert events[2]["data"] == {}


async def test_following_again_tells_nothing_twice(town: NoticeTown) -> None:
    await town.night(ADA, BO)
    await town.verify(BO)
    before = await town.told()
    await notice_again(town.service.pool)
    assert await town.told() == before
    followers = [town.follow() for _ in range(4)]
    await town.night(BO, ADA, on="2026-02-01")
    await asyncio.gather(*followers)
    after = await town.told()
    assert [each["number"] for each in after] == [1, 2, 3]


async def test_pages_go_on_where_the_last_one_ended_also_as_lines(town: NoticeTown) -> None:
    for day in range(1, 6):
        await town.night(ADA, BO, on=f"2026-02-0{day}")
    whole = await town.told()
    assert [each["number"] for each in whole] == [1, 2, 3, 4, 5]
    found: list[Any] = []
    after = 0
    while True:
        answer = await town.ask("a-club", {"accept": "application/x-ndjson"}, after=after, limit=2)
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = [orjson.loads(line) for line in answer.content.splitlines()]
        found += lines
        after = int(answer.headers["mahjic-next-after"])
        if not lines:
            break
    assert found == whole


async def test_whoever_waits_is_told_by_the_bell(
    town: NoticeTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than the test waits, so that nothing but the bell tells.
    monkeypatch.setattr(api, "LOOK_S", 60.0)
    bell = town.service.service.process.bell
    await town.night(ADA, BO)
    assert len(await town.told()) == 1
    waiting = asyncio.create_task(town.ask("a-club", {"prefer": "wait=30"}, after=1))
    async with asyncio.timeout(20):
        await until(lambda: is_awaited(bell))
        await town.night(BO, ADA, on="2026-02-01")
        await town.follow()
        answer = (await waiting).json()
    assert [each["number"] for each in answer["events"]] == [2]


async def is_awaited(bell: Bell) -> bool:
    """Tell whether somebody waits for an event."""
    return NOTICES_CHANNEL in bell._waiting


async def test_whoever_waits_with_a_key_that_is_revoked_is_told_no_more(town: NoticeTown) -> None:
    await town.night(ADA, BO)
    await town.follow()
    waiting = asyncio.create_task(town.ask("a-club", {"prefer": "wait=30"}, after=1))
    await until(lambda: is_awaited(town.service.service.process.bell))
    await suspend_source(town.service.pool, "a-club")
    async with asyncio.timeout(20):
        assert (await waiting).status_code == 403


async def test_nobody_else_reads_them_and_numbers_that_never_were_are_refused(
    town: NoticeTown,
) -> None:
    await town.night(ADA, BO)
    await town.follow()
    client = town.service.client
    assert (await client.get("/v1/events")).status_code == 401
    refused = await client.get("/v1/events", headers=bearer(town.operator))
    assert refused.status_code == 403
    beyond = await town.ask("a-club", after=2)
    assert beyond.status_code == 422
    assert "newest event has number 1" in beyond.json()["errors"][0]["message"]


async def test_what_is_older_than_30_days_is_gone_and_that_is_said(town: NoticeTown) -> None:
    await town.night(ADA, BO)
    await town.told()
    town.ahead = timedelta(days=29)
    assert await sweep_notices(town.service.pool, town.now()) == 0
    town.ahead = timedelta(days=31)
    assert await sweep_notices(town.service.pool, town.now()) == 1
    answer = await town.ask("a-club")
    assert answer.status_code == 410
    assert answer.json()["code"] == "gone"
    assert "after=1" in answer.json()["detail"]
    assert (await town.ask("a-club", after=1)).json()["events"] == []
    # Following everything again doesn't bring it back.
    await notice_again(town.service.pool)
    await town.follow()
    assert (await town.ask("a-club", after=1)).json()["events"] == []


async def test_after_a_restore_no_number_is_given_out_again(
    town: NoticeTown, database: Database, postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    await town.night(ADA, BO)
    await town.key("b-club")
    await town.follow()
    await backup(database.dsn, tmp_path / "b")
    await town.night(BO, ADA, on="2026-02-01")
    assert [each["number"] for each in await town.told()] == [1, 2]
    async with fresh_database(postgres_server, template=TEMPLATE) as target:
        await target.pool.close()
        await restore(target.dsn, tmp_path / "b", replace=True)
        async with running_service(target, wait_s_default=30) as service:
            again = NoticeTown(service, await service.operator_key())
            # Whoever has read to the end is at the end, although numbers were left out.
            end = (await again.ask("a-club", after=1)).json()
            assert end == {"events": [], "next_after": 1_000_001, "is_last": True}
            await again.night(CY, ADA, on="2026-02-02")
            # Its first event may have been sent after the backup was made.
            await again.night(CY, ADA, at="b-club", on="2026-02-03")
            assert [each["number"] for each in await again.told("b-club")] == [1_000_001]
            assert [each["number"] for each in await again.told()] == [1, 1_000_002]
