"""Posts one event to one address, and says what came of it; whatever the server there does."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

import certifi
import httpcore
import structlog

from services.notices.webhooks.network import CheckedNetwork, NameNotFound, NotPublic
from services.notices.webhooks.urls import UnfitUrl, read_url

# For everything together: name, connection, our question and what is kept of the answer.
TRY_S_MAX: Final = 10.0
# For a server that takes the connection and does not answer to it; another address may.
CONNECT_S_MAX: Final = 2.5
ANSWER_BYTES_MAX: Final = 1024
USER_AGENT: Final = b"Mahjic-Webhooks/1"
OK_MIN, OK_MAX = 200, 299
GONE: Final = 410

Outcome: TypeAlias = Literal[
    "delivered", "refused", "no_name", "not_public", "no_connection", "no_tls", "no_answer", "unfit"
]

# A server that breaks off TLS after the handshake is an OSError as it comes.
_log = structlog.get_logger(__name__)

_NEVER_ARRIVED: Final = (
    UnfitUrl,
    OSError,
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
)
# The first that fits.
_OUTCOMES: Final[Sequence[tuple[type[Exception], Outcome]]] = (
    (UnfitUrl, "unfit"),
    (NameNotFound, "no_name"),
    (NotPublic, "not_public"),
    (httpcore.ConnectError, "no_connection"),
    (httpcore.ConnectTimeout, "no_connection"),
)


@dataclass(frozen=True, slots=True)
class Posted:
    """What came of a try. `answer` is what the server said, as text, up to 1 KiB."""

    outcome: Outcome
    took_ms: int
    status: int | None = None
    answer: str | None = None
    retry_after: str | None = None

    @property
    def is_delivered(self) -> bool:
        """Whether the server took it."""
        return self.outcome == "delivered"


class WebhookPost:
    """Posts over connections of its own, each used once. Nothing of the environment changes it."""

    def __init__(
        self, network: CheckedNetwork, *, loopback: bool, ca_file: str | None = None
    ) -> None:
        self._loopback = loopback
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl.create_default_context(cafile=ca_file or certifi.where()),
            max_connections=None,
            max_keepalive_connections=0,
            network_backend=network,
        )

    async def close(self) -> None:
        """End all connections."""
        await self._pool.aclose()

    async def post(self, url: str, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> Posted:
        """Post to an address, which is looked at again; it never raises."""
        began_s = time.monotonic()
        try:
            parts = read_url(url, loopback=self._loopback)
            async with asyncio.timeout(TRY_S_MAX):
                status, said, retry_after = await self._post(str(parts), headers, body)
        except _NEVER_ARRIVED as error:
            return Posted(_outcome_of(error), _ms_since(began_s))
        except Exception as error:  # noqa: BLE001  It is logged, and hurts nobody else.
            # Whatever a stranger's server can bring about is a failure of that server alone.
            _log.exception("webhook_post_failed", error=type(error).__name__)
            return Posted("no_answer", _ms_since(began_s))
        is_ok = OK_MIN <= status <= OK_MAX
        return Posted(
            "delivered" if is_ok else "refused", _ms_since(began_s), status, said, retry_after
        )

    async def _post(
        self, url: str, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> tuple[int, str, str | None]:
        fixed = [
            (b"host", _host_of(url)),
            (b"user-agent", USER_AGENT),
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"accept", b"*/*"),
            (b"connection", b"close"),
        ]
        async with self._pool.stream(
            "POST",
            url,
            headers=[*fixed, *headers],
            content=body,
            extensions={"timeout": {"connect": CONNECT_S_MAX}},
        ) as response:
            said = bytearray()
            async for chunk in cast("AsyncIterable[bytes]", response.stream):
                said += chunk
                if len(said) >= ANSWER_BYTES_MAX:
                    break
            names = {name.lower(): value for name, value in response.headers}
            retry_after = names.get(b"retry-after")
            return (
                response.status,
                _as_text(bytes(said[:ANSWER_BYTES_MAX])),
                None if retry_after is None else retry_after.decode("latin-1"),
            )


def _host_of(url: str) -> bytes:
    return url.split("/", 3)[2].encode()


def _as_text(said: bytes) -> str:
    """Return an answer as text that can be stored and shown: a NUL cannot."""
    return said.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _outcome_of(error: Exception) -> Outcome:
    if isinstance(error, OSError | httpcore.ConnectError) and _is_tls(error):
        return "no_tls"
    fitting = (outcome for kind, outcome in _OUTCOMES if isinstance(error, kind))
    return next(fitting, "no_answer")


def _is_tls(error: Exception) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _ms_since(began_s: float) -> int:
    return round((time.monotonic() - began_s) * 1000)
