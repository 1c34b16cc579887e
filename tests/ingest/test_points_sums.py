"""A source whose points may sum to anything is warned at no door, and all others at each."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import httpx
import pytest

from tests.ingest.batches.sending import BATCH, LINES, body_of, lines_of
from tests.ingest.changes.asking import ask, caught_up, correct
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.guests import Guest
from tests.service import bearer

ODD: Final = "points_do_not_sum_to_zero"
NIGHT: Final = a_session(a_round(ada=1, bo=1, points=[35, 10]), game_type="league")
CORRECTION: Final = {**NIGHT, "reason": "wrong_result"}
SHEET: Final = (
    "Date: 2026-01-31,,\nGame Type: league,,\n\nROUND 1 | Games Played: 2 | Wall Games: 0,,\n"
    "Player Email,Mahjongs,Points\nada@example.com,1,35\nbo@example.com,1,10\n"
)


def own(guest: Guest, claim: Claim) -> Claim:
    """Return a claim with the addresses of a guest."""
    whole: Claim = json.loads(guest.own(json.dumps(claim)))
    return whole


async def sent(guest: Guest, key: str, path: str, content: str, kind: str) -> httpx.Response:
    headers = {"Content-Type": kind, **bearer(key)}
    return await guest.client.post(path, content=guest.own(content).encode(), headers=headers)


async def submitted(guest: Guest, key: str) -> Any:
    return (await guest.submit(NIGHT, key)).json()


async def submitted_twice(guest: Guest, key: str) -> Any:
    await submitted(guest, key)
    return await submitted(guest, key)


async def tried(guest: Guest, key: str) -> Any:
    return (await ask(guest.service, "/v1/sessions?dry_run=true", own(guest, NIGHT), key)).json()


async def in_a_batch(guest: Guest, key: str, query: str = "") -> Any:
    answer = await sent(guest, key, f"{BATCH}{query}", body_of(NIGHT).decode(), LINES)
    (line,) = lines_of(answer.content)
    return line["session"]


async def tried_in_a_batch(guest: Guest, key: str) -> Any:
    return await in_a_batch(guest, key, "?dry_run=true")


async def in_a_sheet(guest: Guest, key: str) -> Any:
    return (await sent(guest, key, "/v1/sheets", SHEET, "text/csv")).json()


async def tried_in_a_sheet(guest: Guest, key: str) -> Any:
    return (await sent(guest, key, "/v1/sheets?dry_run=true", SHEET, "text/csv")).json()


async def even_night(guest: Guest, key: str) -> str:
    even = a_session(a_round(ada=1, bo=1, points=[35, -35]), game_type="league")
    answer = await guest.submit(even, key)
    assert answer.json()["warnings"] == []
    await caught_up(guest.service)
    return str(answer.json()["session_id"])


async def corrected(guest: Guest, key: str) -> Any:
    session_id = await even_night(guest, key)
    return (await correct(guest.service, session_id, own(guest, CORRECTION), key)).json()


async def corrected_by_the_operator(guest: Guest, key: str) -> Any:
    session_id, operator = await even_night(guest, key), await guest.operator_key()
    return (await correct(guest.service, session_id, own(guest, CORRECTION), operator)).json()


async def tried_as_a_correction(guest: Guest, key: str) -> Any:
    path = f"/v1/sessions/{await even_night(guest, key)}/corrections?dry_run=true"
    return (await ask(guest.service, path, own(guest, CORRECTION), key)).json()


async def tried_as_a_correction_by_the_operator(guest: Guest, key: str) -> Any:
    path = f"/v1/sessions/{await even_night(guest, key)}/corrections?dry_run=true"
    claim, operator = own(guest, CORRECTION), await guest.operator_key()
    return (await ask(guest.service, path, claim, operator)).json()


async def corrected_by_a_sheet(guest: Guest, key: str) -> Any:
    path = f"/v1/sessions/{await even_night(guest, key)}/corrections/sheet?reason=wrong_result"
    return (await sent(guest, key, path, SHEET, "text/csv")).json()


DOORS: Final[Mapping[str, Callable[[Guest, str], Awaitable[Any]]]] = {
    each.__name__: each
    for each in (
        submitted,
        submitted_twice,
        tried,
        in_a_batch,
        tried_in_a_batch,
        in_a_sheet,
        tried_in_a_sheet,
        corrected,
        corrected_by_the_operator,
        tried_as_a_correction,
        tried_as_a_correction_by_the_operator,
        corrected_by_a_sheet,
    )
}


@pytest.mark.parametrize("points_sum", ["zero", "any"])
@pytest.mark.parametrize("door", DOORS)
async def test_the_warning_depends_on_what_the_source_says_at_every_door(
    guest: Guest, door: str, points_sum: str
) -> None:
    key, other = await guest.source_key(), await guest.source_key("other")
    await guest.pool.execute(
        "UPDATE mahjic.sources SET points_sum = $2 WHERE slug = $1",
        f"a-club-{guest.number}",
        points_sum,
    )
    told = await DOORS[door](guest, key)
    codes = [each["code"] for each in told["warnings"]]
    assert (ODD in codes) == (points_sum == "zero"), told
    # Another source is not asked what this one says.
    elsewhere = a_session(a_round(eve=1, flo=1, points=[35, 10]), game_type="league")
    answer = (await guest.submit(elsewhere, other)).json()
    assert [each["code"] for each in answer["warnings"]] == [ODD]


async def test_all_other_warnings_stay(guest: Guest) -> None:
    key = await guest.source_key()
    slug = f"a-club-{guest.number}"
    await guest.pool.execute("UPDATE mahjic.sources SET points_sum = 'any' WHERE slug = $1", slug)
    first = a_round(ada=1, bo=1, points=[35, 10])
    second = a_round(ada=1, cy=1, points=[35, 10])
    first["players"][0]["name"], second["players"][0]["name"] = "Ada", "Grandma"
    answer = await guest.submit(a_session(first, second, game_type="league"), key)
    assert [each["code"] for each in answer.json()["warnings"]] == ["one_address_two_names"]
