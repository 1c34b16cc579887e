"""What Kafka's errors mean: the cluster is away for now, or it refuses us for good.

They stay within the rooms of the log, which raise them as LogAway or KafkaRefused.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Coroutine, Iterator
from typing import Any, Final, TypeVar

from aiokafka.errors import (
    AuthenticationFailedError,
    AuthenticationMethodNotSupported,
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    IllegalSaslStateError,
    KafkaError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    TransactionalIdAuthorizationFailed,
    UnsupportedSaslMechanismError,
)

from shared.errors import MahjicError
from shared.log.port import LogAway

T = TypeVar("T")

# Kafka's own errors, refused connections and our time limits (TimeoutError is an OSError).
KAFKA_AWAY: Final = (KafkaError, OSError)
# Errors that waiting does not fix. All of them are among the errors above.
REFUSALS: Final = (
    AuthenticationFailedError,
    AuthenticationMethodNotSupported,
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    IllegalSaslStateError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    TransactionalIdAuthorizationFailed,
    UnsupportedSaslMechanismError,
    ssl.SSLError,
)
# A server that ends in the middle of a handshake; these are SSLErrors too.
CUT_OFF: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)


class KafkaRefused(MahjicError):
    """The cluster does not let Mahjic in, or does not let it do what it must."""

    code = "kafka_refused"
    title = "The Kafka cluster refuses access"
    exit_code = 2


@contextlib.contextmanager
def told_as_away() -> Iterator[None]:
    """Raise LogAway for errors that mean the cluster cannot be reached for now.

    Raises KafkaRefused for errors that mean it never will be with these settings.
    """
    try:
        yield
    except KAFKA_AWAY as error:
        refusal = refusal_in(error)
        if refusal is not None:
            raise refused(refusal) from error
        raise LogAway(f"The Kafka cluster cannot be reached: {error!r}.") from error


def refusal_in(error: BaseException | None) -> Exception | None:
    """Return the refusal that an error is, or was caused by; None when there is none."""
    while error is not None:
        if isinstance(error, REFUSALS) and not isinstance(error, CUT_OFF):
            return error
        error = error.__cause__
    return None


def refused(refusal: Exception) -> KafkaRefused:
    """Return the error for a client that the cluster refuses."""
    return KafkaRefused(
        f"The Kafka cluster refuses access: {refusal!r}. Check the user's rights there, and "
        "MAHJIC_KAFKA_SECURITY, _SASL_MECHANISM, _USER, _PASSWORD, _CA_FILE, _CERT_FILE and "
        "_KEY_FILE."
    )


async def to_its_end(doing: Coroutine[Any, Any, T], wait_s_max: float) -> T:
    """Do what must not stop halfway: a cancellation waits for it to end, but not forever."""
    task = asyncio.ensure_future(doing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=wait_s_max)
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # The canceler does not want to hear it.
        raise
