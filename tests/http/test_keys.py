"""The interface says of each route whether it takes a key, and the route does as it says."""

import re
from typing import cast

import asyncpg
import httpx

from services.role import build_app
from services.roles import SERVE
from services.wiring import table_service
from shared.settings import Settings

NO_POOL = cast("asyncpg.Pool", None)


async def test_a_route_refuses_the_public_where_the_interface_says_so_and_nowhere_else() -> None:
    settings = Settings(_env_file=None, public_limit_per_minute=10_000)
    app = build_app(table_service(settings, NO_POOL), SERVE)
    # What needs no key comes as far as the database, which is not there.
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    documented, refused = set(), set()
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        for path, operations in app.openapi()["paths"].items():
            for method, told in operations.items():
                if told.get("security") == [{"ApiKey": []}]:
                    documented.add((method, path))
                answer = await client.request(method, re.sub(r"\{.*?\}", "x", path))
                if answer.status_code == 401:
                    refused.add((method, path))
    assert documented == refused
    assert ("post", "/v1/sessions") in refused
    assert ("get", "/v1/leaderboard") not in refused
    (scheme,) = app.openapi()["components"]["securitySchemes"].items()
    assert scheme[0] == "ApiKey"
    assert (scheme[1]["type"], scheme[1]["scheme"]) == ("http", "bearer")
