"""A Kafka node in a container, where there is no Java but a Docker engine.

UNTRIED by those who wrote it, who had no Docker engine at hand: `test_container_node.py` tries it
where one answers, and elsewhere says in the last lines of a run that it was not tried.
"""

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from testcontainers.core.container import DockerContainer

IMAGE = "apache/kafka:4.3.1"
LOOK_S_MAX = 20.0
DATA = "/tmp/mahjic-data"
PROPERTIES = "/mahjic/server.properties"
RUN = f"""
[ -f {DATA}/meta.properties ] ||
    /opt/kafka/bin/kafka-storage.sh format --standalone -t $CLUSTER_ID -c {PROPERTIES} &&
    exec /opt/kafka/bin/kafka-server-start.sh {PROPERTIES}
"""


def docker_answers() -> bool:
    """Say whether a Docker engine is there."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    try:
        done = subprocess.run(
            [docker, "info"], capture_output=True, check=False, timeout=LOOK_S_MAX
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


class ContainerNode:
    """Runs Kafka in a container with our server.properties; its data stay in the container."""

    bind = "0.0.0.0"
    data = DATA

    def __init__(self, folder: Path, heap_mb: int, ports: Sequence[int]) -> None:
        # The account in the container is another one, and reads the properties.
        folder.chmod(0o755)
        container = DockerContainer(IMAGE).with_volume_mapping(str(folder), "/mahjic", "ro")
        container.with_kwargs(entrypoint=["/bin/bash", "-c", RUN])
        container.with_env("KAFKA_HEAP_OPTS", f"-Xmx{heap_mb}m")
        for port in ports:
            container.with_bind_ports(port, port)
        self._container = container
        self._was_started = False

    @property
    def is_running(self) -> bool:
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return bool(wrapped.status in ("running", "paused"))

    @property
    def log_tail(self) -> str:
        said = self._container.get_wrapped_container().logs(tail=40)
        return bytes(said).decode(errors="replace")

    async def start(self, cluster_id: str) -> None:
        if self._was_started:
            await self._tell("start")
            return
        self._container.with_env("CLUSTER_ID", cluster_id)
        await asyncio.to_thread(self._container.start)
        self._was_started = True

    async def stop(self) -> None:
        await self.resume()
        await self._tell("stop")

    async def kill(self) -> None:
        await self.resume()
        await self._tell("kill")

    async def pause(self) -> None:
        await self._tell("pause")

    async def resume(self) -> None:
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        if wrapped.status == "paused":
            await self._tell("unpause")

    async def remove(self) -> None:
        await asyncio.to_thread(self._container.stop)
        self._container.get_docker_client().client.close()

    async def _tell(self, word: str) -> None:
        order: Callable[[], object] = getattr(self._container.get_wrapped_container(), word)
        await asyncio.to_thread(order)
