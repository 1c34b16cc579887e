"""The routes for monitoring the service: is it alive, is it ready, what are its metrics."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Final

import structlog
from fastapi import Request
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from shared.errors import MahjicError
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in

# Raises, or takes too long, when what it checks is not there. A word that it returns is shown.
Check = Callable[[], Awaitable[object]]
# Shorter than any load balancer waits.
CHECK_S_MAX: Final = 2.0
_NOT_READY: Final = frozenset({"failed", "timed_out"})


class NotReady(MahjicError):
    """Something the service needs is not available at the moment."""

    code = "not_ready"
    title = "The service is not ready"
    status = 503

    def __init__(self, checks: Mapping[str, str]) -> None:
        failed = ", ".join(name for name, outcome in checks.items() if outcome in _NOT_READY)
        super().__init__(
            f"These are not available at the moment: {failed}. The log says more.",
            extra={"checks": dict(checks)},
            headers={"Retry-After": "5"},
        )


class Health:
    """What monitoring is told: the checks of a process, and its metrics."""

    def __init__(
        self,
        registry: CollectorRegistry,
        checks: Mapping[str, Check],
        *,
        check_s_max: float = CHECK_S_MAX,
    ) -> None:
        self.registry = registry
        self._checks = {name: _SingleCheck(name, check) for name, check in checks.items()}
        self._check_s_max = check_s_max

    async def outcomes(self) -> dict[str, str]:
        """Return how each check went, by its name."""
        checks = self._checks.values()
        outcomes = await asyncio.gather(*(each.outcome(self._check_s_max) for each in checks))
        return dict(zip(self._checks, outcomes, strict=True))


async def healthz() -> Response:
    return private_json({"status": "alive"})


async def readyz(health: Annotated[Health, handed_in(Health)]) -> Response:
    named = await health.outcomes()
    if not _NOT_READY.isdisjoint(named.values()):
        raise NotReady(named)
    return private_json({"status": "ready", "checks": named})


async def metrics(request: Request, health: Annotated[Health, handed_in(Health)]) -> Response:
    encode, content_type = choose_encoder(request.headers.get("accept", ""))
    return Response(
        encode(health.registry), headers={"Content-Type": content_type, "Cache-Control": "no-store"}
    )


HEALTH_ROUTES: Final = (
    Route(
        "GET", "/healthz", healthz, "Is the process alive?", tag="health", operation_id="get_health"
    ),
    Route(
        "GET",
        "/readyz",
        readyz,
        "Can it do its work?",
        tag="health",
        operation_id="get_readiness",
        responses=problem_responses(503),
    ),
    Route(
        "GET",
        "/metrics",
        metrics,
        "Metrics for Prometheus",
        tag="health",
        operation_id="get_metrics",
        response_class=Response,
    ),
)


class _SingleCheck:
    """A check that runs once at a time, so that requests do not pile up while it hangs."""

    def __init__(self, name: str, check: Check) -> None:
        self._name = name
        self._check = check
        self._running: asyncio.Task[str] | None = None

    async def outcome(self, check_s_max: float) -> str:
        """Return how it went, or that it did not finish in time."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        # It is not canceled: giving up on a query may take as long as the answer.
        done, _ = await asyncio.wait([self._running], timeout=check_s_max)
        if not done:
            structlog.get_logger().warning(
                "check_timed_out", check=self._name, check_s_max=check_s_max
            )
            return "timed_out"
        return self._running.result()

    async def _run(self) -> str:
        try:
            word = await self._check()
        except Exception:  # noqa: BLE001 - Whatever a check raises is its answer.
            structlog.get_logger().warning("check_failed", check=self._name, exc_info=True)
            return "failed"
        return word if isinstance(word, str) else "ok"
