"""A real database that is put back to an older state, with its service going on all the same."""

from pathlib import Path

from services.transparency.beginning import LogEnding, begin_again, init_public_logs
from services.transparency.folder import TransparencyFolder
from shared.db.server.embedded import EmbeddedServer
from shared.tlog.leaves import LOG_NAMES
from tests.conftest import TEMPLATE, fresh_database
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.service import RunningService
from tests.transparency.serving import keeping, until_all_is_signed
from tests.transparency.town import NOW, PUBLIC_URL


async def night(service: RunningService, day: int) -> None:
    """Record a session, which must be rated."""
    claim = a_session(a_round(ada=2, bo=1), on=f"2026-01-{day:02}")
    answer = await service.submit(claim, await service.source_key(), prefer="wait=30")
    assert answer.status_code == 201, answer.text


async def test_nothing_is_signed_until_the_logs_are_begun_again(
    postgres_server: EmbeddedServer, tmp_path: Path
) -> None:
    path = tmp_path / "transparency"
    init_public_logs(path, PUBLIC_URL)
    folder = TransparencyFolder(path)

    async def stopped() -> bool:
        return folder.stopped() is not None

    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        async with keeping(database, path) as service:
            await night(service, 1)
            await until_all_is_signed(service, path)
        # Nobody may be connected to what is copied.
        database.pool.terminate()
        name = database.dsn.partition("@/")[2].partition("?")[0]
        async with fresh_database(postgres_server, template=name) as an_hour_ago:
            async with keeping(database, path) as service:
                await night(service, 2)
                await until_all_is_signed(service, path)
            before = [folder.current(each).checkpoint() for each in LOG_NAMES]
            async with keeping(an_hour_ago, path) as service:
                await until(stopped)
                told = folder.stopped()
                assert told is not None
                assert told.code == "history_split"
                # Sessions are taken and pages shown in whatever becomes of the public logs.
                await night(service, 3)
                assert [folder.current(each).checkpoint() for each in LOG_NAMES] == before
                begin_again(folder, LogEnding("A disk was lost.", NOW))
                await until_all_is_signed(service, path)
                answer = await service.client.get("/log/facts/2/checkpoint")
                assert answer.text.startswith("mahjic.example/facts/2\n")
                ended = (await service.client.get("/log/facts/ended")).text
                assert "why A disk was lost." in ended
