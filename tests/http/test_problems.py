"""Every error is a problem (RFC 9457) that tells its caller enough, and nothing of our insides."""

import io
import json

import pytest

from shared.http.logs import configure_logs
from shared.http.problems import AnswerCutShort
from tests.http.service import (
    OPERATOR_KEY,
    SOURCE_KEY,
    a_service,
    talking_to,
    with_key,
)


async def test_an_unknown_address_is_a_problem_with_the_members_of_rfc_9457() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/nowhere", headers={"X-Request-Id": "my-request-7"})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json() == {
        "type": "https://mahjic.org/docs/errors#not_found",
        "title": "Not found",
        "status": 404,
        "detail": "There is nothing at this address. /openapi.json lists all addresses.",
        "code": "not_found",
        "instance": "tag:mahjic.org,2026:request/my-request-7",
    }


async def test_a_wrong_method_is_told_every_method_of_the_address() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.delete("/v1/players/7")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, PUT"


async def test_an_address_with_a_slash_too_many_is_not_redirected() -> None:
    async with talking_to(a_service()) as client:
        assert (await client.get("/v1/board/")).status_code == 404


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("limit=201", "out_of_range", 'It must be 200 or less; "201" is not.'),
        ("limit=0", "out_of_range", 'It must be 1 or more; "0" is not.'),
        ("limit=ten", "wrong_type", 'It must be a whole number; "ten" is not.'),
        ("limit=", "wrong_type", 'It must be a whole number; "" is not.'),
    ],
)
async def test_a_wrong_parameter_is_named(query: str, code: str, message: str) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get(f"/v1/board?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")
    assert answer.json()["errors"] == [
        {"pointer": "/query/limit", "code": code, "message": message}
    ]


async def test_a_fault_of_ours_is_answered_and_logged_without_its_words() -> None:
    log = io.StringIO()
    configure_logs(stream=log)
    async with talking_to(a_service()) as client:
        answer = await client.get("/v1/fault?q=bob@example.com")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    logged = [json.loads(line) for line in log.getvalue().splitlines()]
    fault = next(line for line in logged if line["event"] == "request_failed")
    assert answer.json()["instance"].endswith("/" + fault["request_id"])
    assert fault["request_id"] == answer.headers["x-request-id"]
    assert fault["exception"].startswith("builtins.RuntimeError")
    assert "tests/http/service.py" in fault["exception"]
    assert "example.com" not in answer.text + log.getvalue()


async def test_an_answer_that_fails_halfway_is_cut_and_not_ended() -> None:
    async with talking_to(a_service()) as client:
        with pytest.raises(AnswerCutShort):
            await client.get("/v1/fault-halfway")


async def test_a_database_that_is_away_is_503_with_the_time_to_wait() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/v1/away")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert answer.headers["retry-after"] == "5"


async def test_a_route_for_operators_refuses_the_public_and_other_keys() -> None:
    async with talking_to(a_service()) as client:
        nobody = await client.put("/v1/players/7")
        source = await client.put("/v1/players/7", headers=with_key(SOURCE_KEY))
        operator = await client.put("/v1/players/7", headers=with_key(OPERATOR_KEY))
    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_authenticated")
    assert nobody.headers["www-authenticate"] == 'Bearer realm="mahjic"'
    assert (source.status_code, source.json()["code"]) == (403, "not_allowed")
    assert operator.json() == {"id": "7", "by": "key-3"}
    assert operator.headers["cache-control"] == "no-store"


def test_the_openapi_document_describes_problems_and_the_key() -> None:
    document = a_service().openapi()
    assert set(document["components"]["schemas"]["Problem"]["required"]) == {
        "type",
        "title",
        "status",
        "detail",
        "code",
        "instance",
    }
    described = document["paths"]["/v1/board"]["get"]["responses"]["429"]
    assert described["content"] == {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
    }
    assert {"Retry-After", "RateLimit", "RateLimit-Policy"} == set(described["headers"])
    assert document["paths"]["/v1/notes"]["post"]["security"] == [{"ApiKey": []}]
    assert document["components"]["securitySchemes"]["ApiKey"]["scheme"] == "bearer"


def test_every_reference_in_the_openapi_document_leads_somewhere() -> None:
    document = a_service().openapi()
    for reference in _references(document):
        node = document
        for step in reference.removeprefix("#/").split("/"):
            node = node[step]


def _references(node: object) -> list[str]:
    if isinstance(node, dict):
        found = [reference for value in node.values() for reference in _references(value)]
        return [*found, node["$ref"]] if isinstance(node.get("$ref"), str) else found
    if isinstance(node, list):
        return [reference for value in node for reference in _references(value)]
    return []


def test_the_openapi_document_is_the_same_each_time_it_is_asked_for() -> None:
    # Each asks a service of its own, for one keeps the document that it was first asked for.
    first, second = (json.dumps(a_service().openapi()) for _ in range(2))
    assert first == second
