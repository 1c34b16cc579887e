"""A sandbox and a live service are never one another, and each refuses the keys of the other."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from services.telling import webhooks_of
from services.wiring import table_service
from shared.db.sandbox import SandboxClock, mark_sandbox, move_clock, time_on
from shared.ids import api_key
from shared.settings import Settings
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.processes import launch, mahjic, serving
from tests.service import bearer, running_service
from tests.verification.served import stripe_settings

LIVE_KEY = api_key(b"k" * 32)
SANDBOX_KEY = api_key(b"t" * 32, is_of_sandbox=True)


async def refused(environment: dict[str, str], *arguments: str) -> tuple[int | None, str]:
    """Run a command that must fail; return its exit code and what it said."""
    process = await launch(environment, *arguments)
    _, told = await process.communicate()
    assert process.returncode != 0
    return process.returncode, told.decode()


def test_keys_of_a_sandbox_and_of_a_live_service_differ_in_how_they_begin() -> None:
    assert LIVE_KEY.startswith("mjk_")
    assert SANDBOX_KEY.startswith("mjt_")


async def test_a_live_service_refuses_keys_of_sandboxes_and_says_what_it_is(
    database: Database,
) -> None:
    async with running_service(database) as service:
        key = await service.source_key()
        assert key.startswith("mjk_")
        answer = await service.client.get("/v1/sessions", headers=bearer(SANDBOX_KEY))
        assert answer.status_code == 401
        assert answer.json()["code"] == "key_of_other_kind"
        assert answer.json()["detail"].startswith("This is a live service, and the API key is one")
        assert "invalid_token" in answer.headers["WWW-Authenticate"]


async def test_a_sandbox_stays_one_and_a_live_database_never_becomes_one(folder: Path) -> None:
    environment = {"MAHJIC_DATA": str(folder)}
    async with serving(environment, "--sandbox") as served, client(served.url) as http:
        await mahjic(environment, "source", "add", "club", "--name", "A club", "--type", "club")
        key = await mahjic(environment, "key", "create", "club")
        assert key.startswith("mjt_")
        answer = await http.get("/v1/sessions", headers=bearer(LIVE_KEY))
        assert (answer.status_code, answer.json()["code"]) == (401, "key_of_other_kind")
        assert answer.json()["detail"].startswith("This is a sandbox, and the API key is one of a")
        assert (await http.get("/v1/sessions", headers=bearer(key))).status_code == 200
        code, told = await refused(environment, "sandbox", "reset", "--yes")
        assert (code, told.split(":")[0]) == (1, "data_folder_in_use")

    code, told = await refused(environment, "serve", "--port", "0")
    assert (code, told.split(":")[0]) == (2, "is_sandbox")
    # Nobody is there to be asked.
    code, told = await refused(environment, "sandbox", "reset")
    assert (code, "sandbox reset --yes" in told) == (1, True)

    await mahjic(environment, "sandbox", "reset", "--yes")
    code, told = await refused(environment, "serve", "--port", "0")
    assert (code, told.split(":")[0]) == (2, "is_sandbox")
    async with serving(environment, "--sandbox") as served, client(served.url) as http:
        answer = await http.get("/v1/sessions", headers=bearer(key))
        assert answer.json()["code"] == "not_authenticated"
        assert "club" not in await mahjic(environment, "source", "list")


async def test_a_live_database_is_served_as_no_sandbox_not_emptied_and_has_no_clock(
    database: Database, folder: Path
) -> None:
    environment = {"MAHJIC_DATA": str(folder)}
    async with serving(environment):
        code, told = await refused(environment, "sandbox", "clock", "+1d")
        assert (code, told.split(":")[0]) == (2, "no_sandbox")
        await mahjic(environment, "source", "add", "club", "--name", "A club", "--type", "club")
    for arguments in (["serve", "--sandbox", "--port", "0"], ["sandbox", "reset", "--yes"]):
        code, told = await refused(environment, *arguments)
        assert (code, told.split(":")[0]) == (2, "no_sandbox")
    assert "club" in await mahjic(environment, "source", "list")

    on_server = {"MAHJIC_DATABASE_URL": database.dsn}
    for arguments in (["serve", "--sandbox", "--port", "0"], ["sandbox", "reset", "--yes"]):
        code, told = await refused(on_server, *arguments)
        assert (code, told.split(":")[0]) == (2, "sandbox_needs_folder")


async def test_the_clock_of_a_sandbox_goes_forward_for_everything_in_it(folder: Path) -> None:
    environment = {"MAHJIC_DATA": str(folder)}
    played = datetime.now(UTC).date() + timedelta(days=5)
    night = a_session(a_round(ada=2, bo=1, cy=0, di=0), on=str(played))
    async with serving(environment, "--sandbox") as served, client(served.url) as http:
        await mahjic(environment, "source", "add", "club", "--name", "A club", "--type", "club")
        await verify_all(http, await mahjic(environment, "key", "create", "--operator"))
        http.headers.update(bearer(await mahjic(environment, "key", "create", "club")))
        assert (await mahjic(environment, "sandbox", "clock")).endswith("as everywhere else.")
        early = await http.post("/v1/sessions", json=night)
        assert early.status_code == 422
        assert [each["code"] for each in early.json()["errors"]] == ["date_in_future"]

        await clock_refuses(environment)
        told = await mahjic(environment, "sandbox", "clock", "+5d")
        assert told.startswith(f"It is {played}T")
        assert told.endswith(", 5 days ahead.")

        async def is_rated() -> bool:
            return (await http.post("/v1/sessions", json=night)).status_code == 201

        await until(is_rated)

        async def active() -> int:
            asked = {"active_within_days": 30, "min_games": 0}
            board = await http.get("/v1/leaderboard", params=asked)
            return len(board.json()["players"])

        async def all_are_active() -> bool:
            return await active() == 4

        await until(all_are_active)
        told = await mahjic(environment, "sandbox", "clock", "+750h")
        assert told.endswith(", 36 days, 6 hours ahead.")

        async def nobody_is_active() -> bool:
            return await active() == 0

        await until(nobody_is_active)
    # It is kept while nobody serves.
    assert (await mahjic(environment, "sandbox", "clock")).endswith(", 36 days, 6 hours ahead.")


async def clock_refuses(environment: dict[str, str]) -> None:
    """Check that the clock goes neither back, nor nowhere, nor on for centuries."""
    for wrong in ("2d", "-2d", "+2", "+0d", "+2w"):
        code, _ = await refused(environment, "sandbox", "clock", "--", wrong)
        assert code == 2
    for far in ("+36501d", "+999999999d"):
        code, told = await refused(environment, "sandbox", "clock", far)
        assert (code, told.split(":")[0]) == (2, "too_far_ahead")


async def verify_all(http: httpx.AsyncClient, operator_key: str) -> None:
    """Have everyone Verified who plays in the night of a test."""
    operator = bearer(operator_key)
    for name in ("ada", "bo", "cy", "di"):
        person = {"email": f"{name}@example.com"}
        answer = await http.post("/v1/admin/players", json=person, headers=operator)
        path = f"/v1/admin/players/{answer.json()['mahjic_id']}/verification"
        await http.put(path, json={"verified": True}, headers=operator)


def client(url: str) -> httpx.AsyncClient:
    """Return a client of a service."""
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=60)


async def test_nobody_pays_in_a_sandbox_and_what_it_sends_is_signed_by_the_real_clock(
    database: Database,
) -> None:
    settings, clock = Settings(**stripe_settings()), SandboxClock(timedelta(days=2))
    live = table_service(settings, database.pool).process
    sandbox = table_service(settings, database.pool, clock).process
    assert live.stripe_account is not None
    assert sandbox.stripe_account is None
    room = webhooks_of(sandbox)
    assert room.now() > datetime.now(UTC) + timedelta(days=1)
    assert abs(room.signed_s() - time.time()) < 60


async def test_commands_at_the_machine_ask_what_time_it_is_in_the_database(
    database: Database,
) -> None:
    pool, ahead = database.pool, timedelta(days=2)
    assert await time_on(pool) < datetime.now(UTC) + timedelta(seconds=1)
    async with pool.acquire() as connection, connection.transaction():
        await mark_sandbox(connection)
    await move_clock(pool, ahead)
    assert await time_on(pool) > datetime.now(UTC) + ahead - timedelta(minutes=1)
