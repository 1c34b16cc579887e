"""The running service answers as its OpenAPI document says, whatever it is asked."""

import re
from typing import Any

import httpx
import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from services.ingest.sheets.uploaded import XLSX
from tests.documents import DOCS
from tests.whole.conftest import ServedSite

EXAMPLES = 25


# The served document is the same; tests/test_documents.py holds the file against the program.
schema = schemathesis.openapi.from_path(DOCS / "openapi.json")


@schemathesis.serializer("application/x-ndjson")
def lines(_: schemathesis.SerializationContext, text: object) -> bytes:
    """Return the body of a batch, which is a text as it is."""
    return str(text).encode()


@schemathesis.serializer(XLSX)
def workbook(_: schemathesis.SerializationContext, content: object) -> bytes:
    """Return the body of a score sheet, which is a file as it is."""
    return content if isinstance(content, bytes) else str(content).encode()


def key_kind(path: str) -> str | None:
    """Return which kind of key a route takes, None for the public ones."""
    if path.startswith("/v1/admin"):
        return "operator"
    if path.startswith("/v1/log"):
        return "auditor"
    return "source" if re.match("/v1/sessions|/v1/sheets$", path) else None


def every_operation() -> list[tuple[str, str]]:
    """Return method and path of every documented operation."""
    paths = orjson.loads((DOCS / "openapi.json").read_bytes())["paths"]
    return [(method, path) for path, operations in sorted(paths.items()) for method in operations]


@pytest.mark.parametrize(("method", "path"), every_operation())
def test_every_answer_is_a_documented_one(method: str, path: str, site: ServedSite) -> None:
    kind = key_kind(path)
    headers = {"Authorization": f"Bearer {site.keys[kind]}"} if kind else None

    @given(case=schema[path][method].as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    def asked(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(
            base_url=site.url,
            headers=headers,
            checks=[
                not_a_server_error,
                status_code_conformance,
                content_type_conformance,
                response_headers_conformance,
                response_schema_conformance,
            ],
            timeout=30,
        )

    asked()


def keyed_operations() -> list[tuple[str, str]]:
    """Return method and path of every documented operation that takes a key."""
    return [(method, path) for method, path in every_operation() if key_kind(path) is not None]


@pytest.mark.parametrize(("method", "path"), keyed_operations())
def test_what_takes_a_key_says_so_and_takes_no_other_kind(
    method: str, path: str, site: ServedSite
) -> None:
    url = site.url + path.format(
        player_id="MJ-0000001Y", session_id="ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG", fact_seq=1
    )
    assert httpx.request(method, url).status_code == 401
    unknown = {"Authorization": "Bearer mjk_" + "0" * 43}
    assert httpx.request(method, url, headers=unknown).status_code == 401
    is_changing_sessions = re.match("/v1/sessions/.*/", path) is not None
    other = "auditor" if path.startswith("/v1/admin") or is_changing_sessions else "source"
    if path in {"/v1/sessions", "/v1/sessions/batch", "/v1/sheets"}:
        other = "auditor" if method == "get" else "operator"
    wrong = {"Authorization": f"Bearer {site.keys[other]}"}
    is_open_to_all_with_a_key = path in {
        "/v1/sessions/{session_id}",
        "/v1/sessions/{session_id}/proof",
    }
    assert httpx.request(method, url, headers=wrong).status_code == (
        404 if is_open_to_all_with_a_key else 403
    )


def test_what_the_gate_answers_is_documented_for_every_route(site: ServedSite) -> None:
    site.run("source", "add", "a-suspended", "--name", "A Suspended", "--type", "club")
    suspended = site.run("key", "create", "a-suspended")
    site.run("source", "suspend", "a-suspended")
    document = orjson.loads((DOCS / "openapi.json").read_bytes())
    asked = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for key in ("no key", "mjk_" + "0" * 43, suspended):
                answer = httpx.request(
                    method,
                    site.url + re.sub(r"{\w+}", "x", path),
                    headers={"Authorization": f"Bearer {key}"},
                )
                is_watched = path in {"/healthz", "/readyz", "/metrics"}
                refused = 403 if key == suspended else 401
                assert answer.status_code == (200 if is_watched else refused), (path, key)
                assert str(answer.status_code) in operation["responses"], (path, key)
                assert is_watched or "429" in operation["responses"], path
                asked += 1
    assert asked > 50
