"""Batches: each line is answered as the session sent alone, in its order, and harms no other."""

import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import pytest
import structlog

from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.ingest.answers import as_at_first, facts, problem, session_at_first
from tests.ingest.batches.sending import (
    BATCH,
    LINES,
    Line,
    a_night,
    answers,
    body_of,
    codes,
    lines_of,
    send,
    told,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import facts_on
from tests.log.deadlines import deadline
from tests.service import RunningService, bearer, running_service

LINE_BYTES_MAX = 100 << 10
# What is another one each time: ids of sessions, players and requests.
AN_ID = re.compile(r"ses_[0-9A-Z]{26}|(?:MJ|AN)-[0-9A-Z]{8}|request/[0-9a-f]{24}")
A_KEY = {"idempotency_key": "key 1"}
CLAIMS: list[Any] = [
    a_night(1),
    a_night(1),
    a_night(1, allow_duplicate=True),
    a_session(a_round({"Ada@Example.com": 2, "PRIVATE:bo@x.org": 1, "ANON:Cy": 0})),
    a_session(a_round(ada=9, bo=8, wall_games=2, points=[10, -5.25]), game_type="league"),
    a_session(a_round(ada=1, ida=1), a_round(ada=1, bo=2)),
    a_night(2, **A_KEY),
    a_night(2, **A_KEY),
    a_night(3, **A_KEY),
    a_night(3, idempotency_key='"key 2"'),
    a_night(3, idempotency_key="key 2"),
    a_night(4, idempotency_key=""),
    a_night(4, idempotency_key="with a \u0007 bell"),
    a_night(4, idempotency_key="k" * 256),
    a_night(4, idempotency_key=None),
    {"session_date": "2026-01-32", "game_type": "solo", "rounds": [], "extra": 1},
    a_session(a_round(ada=1, bo=0), on="2026-02-30"),
    a_session(a_round({"ada": 1, "ADA": 0, "no address": 1})),
    "",
    "   ",
    "{",
    "[1, 2]",
    '"a text"',
    '{"a": 1, "a": 2}',
    '{"a": "\\u0000"}',
    "\ufeff{}",
    "[" * 300,
    a_night(5, source_id="another-club"),
    a_night(6),
]


async def test_lines_are_recorded_and_answered_in_the_order_of_the_file(
    service: RunningService,
) -> None:
    key = await service.source_key()
    lines = await answers(service, body_of(*map(a_night, range(1200))), key)
    assert told(lines) == [(number, 201) for number in range(1, 1201)]
    assert {each["replayed"] for each in lines} == {False}
    on_log = [fact.session_id for fact in await facts_on(service.pool)]
    assert [each["session"]["session_id"] for each in lines] == on_log
    # Where one night leaves Ada the next one finds her.
    ada = [each["session"]["results"][0] for each in lines]
    after = [each["rating_after"] for each in ada]
    assert [each["rating_before"] for each in ada] == [1500.0, *after[:-1]]


async def test_each_line_is_answered_as_the_same_session_sent_alone(
    postgres_server: EmbeddedServer,
) -> None:
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        running_service(database) as service,
    ):
        key = await service.source_key()
        alone = [each async for each in sent_alone(service, key)]
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        running_service(database) as service,
    ):
        lines = await answers(service, body_of(*CLAIMS), await service.source_key())
    codes = [each["code"] for line in lines for each in line.get("session", {}).get("warnings", ())]
    assert codes == [
        each["code"] for line in alone for each in line.get("session", {}).get("warnings", ())
    ]
    assert "already_recorded" in codes
    for line in (*lines, *alone):
        line["session"] = at_first(line)
    assert list(without_ids(lines)) == list(without_ids(alone))
    statuses = {each["status"] for each in lines}
    assert statuses == {200, 201, 400, 409, 422}


def at_first(line: Line) -> dict[str, Any] | None:
    """Return the session of a line without the warning of a repeat."""
    if "session" not in line:
        return None
    return session_at_first(line["session"], is_repeat=line["replayed"])


async def sent_alone(service: RunningService, key: str) -> AsyncIterator[Line]:
    """Send each claim as a request of its own, its key as a header, and say it as a line would."""
    for number, claim in enumerate(CLAIMS, start=1):
        headers = {"Content-Type": "application/json", **bearer(key)}
        if isinstance(claim, dict) and claim.get("idempotency_key") is not None:
            headers["Idempotency-Key"] = claim["idempotency_key"]
        body = body_of(without_key(claim), end="")
        answer = await service.client.post("/v1/sessions", content=body, headers=headers)
        said = {"line": number, "status": answer.status_code}
        if answer.status_code < 300:
            replayed = answer.headers.get("Idempotency-Replayed") == "true"
            yield {**said, "replayed": replayed, "session": answer.json()}
        else:
            yield {**said, "problem": answer.json()}


