"""A Kafka node that plain Java runs on this machine."""

import asyncio
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.kafka.tools import HERE, find_java, kafka_jars

FORMAT_S_MAX = 60.0
STOP_S_MAX = 60.0


class JavaNode:
    """Runs Kafka on a folder with server.properties; its data stay there when it ends.

    The node dies with the thread that started it, also when that is killed.
    """

    bind = "127.0.0.1"

    def __init__(self, folder: Path, heap_mb: int, java_options: Sequence[str] = ()) -> None:
        self.data = str(folder / "data")
        self._folder = folder
        self._log = folder / "broker.log"
        self._process: subprocess.Popen[bytes] | None = None
        jars = kafka_jars()
        self._java = [find_java(), "-cp", f"{jars}/*", "-XX:+UseSerialGC"]
        self._java += ["-XX:TieredStopAtLevel=1", f"-Xmx{heap_mb}m"]
        self._java += [f"-Dlog4j2.configurationFile={HERE / 'log4j2.yaml'}"]
        self._options = list(java_options)
        # Java leaves an archive alone that it cannot use, as after its own upgrade.
        if class_archive(jars).exists():
            self._options.append(f"-XX:SharedArchiveFile={class_archive(jars)}")

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None, "The node was never started."
        return self._process.pid

    @property
    def log_tail(self) -> str:
        return self._log.read_text(errors="replace")[-4000:] if self._log.exists() else ""

    async def start(self, cluster_id: str) -> None:
        properties = str(self._folder / "server.properties")
        if not self._is_formatted():
            tool = ["kafka.tools.StorageTool", "format", "--standalone"]
            await self._format([*tool, "-t", cluster_id, "-c", properties])
        self._run([*_dying_with_us(), *self._java, *self._options, "kafka.Kafka", properties])

    def _is_formatted(self) -> bool:
        # This file is written last: without it, a folder was not formatted to the end.
        return Path(self.data, "meta.properties").exists()

    def _run(self, command: Sequence[str]) -> None:
        with self._log.open("ab") as log:
            # In a session of its own: Ctrl-C stops the tests, and they stop the node.
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )

    async def _format(self, arguments: Sequence[str]) -> None:
        done = await asyncio.to_thread(
            subprocess.run,
            [*self._java, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=FORMAT_S_MAX,
        )
        assert done.returncode == 0, f"Kafka did not format its folder: {done.stdout}{done.stderr}"

    async def stop(self) -> None:
        await self.resume()
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        await self._end(signal.SIGKILL)

    async def remove(self) -> None:
        await self.kill()

    async def pause(self) -> None:
        """Keep it from running; on a busy machine its threads stop a while after the signal."""
        self._send(signal.SIGSTOP)
        if self._process is None:
            return
        async with asyncio.timeout(STOP_S_MAX):
            while _has_running_threads(self._process.pid):
                await asyncio.sleep(0.001)

    async def resume(self) -> None:
        self._send(signal.SIGCONT)

    async def _end(self, number: signal.Signals) -> None:
        self._send(number)
        if self._process is not None:
            await asyncio.to_thread(self._process.wait, STOP_S_MAX)

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


def class_archive(jars: Path) -> Path:
    """Return the file that keeps a broker's classes as Java has them in memory."""
    return jars / "classes.jsa"


def _has_running_threads(pid: int) -> bool:
    """Tell whether some thread of a process that was stopped has not seen it yet."""
    return any(map(_is_running, Path(f"/proc/{pid}/task").glob("*")))


def _is_running(thread: Path) -> bool:
    try:
        stat = (thread / "stat").read_text(encoding="latin-1")
    except (FileNotFoundError, ProcessLookupError):
        return False  # It has ended.
    # The state is the first word behind the name, which may hold anything.
    return stat.rpartition(")")[2].split()[0] not in {"T", "t", "Z", "X"}


def _dying_with_us() -> list[str]:
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
