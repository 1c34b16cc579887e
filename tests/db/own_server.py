"""A PostgreSQL server of the operator's own: reached by TCP, with a password."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

# Every character that has a meaning in a URL, a shell or a connection string.
PASSWORD = "p@ss:w/o?r#d %41'\"$\\&=;"
START_S_MAX = 60.0
OWN_SERVERS = sorted(
    folder
    for folder in Path("/usr/lib/postgresql").glob("*/bin")
    if int(folder.parent.name) >= 15 and (folder / "postgres").exists()
)
# Where nothing may be left out, a machine without another PostgreSQL is a failure.
assert OWN_SERVERS or not os.environ.get("MAHJIC_REQUIRE_OWN_POSTGRES"), (
    "MAHJIC_REQUIRE_OWN_POSTGRES is set, and no PostgreSQL is installed under /usr/lib/postgresql."
)
needs_an_own_server = pytest.mark.skipif(
    not OWN_SERVERS, reason="NOT TRIED: no PostgreSQL from 15 on under /usr/lib/postgresql."
)


@contextmanager
def an_own_server(place: Path, bin_folder: Path) -> Iterator[str]:
    """Run a server with the programs of a folder; yield the URL of a database with a password."""
    cluster = place / "own"
    cluster.mkdir(mode=0o700)
    secret = place / "secret"
    secret.write_text(PASSWORD)
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:
        identity = {"user": "daemon", "group": "daemon", "extra_groups": []}
        for path in (cluster, secret):
            os.chown(path, 1, 1)
    options: dict[str, Any] = {"cwd": "/", "stdout": subprocess.DEVNULL, **identity}
    initdb = [
        str(bin_folder / "initdb"),
        "-D",
        str(cluster),
        "-U",
        "operator",
        "-A",
        "scram-sha-256",
    ]
    subprocess.run([*initdb, f"--pwfile={secret}", "--encoding=UTF8"], check=True, **options)
    port = free_port()
    command = [str(bin_folder / "postgres"), "-D", str(cluster), f"--port={port}"]
    command += ["--listen_addresses=127.0.0.1", "--unix_socket_directories=", "--fsync=off"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **options) as process:
        try:
            wait_for(cluster, process)
            yield f"postgresql://operator:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres"
        finally:
            # At once, also when a test that failed has left a connection open.
            process.send_signal(signal.SIGINT)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(cluster: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a server takes connections."""
    deadline_s = time.monotonic() + START_S_MAX
    number = cluster / "postmaster.pid"
    while not (number.exists() and "ready" in number.read_text()):
        assert process.poll() is None, "The server did not start."
        assert time.monotonic() < deadline_s, f"The server did not start in {START_S_MAX} s."
        time.sleep(0.01)
