"""Each request is counted for whoever sent it, and every answer says what is left."""

from dataclasses import dataclass, replace

import pytest

from shared.errors import ServiceUnavailable
from shared.http.callers import Caller
from tests.http.service import (
    BIG_SOURCE_KEY,
    OPERATOR_KEY,
    SOURCE_KEY,
    UNKNOWN_KEY,
    a_service,
    talking_to,
    with_key,
)


async def test_the_public_is_told_its_limit_and_then_refused() -> None:
    async with talking_to(a_service(public_per_minute=2)) as client:
        answers = [await client.get("/v1/board") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["ratelimit-policy"] for answer in answers] == ['"public";q=2;w=60'] * 3
    assert [answer.headers["ratelimit"] for answer in answers] == [
        '"public";r=1;t=60',
        '"public";r=0;t=60',
        '"public";r=0;t=60',
    ]
    refused = answers[2]
    assert refused.headers["retry-after"] == "60"
    assert refused.json()["code"] == "too_many_requests"
    assert refused.json()["violated-policies"] == ["public"]


async def test_a_304_is_free() -> None:
    async with talking_to(a_service(public_per_minute=2)) as client:
        first = await client.get("/v1/board")
        condition = {"If-None-Match": first.headers["etag"]}
        again = [await client.get("/v1/board", headers=condition) for _ in range(5)]
        head = await client.head("/v1/board", headers=condition)
    assert {answer.status_code for answer in [*again, head]} == {304}
    assert {answer.headers["ratelimit"].split(";")[1] for answer in [*again, head]} == {"r=1"}


async def test_two_addresses_of_one_ipv6_64_are_one_client_and_two_64s_are_two() -> None:
    app = a_service(public_per_minute=1)
    statuses = []
    for address in ("2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::1"):
        async with talking_to(app, address) as client:
            statuses.append((await client.get("/v1/board")).status_code)
    assert statuses == [200, 429, 200]


async def test_clients_behind_a_trusted_proxy_are_counted_apart() -> None:
    app = a_service(public_per_minute=1, trusted_proxies=("10.0.0.0/8",))
    async with talking_to(app, "10.0.0.1") as client:
        statuses = [
            (await client.get("/v1/board", headers={"X-Forwarded-For": address})).status_code
            for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1")
        ]
    assert statuses == [200, 200, 429]


async def test_a_source_is_counted_with_its_own_limit() -> None:
    app = a_service(public_per_minute=1, source_per_minute=2)
    async with talking_to(app) as client:
        await client.get("/v1/board")
        usual = [await client.get("/v1/board", headers=with_key(SOURCE_KEY)) for _ in range(3)]
        big = [await client.get("/v1/board", headers=with_key(BIG_SOURCE_KEY)) for _ in range(6)]
    assert [answer.status_code for answer in usual] == [200, 200, 429]
    assert [answer.status_code for answer in big] == [200] * 5 + [429]
    assert big[0].headers["ratelimit-policy"] == '"source";q=5;w=60'


async def test_a_new_limit_of_a_source_holds_at_its_next_request() -> None:
    limit = 1

    async def known_by(_key: str) -> Caller:
        return Caller("source", "a-club", "key-1", limit)

    async with talking_to(a_service(known_by=known_by)) as client:
        before = [await client.get("/v1/board", headers=with_key(SOURCE_KEY)) for _ in range(2)]
        limit = 3
        after = [await client.get("/v1/board", headers=with_key(SOURCE_KEY)) for _ in range(3)]
    assert [answer.status_code for answer in before] == [200, 429]
    assert [answer.status_code for answer in after] == [200, 200, 429]


