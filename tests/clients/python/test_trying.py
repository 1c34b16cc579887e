"""What the client sends again, how long it waits before, and what it says at the end."""

import json

import httpx
import pytest

from mahjic_client import AsyncMahjic, Mahjic, MahjicError, TooBusy
from mahjic_client.asking import slices
from mahjic_client.trying import Answer, Patience, given_up
from tests.clients.python.either import HURRIED, Either

NO_ANSWERS = (b"", b"1", b"null", b"[1]\n", b"\xff", b"<h1>It works!</h1>\n", b'{"a":' * 100_000)


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("7", 7), ("Sat, 31 Jan 2026 00:00:30 GMT", 30), ("Fri, 30 Jan 2026 00:00:00 GMT", 0)],
)
def test_a_wait_is_as_long_as_the_service_asks(asked: str, seconds: float) -> None:
    midnight = 1769817600.0  # 2026-01-31T00:00:00Z
    patience = Patience(clock=lambda: midnight, chance=lambda: 0.0)
    assert patience.before(0, Answer(503, {"retry-after": asked}, b"")).seconds == seconds


def test_waits_grow_up_to_the_longest_and_are_never_the_same_for_all() -> None:
    least = Patience(clock=lambda: 0.0, chance=lambda: 0.0)
    most = Patience(clock=lambda: 0.0, chance=lambda: 1.0)
    assert [least.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.25, 0.5, 1, 30]
    assert [most.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.5, 1, 2, 60]


def test_a_line_whose_key_is_left_empty_gets_one() -> None:
    lines = [{"idempotency_key": own} for own in (None, "", "my own")]
    ((_, sent),) = slices([{}, *lines], "made")
    keys = [json.loads(line)["idempotency_key"] for line in sent]
    assert keys == ["made-1", "made-2", "made-3", "my own"]


@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
async def test_lines_that_are_not_rated_yet_are_sent_again_unless_a_wait_is_set(
    kind: type[Mahjic] | type[AsyncMahjic],
) -> None:
    sent: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        statuses = [201, 202] if len(sent) == 1 else [200]
        text = "".join(f'{{"status": {status}}}\n' for status in statuses)
        return httpx.Response(200, text=text)

    transport = httpx.MockTransport(answer)
    client = Either(kind("http://mahjic.test", patience=HURRIED, transport=transport))
    told = await client.submit_batch([{}, {}])
    assert [(each["line"], each["status"]) for each in told] == [(1, 201), (2, 200)]
    assert sent[1:] == sent[0].splitlines(keepends=True)[1:]
    sent.clear()
    told = await client.submit_batch([{}, {}], wait=0)
    assert [(each["line"], each["status"]) for each in told] == [(1, 201), (2, 202)]
    assert len(sent) == 1
    await client.close()


@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
@pytest.mark.parametrize("body", NO_ANSWERS, ids=lambda body: repr(body[:9]))
async def test_what_is_not_mahjic_is_told_apart_whatever_it_answers(
    body: bytes, kind: type[Mahjic] | type[AsyncMahjic]
) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    client = Either(kind("http://mahjic.test", transport=transport))
    for asked in (
        client.get_formula(),
        client.submit_session(session_date="2026-01-31", game_type="social", rounds=[]),
        client.forget_player("MJ-7K3Q9XZM"),
        client.history("MJ-7K3Q9XZM"),
        client.sessions(),
        client.events(),
        client.list_facts(),
        client.facts(),
    ):
        with pytest.raises(MahjicError, match="Is this the address of Mahjic"):
            await asked
    await client.close()


@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
async def test_a_list_that_is_none_is_told_apart(kind: type[Mahjic] | type[AsyncMahjic]) -> None:
    body = {"sessions": 7, "events": 7, "next_after": 7}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    client = Either(kind("http://mahjic.test", transport=transport))
    for asked in (client.sessions(), client.events()):
        with pytest.raises(MahjicError, match="Is this the address of Mahjic"):
            await asked
    await client.close()


def test_metrics_that_are_no_text_are_told_apart() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=b"\xff"))
    with (
        Mahjic("http://mahjic.test", transport=transport) as client,
        pytest.raises(MahjicError, match="Is this the address of Mahjic"),
    ):
        client.get_metrics()


def test_what_is_nested_too_deep_is_no_problem_of_mahjics() -> None:
    refused = given_up(Answer(500, {}, b"[" * 100_000), None)
    assert (type(refused), str(refused)) == (TooBusy, "Mahjic answered with status 500.")


def test_what_a_proxy_says_in_a_shape_of_its_own_is_told_by_its_status() -> None:
    mistake = {"pointer": "/a", "code": "b", "message": "Correct it."}
    body = {"detail": 7, "code": [], "errors": ["upstream", None, {"message": "No."}, mistake]}
    refused = given_up(Answer(500, {}, json.dumps(body).encode()), None)
    assert isinstance(refused, TooBusy)
    assert (refused.code, refused.mistakes) == ("", (("/a", "b", "Correct it."),))
    assert str(refused) == "Mahjic answered with status 500.\n/a: Correct it."
