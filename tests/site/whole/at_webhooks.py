"""What owners send about the servers to which events go."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from services.notices.webhooks.endpoints import add_endpoint, new_endpoint_id
from tests.site.whole.at_desks import owner
from tests.site.whole.scene import CLUB, Scene

ONE: Final = "/desk/{slug}/webhooks/{endpoint_id}"
# A number needs no look-up, and this one is public.
SERVER: Final = "https://9.9.9.9/events"
FAIL: Final = """
UPDATE mahjic.webhook_endpoints
SET failures = 3, failing_since = now(), failed_at = now(), paused_until = now(),
    spread_to = 5
WHERE endpoint_id = $1
"""
SENT: Final = """
INSERT INTO mahjic.webhook_deliveries (endpoint_id, number, outcome) VALUES ($1, 3, 'refused')
"""
Sent = dict[str, Any]


async def naming(scene: Scene) -> Sent:
    """Log an owner in, and return the form that names a server."""
    await owner(scene)
    return {"data": {"endpoint": new_endpoint_id(), "url": SERVER}}


async def named(scene: Scene, **fields: str) -> Sent:
    """Name a server that has failed, and return what is sent about it."""
    await owner(scene)
    endpoint_id, now = new_endpoint_id(), scene.here.house.clock.now()
    async with scene.pool.acquire() as connection, connection.transaction():
        assert await add_endpoint(connection, CLUB, endpoint_id, SERVER, now=now)
        await connection.execute(FAIL, endpoint_id)
        await connection.execute(SENT, endpoint_id)
    return {"data": fields, "endpoint_id": endpoint_id}


async def sent_once(scene: Scene) -> Sent:
    return {**await named(scene), "number": "3"}


def saying(**fields: str) -> Callable[[Scene], Awaitable[Sent]]:
    """Return what prepares a server about which these fields are sent."""
    return lambda scene: named(scene, **fields)


PREPARED: Final[Mapping[str, Callable[[Scene], Awaitable[Sent]]]] = {
    "/desk/{slug}/webhooks": naming,
    f"{ONE}/change": saying(do="off"),
    f"{ONE}/events/{{number}}/again": sent_once,
    f"{ONE}/remove": named,
    f"{ONE}/since": saying(number="2"),
    f"{ONE}/test": saying(test=new_endpoint_id()),
    f"{ONE}/try": named,
}
