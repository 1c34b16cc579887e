"""An event that Stripe signed is kept once; of anything else nothing is."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from services.role import build_app
from services.roles import SERVE
from services.wiring import table_service
from shared.settings import Settings
from tests.conftest import Database
from tests.ingest.answers import problem
from tests.service import RunningService, running_service
from tests.verification.events.sending import NEWER, OPEN, an_event, kept, send, written
from tests.verification.stripe.account.events import SECRET, signature_of

BODY = written(an_event("evt_refused"))


def signed(body: bytes, *, age_s: float = 0, secret: str = SECRET) -> str:
    return signature_of(body, datetime.now(UTC) - timedelta(seconds=age_s), [secret])


async def test_an_event_is_kept_once_however_often_it_comes(opened: RunningService) -> None:
    before = await kept(opened.pool)
    for _ in range(3):
        answer = await send(opened.client, written(an_event("evt_once")))
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["Cache-Control"] == "no-store"
    # The id alone says which event it is, even if Stripe wrote it otherwise.
    again = an_event("evt_once", "sub_2", type="customer.subscription.deleted")
    assert (await send(opened.client, written(again))).status_code == 200
    now = await kept(opened.pool)
    assert now == [*before, ("evt_once", "customer.subscription.updated", "sub_1")]


@pytest.mark.parametrize(
    ("event", "object_id"),
    [
        (an_event("evt_new_type", type="v9.some_day.invented"), "sub_1"),
        (an_event("evt_without_id", data={"object": {"object": "invoice"}}), None),
        (an_event("evt_null", None), None),
        # Coupons and products have ids of somebody's choosing.
        (an_event("evt_coupon", "SUMMER 25"), None),
        (an_event("evt_nul", "sub_\u0000"), None),
        (an_event("evt_number", 7), None),
        (an_event("evt_list", ["sub_1"]), None),
        (an_event("evt_long_id", "s" * 256), None),
        (an_event("evt_longest_id", "s" * 255), "s" * 255),
        (an_event("evt_huge", note="x" * 400_000, more=[{"a": [1] * 100}] * 100), "sub_1"),
        (an_event("evt_" + "x" * 251), "sub_1"),
    ],
    ids=lambda given: given["id"][:20] if isinstance(given, dict) else "",
)
async def test_of_what_stripe_signs_the_little_of_use_is_kept(
    opened: RunningService, event: Mapping[str, Any], object_id: str | None
) -> None:
    answer = await send(opened.client, written(event))
    assert answer.status_code == 200
    assert (await kept(opened.pool))[-1] == (event["id"], event["type"], object_id)


async def test_while_a_secret_is_changed_either_is_good(opened: RunningService) -> None:
    for number, secrets in enumerate(
        [(SECRET,), (NEWER,), (NEWER, "whsec_x"), ("whsec_x", SECRET)]
    ):
        body = written(an_event(f"evt_secret_{number}"))
        signature = signature_of(body, datetime.now(UTC), secrets)
        assert (await send(opened.client, body, signature=signature)).status_code == 200
    assert [each[0] for each in await kept(opened.pool)][-4:] == [
        f"evt_secret_{number}" for number in range(4)
    ]


NOT_EVENTS = {
    "no UTF-8": b'{"id": "evt_1", "type": "a.b", "data": {"object": {"id": "\xff\xfe"}}}',
    "no JSON": b"id=evt_1&type=a.b",
    "half": BODY[:-2],
    "twice": BODY + BODY,
    "a list": b"[" + BODY + b"]",
    "null": b"null",
    "a thin event": written(
        {
            "id": "evt_1",
            "object": "v2.core.event",
            "type": "v1.billing.meter.no_meter_found",
            "related_object": {"id": "mtr_1", "type": "billing.meter"},
        }
    ),
    "an odd id": written(an_event("evt 1")),
    "a NUL in the id": written(an_event("evt_\u0000")),
    "a long id": written(an_event("e" * 256)),
    "an empty id": written(an_event("")),
    "a number as id": written({**an_event("x"), "id": 1}),
    "a long type": written(an_event("evt_1", type="a" * 256)),
    "an odd type": written(an_event("evt_1", type="a\u0000b")),
    "no object": written(an_event("evt_1", data={})),
    "lists in lists": b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "half a character": json.dumps(an_event("evt_1")).replace("evt_1", "\\ud800").encode(),
}


@pytest.mark.parametrize("body", NOT_EVENTS.values(), ids=NOT_EVENTS)
async def test_what_is_signed_and_no_event_is_refused(opened: RunningService, body: bytes) -> None:
    before = await kept(opened.pool)
    problem(await send(opened.client, body), 400, "not_an_event")
    assert await kept(opened.pool) == before


REFUSED: dict[str, tuple[dict[str, str], int, str]] = {
    "nothing": ({"signature": " "}, 400, "signature_refused"),
    "another secret": ({"secret": "whsec_of_a_stranger"}, 400, "signature_refused"),
    "another body": ({"signature": signed(BODY + b" ")}, 400, "signature_refused"),
    "no text": ({"signature": "t=1,v1=%C3%A9"}, 400, "signature_refused"),
    "a form": (
        {"Content-Type": "application/x-www-form-urlencoded"},
        415,
        "unsupported_media_type",
    ),
    "compressed": ({"Content-Encoding": "gzip"}, 415, "unsupported_media_type"),
}


@pytest.mark.parametrize(("how", "status", "code"), REFUSED.values(), ids=REFUSED)
async def test_what_stripe_did_not_sign_is_refused(
    opened: RunningService, how: dict[str, str], status: int, code: str
) -> None:
    before = await kept(opened.pool)
    problem(await send(opened.client, BODY, **how), status, code)
    assert await kept(opened.pool) == before


@pytest.mark.parametrize(("age_s", "status"), [(290, 200), (310, 400), (-50, 200), (-70, 400)])
async def test_what_was_signed_long_ago_or_in_the_future_is_refused(
    opened: RunningService, age_s: float, status: int
) -> None:
    body = written(an_event(f"evt_age_{age_s}".replace("-", "m")))
    before = await kept(opened.pool)
    answer = await send(opened.client, body, signature=signed(body, age_s=age_s))
    assert answer.status_code == status
    assert len(await kept(opened.pool)) - len(before) == (status == 200)


async def test_too_much_is_refused_before_it_is_read(opened: RunningService) -> None:
    before = await kept(opened.pool)
    body = written(an_event("evt_too_much", note="x" * (512 << 10)))
    problem(await send(opened.client, body), 413, "payload_too_large")
    empty = await send(opened.client, b"")
    assert empty.status_code == 400
    assert await kept(opened.pool) == before


async def test_without_an_account_at_stripe_nothing_is_taken_unchecked(database: Database) -> None:
    async with running_service(database, is_rating=False) as service:
        for body in (written(an_event("evt_1")), b"x" * (600 << 10)):
            problem(await send(service.client, body), 503, "verification_not_open")
        assert await kept(service.pool) == []


async def test_while_the_database_is_away_stripe_is_asked_to_come_again() -> None:
    pool = await asyncpg.create_pool("postgresql://nobody@127.0.0.1:9/nothing", min_size=0)
    app = build_app(table_service(Settings(_env_file=None, **OPEN), pool), SERVE)
    transport = httpx.ASGITransport(app, client=("192.0.2.1", 1234))
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        problem(await send(client, written(an_event("evt_1"))), 503, "database_unavailable")
    await pool.close()
