"""Sends sessions one by one beside the imports, and voids or corrects them; verifies players."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import httpx

from tests.chaos.place import OPERATOR
from tests.soak.books import Change
from tests.soak.seasons import games_of
from tests.soak.site import Site

IDS_OF = "SELECT player_id FROM mahjic.people WHERE email = ANY($1) ORDER BY email"
LOOK_S: Final = 0.2
VERIFIED_EACH: Final = 2


@dataclass(slots=True)
class Changed:
    """What was done beside the imports: the facts that came of it, and how long answers took."""

    changes: int = 0
    verified: set[str] = field(default_factory=set)
    submit_s: list[float] = field(default_factory=list)


async def change_beside(
    site: Site, changes: list[Change], has_come: Callable[[float], bool], changed: Changed
) -> None:
    """Make every change, each once its share of the import has come."""
    for number, change in enumerate(changes):
        while not has_come(number / len(changes)):
            await asyncio.sleep(LOOK_S)
        began_s = time.monotonic()
        session = await _post(site, change.source, "/v1/sessions", change.claim)
        changed.submit_s.append(time.monotonic() - began_s)
        path = f"/v1/sessions/{session['session_id']}"
        if change.corrected is None:
            await _post(site, change.source, f"{path}/void", {"reason": "entered_twice"})
        else:
            corrected = {**change.corrected, "reason": "wrong_result"}
            await _post(site, change.source, f"{path}/corrections", corrected)
        changed.changes += 1
        await _verify(site, change, changed)


async def _verify(site: Site, change: Change, changed: Changed) -> None:
    people = sorted({who for who, _ in games_of(change.claim, change.source)})
    rows = await site.pool.fetch(IDS_OF, people)
    fresh = [row["player_id"] for row in rows if row["player_id"] not in changed.verified]
    for player_id in fresh[:VERIFIED_EACH]:
        await _send(
            site, OPERATOR, "PUT", f"/v1/admin/players/{player_id}/verification", {"verified": True}
        )
        changed.verified.add(player_id)


async def _post(site: Site, who: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = (await _send(site, who, "POST", path, body)).json()
    return answer


async def _send(
    site: Site, who: str, method: str, path: str, body: Mapping[str, Any]
) -> httpx.Response:
    """Send a request until it is answered for good, which must be well."""
    headers = {"Authorization": f"Bearer {site.keys[who]}"}
    while True:
        response = await site.http.request(method, path, json=body, headers=headers)
        if response.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            assert response.is_success, f"{method} {path}: {response.text}"
            return response
        await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
