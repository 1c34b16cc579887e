"""The client and the document of the interface have the same operations, and the same words."""

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mahjic_client import AsyncMahjic, Mahjic
from tests.clients.python.writing.files import FOLDERS, PACKAGE, client_files
from tests.documents import DOCS
from tests.test_documents import OPERATIONS

CONTRACT: dict[str, Any] = json.loads((DOCS / "openapi.json").read_text())
BOTH = pytest.mark.parametrize("client", [Mahjic, AsyncMahjic])
HEADERS = {"Idempotency-Key": "idempotency_key", "Prefer": "wait"}
# What the client has beside the routes.
MORE = frozenset({"batch", "close"})


def entries() -> Iterator[tuple[str, dict[str, Any]]]:
    for item in CONTRACT["paths"].values():
        for entry in item.values():
            yield entry["operationId"], entry


def test_what_is_written_from_the_document_is_fresh() -> None:
    written = {
        f"{folder}/{file.name}": file.read_text()
        for folder in FOLDERS
        for file in (PACKAGE / folder).glob("*.py")
    }
    assert written == client_files(CONTRACT), "The client is stale. Run `make docs`."


@BOTH
def test_every_operation_is_a_method_and_every_method_an_operation_or_a_list(client: type) -> None:
    methods = {name for name, _ in inspect.getmembers(client, callable) if name[0] != "_"}
    listed = {name.partition("_")[2] for name, entry in entries() if is_list(entry)}
    listed = listed - {"change"} | {"changed_rounds"}
    assert methods == OPERATIONS | listed | MORE
    assert len(listed) == 14


def is_list(entry: dict[str, Any]) -> bool:
    names = {each["name"] for each in entry.get("parameters", ())}
    return bool(names & {"cursor", "after"}) or "audit" in entry["tags"]


@BOTH
@pytest.mark.parametrize(("name", "entry"), sorted(entries()))
def test_a_method_takes_what_the_operation_takes(
    client: type, name: str, entry: dict[str, Any]
) -> None:
    method: Callable[..., Any] = getattr(client, name)
    _, *arguments = inspect.signature(method).parameters.values()
    placed = [each.name for each in arguments if each.kind is each.POSITIONAL_ONLY]
    named = {each.name for each in arguments if each.kind is each.KEYWORD_ONLY}
    assert len(placed) + len(named) == len(arguments)
    body = "lines" if name == "submit_batch" else None
    told = entry.get("parameters", ())
    assert placed == [each["name"] for each in told if each["in"] == "path"] + [body] * bool(body)
    assert named == set(names_told(entry))


def names_told(entry: dict[str, Any]) -> Iterator[str]:
    for each in entry.get("parameters", ()):
        if each["in"] == "query":
            yield {"from": "from_"}.get(each["name"], each["name"])
        elif each["in"] == "header":
            yield HEADERS[each["name"]]
    content = entry.get("requestBody", {}).get("content", {})
    for kind, told in content.items():
        if kind in {"application/json", "multipart/form-data"}:
            yield from told["schema"]["properties"]
