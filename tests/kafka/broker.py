"""A real Kafka broker for tests, which can be stopped, killed, paused and started again."""

import asyncio
import base64
import secrets
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Protocol, Self

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from tests.kafka.container_node import ContainerNode, docker_answers
from tests.kafka.java_node import JavaNode
from tests.kafka.tools import HERE, KafkaMissing

START_S_MAX = 120.0
ANSWER_S_MAX = 10.0
LOOK_S = 0.05
# Below the ports that a system gives to connections that go out: while a broker is away, one of
# those would take its port, or, knocking at it from itself, even connect to itself.
PORTS = range(20_000, 32_000)
NONE: Mapping[str, str] = MappingProxyType({})


class BrokerDied(Exception):
    """The broker does not run or does not answer; the end of its log is in the words."""


class Node(Protocol):
    """What runs Kafka: a process or a container."""

    bind: str
    data: str

    @property
    def is_running(self) -> bool: ...
    @property
    def log_tail(self) -> str: ...
    async def start(self, cluster_id: str) -> None: ...
    async def stop(self) -> None: ...
    async def kill(self) -> None: ...
    async def pause(self) -> None: ...
    async def resume(self) -> None: ...
    async def remove(self) -> None: ...


class Broker:
    """Kafka on an empty folder: `async with Broker(folder) as broker`.

    Ports, data and cluster id stay the same over any number of starts. `listeners` adds listeners
    beside the plain one, by name and security protocol: {"SAFE": "SASL_PLAINTEXT"}; the properties
    say how they work. Without Java it runs in a container if a Docker engine answers, and
    `in_container` even with Java. Raises KafkaMissing if this machine cannot run Kafka.
    """

    def __init__(
        self,
        folder: Path,
        *,
        listeners: Mapping[str, str] = NONE,
        properties: Mapping[str, str] = NONE,
        heap_mb: int = 512,
        java_options: Sequence[str] = (),
        in_container: bool = False,
    ) -> None:
        self.cluster_id = base64.urlsafe_b64encode(b"m" + secrets.token_bytes(15)).decode()[:22]
        self._protocols = {"PLAINTEXT": "PLAINTEXT", **listeners}
        controller_port, *ports = free_ports(1 + len(self._protocols))
        self._ports = dict(zip(self._protocols, ports, strict=True))
        self.node: Node
        if in_container:
            self.node = ContainerNode(folder, heap_mb, ports)
        else:
            self.node = _node(folder, heap_mb, ports, java_options)
        written = self._properties(controller_port)
        written += "".join(f"{name}={value}\n" for name, value in properties.items())
        (folder / "server.properties").write_text(written)

    @property
    def address(self) -> str:
        """The address for clients, host:port."""
        return self.address_of("PLAINTEXT")

    def address_of(self, listener: str) -> str:
        """Return the address of another listener."""
        return f"127.0.0.1:{self._ports[listener]}"

    async def start(self) -> None:
        """Start it, and return when it answers."""
        await self.node.start(self.cluster_id)
        try:
            async with asyncio.timeout(START_S_MAX):
                while not await self._answers():
                    if not self.node.is_running:
                        raise BrokerDied(f"Kafka ended at its start:\n{self.node.log_tail}")
                    await asyncio.sleep(LOOK_S)
        except TimeoutError as late:
            raise BrokerDied(f"No answer in {START_S_MAX} s:\n{self.node.log_tail}") from late

    async def stop(self) -> None:
        """Stop it as an operator does."""
        await self.node.stop()

    async def kill(self) -> None:
        """Kill it without a chance to say goodbye."""
        await self.node.kill()

    async def pause(self) -> None:
        """Stop its clock: connections stay open, and nothing is answered."""
        await self.node.pause()

    async def resume(self) -> None:
        """Let it go on."""
        await self.node.resume()

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.node.remove()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.node.remove()

    async def _answers(self) -> bool:
        if not await self._accepts():
            return False
        admin = AIOKafkaAdminClient(
            bootstrap_servers=self.address, request_timeout_ms=int(1000 * ANSWER_S_MAX)
        )
        try:
            await admin.start()
            return bool((await admin.describe_cluster())["brokers"])
        except KafkaError:
            return False
        finally:
            await admin.close()

    async def _accepts(self) -> bool:
        # A knock first, as aiokafka complains loudly in the log when nobody is there.
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self._ports["PLAINTEXT"])
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    def _properties(self, controller_port: int) -> str:
        protocols = {"CONTROLLER": "PLAINTEXT", **self._protocols}
        listeners = [f"{name}://{self.node.bind}:{port}" for name, port in self._ports.items()]
        return Template((HERE / "server.properties.template").read_text()).substitute(
            controller_port=controller_port,
            listeners=",".join([*listeners, f"CONTROLLER://127.0.0.1:{controller_port}"]),
            advertised=",".join(f"{name}://{self.address_of(name)}" for name in self._ports),
            protocols=",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
            data=self.node.data,
        )


def _node(folder: Path, heap_mb: int, ports: list[int], java_options: Sequence[str]) -> Node:
    try:
        return JavaNode(folder, heap_mb, java_options)
    except KafkaMissing:
        if not docker_answers():
            raise
    return ContainerNode(folder, heap_mb, ports)


def free_ports(count: int) -> list[int]:
    """Return ports on which nobody listens."""
    found: list[int] = []
    while len(found) < count:
        # Not from `random`: two runs with the same seed would choose the same ports.
        port = secrets.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found
