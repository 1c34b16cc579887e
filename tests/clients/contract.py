"""The document of the interface, as both clients are written from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]
Contract = Mapping[str, Any]

JSON: Final = "application/json"
LINES: Final = "application/x-ndjson"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class Operation:
    """One documented route."""

    name: str
    method: str
    path: str
    entry: Mapping[str, Any]

    def parameters(self, place: str) -> dict[str, Schema]:
        """Return the parameters in one place of the request by name."""
        return {
            each["name"]: each for each in self.entry.get("parameters", ()) if each["in"] == place
        }

    @property
    def query(self) -> dict[str, Schema]:
        """The parameters in the query by name, but for those that the body says as well."""
        query = self.parameters("query")
        return {name: told for name, told in query.items() if name not in self.fields}

    @property
    def headers(self) -> set[str]:
        """The names of the headers that a request may have."""
        return set(self.parameters("header"))

    @property
    def body(self) -> Schema:
        """The schema of the body, if it is JSON."""
        schema: Schema = self._taken.get(JSON, {}).get("schema", {})
        return schema

    @property
    def fields(self) -> Mapping[str, Schema]:
        """The fields of the body, if it is JSON."""
        fields: Mapping[str, Schema] = self.body.get("properties", {})
        return fields

    @property
    def fields_required(self) -> frozenset[str]:
        """The fields that the body may not leave out."""
        return frozenset(self.body.get("required", ()))

    @property
    def takes_sheet(self) -> bool:
        """Whether the body is a score sheet."""
        return XLSX in self._taken

    @property
    def line(self) -> Schema | None:
        """The schema of a line of the body, if it is a batch."""
        line: Schema | None = self._taken.get(LINES, {}).get("itemSchema")
        return line

    def answers(self) -> Iterator[tuple[str, str, Schema]]:
        """Yield status, content type and content of what it answers when all is well."""
        for status, answer in self.entry["responses"].items():
            if status.startswith("2"):
                for kind, content in answer.get("content", {}).items():
                    yield status, kind, content

    @property
    def kinds(self) -> set[str]:
        """The content types of what it answers when all is well."""
        return {kind for _, kind, _ in self.answers()}

    @property
    def _taken(self) -> Schema:
        taken: Schema = self.entry.get("requestBody", {}).get("content", {})
        return taken


def operations(contract: Contract) -> Iterator[Operation]:
    """Yield every documented route."""
    for path, methods in contract["paths"].items():
        for method, entry in methods.items():
            yield Operation(entry["operationId"], method.upper(), path, entry)