def without_key(claim: Any) -> Any:
    """Return a claim as it is sent alone."""
    if not isinstance(claim, dict):
        return claim
    return {name: claim[name] for name in claim if name != "idempotency_key"}


def without_ids(lines: Iterable[Line]) -> Iterator[Line]:
    """Call each id by its place among those of its kind; requests are all one."""
    ids: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        kind = re.split("[-_/]", found[0])[0]
        return "a request" if kind == "request" else ids.setdefault(found[0], f"{kind} {len(ids)}")

    for line in lines:
        yield json.loads(AN_ID.sub(name, json.dumps(line, sort_keys=True)))


async def test_a_key_is_one_key_in_a_batch_and_alone(service: RunningService) -> None:
    key = await service.source_key()
    first = await service.submit(a_night(1), key, idempotency_key="night 1")
    again, other, new = await answers(
        service,
        body_of(
            a_night(1, idempotency_key='"night 1"'),
            a_night(2, idempotency_key="night 1"),
            a_night(2, idempotency_key="night 2"),
        ),
        key,
    )
    assert (again["status"], again["replayed"]) == (201, True)
    assert session_at_first(again["session"], is_repeat=True) == first.json()
    assert (other["status"], other["problem"]["code"]) == (422, "idempotency_key_reused")
    assert (new["status"], new["replayed"]) == (201, False)
    alone = await service.submit(a_night(2), key, idempotency_key="night 2")
    assert (alone.status_code, as_at_first(alone)) == (201, new["session"])
    assert alone.headers["Idempotency-Replayed"] == "true"


async def test_a_batch_sent_again_is_answered_as_before_and_adds_nothing(
    service: RunningService,
) -> None:
    key = await service.source_key()
    body = body_of(*map(a_night, range(20)), a_night(20, idempotency_key="k"), "{", a_night(3))
    first = await answers(service, body, key)
    again = await answers(service, body, key)
    assert told(first) == [*((n, 201) for n in range(1, 22)), (22, 400), (23, 200)]
    assert told(again) == [*((n, 200) for n in range(1, 21)), (21, 201), (22, 400), (23, 200)]
    assert [*map(at_first, again)] == [*map(at_first, first)]
    assert [each.get("replayed") for each in again] == [*[True] * 21, None, True]
    assert await facts(service) == 21


async def test_whoever_does_not_want_to_wait_is_answered_once_it_is_recorded(
    service: RunningService,
) -> None:
    key = await service.source_key()
    await service.stop_rating()
    body = body_of(*map(a_night, range(5)))
    lines = await answers(service, body, key, Prefer="respond-async")
    assert told(lines) == [(number, 202) for number in range(1, 6)]
    assert {each["session"]["status"] for each in lines} == {"accepted"}
    assert await facts(service) == 5
    # The wait of each line begins when it is recorded; of all of them together it is one.
    waited = await answers(service, body_of(*map(a_night, range(5, 9))), key, Prefer="wait=1")
    assert told(waited) == [(number, 202) for number in range(1, 5)]
    await service.start_rating()
    rated = await answers(service, body, key, Prefer="wait=30")
    assert told(rated) == [(number, 200) for number in range(1, 6)]
    assert {each["session"]["status"] for each in rated} == {"rated"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", []),
        (b"\n", [(1, 400)]),
        (b"\n\n", [(1, 400), (2, 400)]),
        (b"\r\n", [(1, 400)]),
        (b"x", [(1, 400)]),
        (b"x\n", [(1, 400)]),
        (body_of(a_night(1)), [(1, 201)]),
        (body_of(a_night(1), end=""), [(1, 201)]),
        (body_of(a_night(1), a_night(2), end="\r\n"), [(1, 201), (2, 201)]),
        (body_of(a_night(1), "", "", a_night(2)), [(1, 201), (2, 400), (3, 400), (4, 201)]),
        (body_of("\r" + json.dumps(a_night(1)) + "\r"), [(1, 201)]),
    ],
)
async def test_a_line_ends_at_its_line_feed_and_the_last_one_at_the_end(
    service: RunningService, body: bytes, expected: list[tuple[int, int]]
) -> None:
    lines = await answers(service, body, await service.source_key())
    assert told(lines) == expected
    assert {each["problem"]["code"] for each in lines if "problem" in each} <= {"malformed_json"}