async def test_operators_and_those_who_watch_have_no_limit() -> None:
    async with talking_to(a_service(public_per_minute=1)) as client:
        for _ in range(3):
            operator = await client.get("/v1/board", headers=with_key(OPERATOR_KEY))
            assert operator.status_code == 200
            assert "ratelimit" not in operator.headers
            for path in ("/healthz", "/readyz", "/metrics"):
                watched = await client.get(path)
                assert watched.status_code == 200
                assert "ratelimit" not in watched.headers
        assert (await client.get("/v1/board")).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    [
        f"Bearer {UNKNOWN_KEY}",
        "Bearer mjk_tooshort",
        f"Bearer {SOURCE_KEY}x",
        f"Basic {SOURCE_KEY}",
        SOURCE_KEY,
        "Bearer",
        "",
        f"Bearer {SOURCE_KEY}, Bearer {SOURCE_KEY}",
    ],
)
async def test_a_bad_key_is_refused_everywhere_and_costs_its_address(authorization: str) -> None:
    async with talking_to(a_service(public_per_minute=2)) as client:
        headers = {"Authorization": authorization}
        answers = [await client.get("/v1/board", headers=headers) for _ in range(3)]
        public = await client.get("/v1/board")
    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert answers[0].headers["www-authenticate"] == (
        'Bearer realm="mahjic", error="invalid_token"'
    )
    assert answers[0].json()["code"] == "not_authenticated"
    assert public.status_code == 429


async def test_two_authorization_fields_are_refused() -> None:
    async with talking_to(a_service()) as client:
        fields = [("Authorization", f"Bearer {key}") for key in (SOURCE_KEY, OPERATOR_KEY)]
        answer = await client.get("/v1/board", headers=fields)
    assert answer.status_code == 401


async def test_nothing_is_looked_up_for_what_cannot_be_a_key() -> None:
    looked_up = []

    async def known_by(key: str) -> None:
        looked_up.append(key)

    async with talking_to(a_service(known_by=known_by)) as client:
        await client.get("/v1/board", headers={"Authorization": "Bearer mjk_'; DROP TABLE keys"})
        await client.get("/v1/board", headers=with_key(UNKNOWN_KEY))
    assert looked_up == [UNKNOWN_KEY]


async def test_a_good_key_works_from_an_address_that_has_used_up_its_own_requests() -> None:
    async with talking_to(a_service(public_per_minute=1)) as client:
        for _ in range(2):
            await client.get("/v1/board")
        assert (await client.get("/v1/board", headers=with_key(SOURCE_KEY))).status_code == 200


async def test_keys_that_cannot_be_looked_up_are_503_and_not_401() -> None:
    async def known_by(_key: str) -> None:
        raise ServiceUnavailable

    async with talking_to(a_service(known_by=known_by)) as client:
        answer = await client.get("/v1/board", headers=with_key(SOURCE_KEY))
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")


@dataclass(frozen=True)
class Sender:
    """Who sends a request, from which address: a source by one of its keys, or the public."""

    address: str = "192.0.2.1"
    source: str | None = None
    key: str = "1"

    @property
    def headers(self) -> dict[str, str]:
        if self.source is None:
            return {}
        return with_key("mjk_" + f"{self.source}{self.key}".replace("-", "").rjust(43, "0"))


HOME = Sender(source="a-club")


@pytest.mark.parametrize(
    ("first", "second", "is_together"),
    [
        (HOME, HOME, True),
        (HOME, replace(HOME, key="2"), True),
        (HOME, replace(HOME, address="198.51.100.7"), True),
        (HOME, replace(HOME, key="2", address="2001:db8::1"), True),
        (HOME, replace(HOME, source="b-club"), False),
        (HOME, replace(HOME, source="a-club2"), False),
        (HOME, Sender(), False),
        (Sender(), HOME, False),
        (Sender(), Sender(), True),
        (Sender(), Sender(address="192.0.2.2"), False),
        (Sender(address="2001:db8::1"), Sender(address="2001:db8::2"), True),
    ],
)
async def test_what_is_counted_together_and_what_apart(
    first: Sender, second: Sender, is_together: bool
) -> None:
    senders = {each.headers.get("Authorization"): each for each in (first, second)}

    async def known_by(key: str) -> Caller | None:
        sender = senders.get(f"Bearer {key}")
        assert sender is not None
        return Caller("source", sender.source, f"key_{sender.source}_{sender.key}", None)

    app = a_service(public_per_minute=2, source_per_minute=2, known_by=known_by)
    statuses = []
    for sender in (first, first, second):
        async with talking_to(app, sender.address) as client:
            statuses.append((await client.get("/v1/board", headers=sender.headers)).status_code)
    assert statuses == [200, 200, 429 if is_together else 200]
