"""The document of the interface, as the JavaScript client is written from it."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]

WIDTH: Final = 100
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LINES: Final = "application/x-ndjson"


@dataclass(frozen=True)
class Route:
    """One documented route."""

    method: str
    path: str
    entry: Schema

    @property
    def id(self) -> str:
        """The operation id."""
        return str(self.entry["operationId"])

    @property
    def name(self) -> str:
        """What its method is called in JavaScript."""
        return camel(self.id)

    def parameters(self, place: str) -> list[Schema]:
        """Return the parameters in a place of the request."""
        return [each for each in self.entry.get("parameters", ()) if each["in"] == place]

    @property
    def query(self) -> list[Schema]:
        """The parameters in the query, but for those that the body says as well."""
        in_body = self.body.get("properties", {})
        return [each for each in self.parameters("query") if each["name"] not in in_body]

    @property
    def headers(self) -> set[str]:
        """The names of the headers that a request may have."""
        return {each["name"] for each in self.parameters("header")}

    @property
    def body(self) -> Schema:
        """The schema of the body, if it is JSON."""
        schema: Schema = self._taken.get("application/json", {}).get("schema", {})
        return schema

    @property
    def takes_sheet(self) -> bool:
        """Whether the body is a score sheet."""
        return XLSX in self._taken

    @property
    def takes_lines(self) -> bool:
        """Whether the body is a batch."""
        return LINES in self._taken

    @property
    def _taken(self) -> Schema:
        taken: Schema = self.entry.get("requestBody", {}).get("content", {})
        return taken

    def answers(self) -> Iterator[tuple[str, str, Schema]]:
        """Yield status, content type and content of what it answers when all is well."""
        for status, response in self.entry["responses"].items():
            if status.startswith("2"):
                for kind, content in response.get("content", {}).items():
                    yield status, kind, content

    def lines(self) -> Iterator[Schema]:
        """Yield the schemas of the lines of a body and an answer that are made of lines."""
        for content in (*self._taken.values(), *(content for _, _, content in self.answers())):
            if "itemSchema" in content:
                yield content["itemSchema"]

    @property
    def kinds(self) -> set[str]:
        """The content types of its answers."""
        return {kind for _, kind, _ in self.answers()}


def routes(document: Schema) -> Iterator[Route]:
    """Yield every documented route."""
    for path, methods in document["paths"].items():
        for method, entry in methods.items():
            yield Route(method.upper(), path, entry)


def camel(name: str) -> str:
    """Return a name as JavaScript writes it."""
    first, *others = name.split("_")
    return first + "".join(each.title() for each in others)


def comment(paragraphs: str, indent: str, *tags: str) -> str:
    """Return words as a comment of lines that are short enough to read."""
    plain = [re.sub(r"\s+", " ", each).strip() for each in paragraphs.split("\n\n")]
    words = [each.replace("*/", "* /") for each in plain if each]
    if not words and not tags:
        return ""
    if len(words) == 1 and not tags and len(indent) + len(words[0]) + 7 <= WIDTH:
        return f"{indent}/** {words[0]} */\n"
    lines: list[str] = []
    for each in words:
        lines += ["", *_wrapped(each, WIDTH - len(indent) - 3)]
    starred = (f"{indent} * {each}".rstrip() for each in [*lines[1:], *tags])
    return "\n".join([f"{indent}/**", *starred, f"{indent} */\n"])


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