async def test_a_body_may_be_cut_anywhere_also_within_a_character(service: RunningService) -> None:
    claims = [
        a_session(a_round({"ANON:Zo\u00eb": number, "ANON:\U0001f004": 1})) for number in (1, 2)
    ]
    body = "".join(json.dumps(each, ensure_ascii=False) + "\r\n" for each in claims).encode()
    assert len(body) > len(body.decode())
    key = await service.source_key()
    in_bytes = await answers(service, (body[at : at + 1] for at in range(len(body))), key)
    assert told(in_bytes) == [(1, 201), (2, 201)]
    players = [each["player"] for each in in_bytes[0]["session"]["results"]]
    assert players == ["ANON:Zo\u00eb", "ANON:\U0001f004"]


async def test_a_line_that_is_too_long_is_skipped_and_the_others_are_answered(
    service: RunningService,
) -> None:
    fits = json.dumps(a_night(1)).ljust(LINE_BYTES_MAX)
    body = body_of(fits, fits + " ", a_night(2), "x" * (3 * LINE_BYTES_MAX))
    lines = await answers(
        service,
        (body[at : at + 1000] for at in range(0, len(body), 1000)),
        await service.source_key(),
    )
    assert told(lines) == [(1, 201), (2, 413), (3, 201), (4, 413)]
    assert codes(lines) == ["", "line_too_long", "", "line_too_long"]
    assert lines[1]["problem"]["bytes_max"] == LINE_BYTES_MAX
    crlf = body_of(fits, fits + " ", end="\r\n")
    assert [
        each["status"] for each in await answers(service, crlf, await service.source_key())
    ] == [200, 413]


@pytest.mark.parametrize(
    "content_type",
    ["application/x-ndjson", "application/ndjson", "Application/JSONL; charset=utf-8"],
)
async def test_lines_of_json_are_taken_by_each_of_their_names(
    service: RunningService, content_type: str
) -> None:
    key = await service.source_key()
    answer = await send(service, body_of(a_night(1)), key, **{"Content-Type": content_type})
    assert told(lines_of(answer.content)) == [(1, 201)]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-ndjson; charset=utf-16"},
        {"Content-Type": LINES, "Content-Encoding": "gzip"},
    ],
)
async def test_what_is_said_to_be_something_else_is_refused_as_a_whole(
    service: RunningService, headers: dict[str, str]
) -> None:
    answer = await send(service, body_of(a_night(1)), await service.source_key(), **headers)
    problem(answer, 415, "unsupported_media_type")
    assert await facts(service) == 0


async def test_only_a_source_may_send_a_batch(service: RunningService) -> None:
    nobody = await service.client.post(BATCH, content=b"", headers={"Content-Type": LINES})
    problem(nobody, 401, "not_authenticated")
    problem(await send(service, b"", await service.operator_key()), 403, "not_allowed")


async def test_a_batch_is_one_request_under_the_limit(
    postgres_server: EmbeddedServer,
) -> None:
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        running_service(database, source_limit_per_minute=2) as service,
    ):
        key = await service.source_key()
        first = await send(service, body_of(*map(a_night, range(10))), key)
        assert len(lines_of(first.content)) == 10
        assert first.headers["RateLimit"].startswith('"source";r=1;')
        assert (await send(service, b"", key)).status_code == 200
        problem(await send(service, b"", key), 429, "too_many_requests")


A_LINE_THAT_THE_DATABASE_REFUSES = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON mahjic.submissions
    FOR EACH ROW WHEN (NEW.allowed_duplicate) EXECUTE FUNCTION refuse();
"""


async def test_a_line_that_the_database_refuses_harms_no_other_and_moves_none(
    database: Database,
) -> None:
    nights = [a_night(number, allow_duplicate=number in {0, 11, 23}) for number in range(24)]
    async with running_service(database, is_rating=False) as service, deadline():
        key = await service.source_key()
        await database.pool.execute(A_LINE_THAT_THE_DATABASE_REFUSES)
        with structlog.testing.capture_logs() as logged:
            lines = await answers(service, body_of(*nights), key, Prefer="respond-async")
    assert [each["line"] for each in logged if each["event"] == "line_failed"] == [1, 12, 24]
    assert told(lines) == [
        (number + 1, 500 if number in {0, 11, 23} else 202) for number in range(24)
    ]
    assert {*codes(lines)} == {"", "internal_error"}
    on_log = [fact.session_id for fact in await facts_on(database.pool)]
    assert on_log == [line["session"]["session_id"] for line in lines if line["status"] == 202]
