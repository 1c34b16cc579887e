"""A hot standby of a server of the operator's own, by streaming replication."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.db.own_server import free_port, wait_for


@contextmanager
def a_standby(place: Path, bin_folder: Path, primary_url: str) -> Iterator[str]:
    """Run a standby with the programs of a folder; yield the URL of the same database on it."""
    cluster = place / "standby"
    options: dict[str, Any] = {"cwd": "/", "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:
        cluster.mkdir(mode=0o700)
        os.chown(cluster, 1, 1)
        options |= {"user": "daemon", "group": "daemon", "extra_groups": []}
    # It copies the primary while that runs, and writes down where to stream from afterward.
    copy = [str(bin_folder / "pg_basebackup"), "-d", primary_url, "-D", str(cluster)]
    subprocess.run([*copy, "--write-recovery-conf", "--checkpoint=fast"], check=True, **options)
    port = free_port()
    command = [str(bin_folder / "postgres"), "-D", str(cluster), f"--port={port}"]
    command += ["--listen_addresses=127.0.0.1", "--unix_socket_directories=", "--fsync=off"]
    # Whatever is in the way of a change is canceled at once, so that a test need not wait.
    command += ["--max_standby_streaming_delay=0"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **options) as process:
        try:
            wait_for(cluster, process)
            parts = urlsplit(primary_url)
            host = f"{parts.netloc.rpartition(':')[0]}:{port}"
            yield urlunsplit(parts._replace(netloc=host))
        finally:
            # At once, also when a test that failed has left a connection open.
            process.send_signal(signal.SIGINT)
