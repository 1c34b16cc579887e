"""Writes the types of what the JavaScript client takes and gives."""

import json
from collections.abc import Iterator
from typing import Final

from tests.clients.contract import JSON, LINES, Contract, Operation, Schema, operations
from tests.clients.js.writing.methods import PAGES, has_trial
from tests.clients.js.writing.wording import camel, comment

HEAD: Final = """/** What Mahjic takes and gives. `make docs` writes it from docs/openapi.json. */

/** What a method takes beside the parts of its path. */
export type Options<Name extends keyof Operations> = Operations[Name]["options"];

/** What a method comes to. */
export type Answer<Name extends keyof Operations> = Operations[Name]["answer"];

/** What a method comes to with `dry_run: true`. */
export type Trial<Name extends keyof Trials> = Trials[Name];

/** What goes through a list takes: its method without the place of a page. */
export type Paged<Name extends keyof Operations> = Omit<Options<Name>, "cursor" | "offset">;

/** One of those in a list that comes in pages. */
export type Row<Name extends keyof Rows> = Rows[Name];

/** What every method takes. */
export interface CallOptions {
  /** Ends the call, also while it waits for another try. */
  signal?: AbortSignal | undefined;
}

/** A score sheet: the text of a CSV file, or the bytes of a CSV or XLSX file. */
export type Sheet = string | Uint8Array | ArrayBuffer | Blob;

/** Records of a log, byte for byte, and the hash chain before the first and after the last. */
export interface LogPage {
  records: string[];
  log_id: string;
  /** Missing beyond the end of the log, as is the other. */
  chain_before?: string;
  chain_after?: string;
}
"""
# These headers of a request are options of a method; the others are the client's own matter.
HEADERS: Final = {
    "Prefer": (
        "wait",
        "number",
        "How long Mahjic may take, 30 s at most; then it tells what is known. If left out, all.",
    ),
    "Idempotency-Key": (
        "idempotencyKey",
        "string",
        "Your own name for the request. Left out, each call makes one, and keeps it.",
    ),
}
PLAIN: Final = {
    "string": "string",
    "boolean": "boolean",
    "null": "null",
    "integer": "number",
    "number": "number",
}


def api_types(document: Contract) -> str:
    """Return the text of the types of a document."""
    types = _Types(document)
    told = [types.operation(each) for each in operations(document)]
    trials = [types.trial(each) for each in operations(document) if has_trial(each)]
    rows = [types.row(each) for each in operations(document) if each.name in PAGES]
    listed = [
        _interface("Operations", "What each method takes and comes to, by its name.", told),
        _interface("Trials", "What the methods with dry runs come to in one.", trials),
        _interface("Rows", "What the lists are made of that come in pages.", rows),
    ]
    return "\n".join([HEAD, *listed, *map(types.declared, sorted(types.named))])


def _interface(name: str, words: str, entries: list[str]) -> str:
    return f"/** {words} */\nexport interface {name} {{\n{''.join(entries)}}}\n"


def _lines(operation: Operation) -> Iterator[Schema]:
    """Yield the schemas of the lines of a body and an answer that are made of lines."""
    if operation.line is not None:
        yield operation.line
    for _, _, content in operation.answers():
        if "itemSchema" in content:
            yield content["itemSchema"]


class _Types:
    """The types of one document: those with a name, and those that stand where they are used."""

    def __init__(self, document: Contract) -> None:
        self.named: dict[str, Schema] = dict(document["components"]["schemas"])
        for operation in operations(document):
            self._gather(operation.body)
            for line in _lines(operation):
                self._gather(line)

    def _gather(self, schema: Schema) -> None:
        """Keep what has a name of its own, but stands where it is used."""
        if "title" in schema and "properties" in schema:
            self.named.setdefault(schema["title"], schema)

    def declared(self, name: str) -> str:
        """Return the declaration of a named schema."""
        schema = self.named[name]
        doc = comment(schema.get("description", ""), "")
        if "properties" in schema:
            return f"{doc}export interface {name} {self._object(schema)}\n"
        return f"{doc}export type {name} = {self.type_of(schema)};\n"

    def operation(self, operation: Operation) -> str:
        """Return the entry of one route."""
        own = "".join(self._options(operation))
        taken = ["CallOptions", *([operation.body["title"]] if operation.body else [])]
        taken += [f"{{\n{own}    }}"] if own else []
        return (
            f"  /** `{operation.method} {operation.path}` */\n  {camel(operation.name)}: {{\n"
            f"    options: {' & '.join(taken)};\n    answer: {self._answer(operation)};\n  }};\n"
        )

    def trial(self, operation: Operation) -> str:
        """Return what a dry run on a route comes to."""
        answers = {status: content["schema"] for status, _, content in operation.answers()}
        kinds = self.type_of(answers["200"]).split(" | ")
        kinds.remove(self.type_of(answers["201"]))
        return f"  {camel(operation.name)}: {' | '.join(kinds)};\n"

    def row(self, operation: Operation) -> str:
        """Return what a list is made of."""
        rows = PAGES[operation.name].rows
        if rows == "records":
            return f"  {camel(operation.name)}: string;\n"
        if operation.name == "get_change":
            return f"  {camel(operation.name)}: {self._inside('WhyCorrected', rows)};\n"
        return f"  {camel(operation.name)}: {self._inside(self._answer(operation), rows)};\n"

    def _inside(self, name: str, field: str) -> str:
        schema = self.named[name]["properties"][field]
        return self.type_of(schema.get("anyOf", [schema])[0]["items"])

    def _options(self, operation: Operation) -> Iterator[str]:
        if operation.takes_sheet:
            yield "      file: Sheet;\n"
        for name, each in operation.query.items():
            mark, or_left_out = ("", "") if each["required"] else ("?", " | undefined")
            yield comment(each.get("description", ""), "      ")
            kind = self.type_of(each["schema"]).removesuffix(" | null")
            yield f"      {name}{mark}: {kind}{or_left_out};\n"
        for header in sorted(operation.headers):
            name, kind, words = HEADERS[header]
            yield comment(words, "      ") + f"      {name}?: {kind} | undefined;\n"

    def _answer(self, operation: Operation) -> str:
        if operation.name == "get_metrics":
            return "string"
        if operation.kinds == {LINES}:
            return "AnsweredLine"
        if LINES in operation.kinds and operation.entry["tags"] == ["audit"]:
            return "LogPage"
        if operation.kinds - {"application/json", LINES}:
            return "Uint8Array"
        kinds = {
            status: self.type_of(content["schema"])
            for status, kind, content in operation.answers()
            if kind == JSON
        }
        if has_trial(operation):
            return kinds["201"]
        return " | ".join(dict.fromkeys(kinds.values())) or "undefined"

    def type_of(self, schema: Schema) -> str:
        """Return the type of a schema, by its name if it has one."""
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2]
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return " | ".join(dict.fromkeys(map(self.type_of, schema[several])))
        words = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
        if words:
            return " | ".join(map(json.dumps, words))
        if schema.get("type") == "array":
            inside = self.type_of(schema["items"])
            return f"({inside})[]" if " " in inside else f"{inside}[]"
        if schema.get("type") == "object":
            return self._object_type(schema)
        return PLAIN.get(schema.get("type", ""), "unknown")

    def _object_type(self, schema: Schema) -> str:
        if "properties" in schema:
            return str(schema["title"])
        values = schema.get("additionalProperties", True)
        return f"Record<string, {'unknown' if values is True else self.type_of(values)}>"

    def _object(self, schema: Schema) -> str:
        lines = []
        for name, within in schema["properties"].items():
            mark = "" if name in schema.get("required", ()) else "?"
            doc = comment(within.get("description", ""), "  ")
            lines.append(f"{doc}  {name}{mark}: {self.type_of(within)};\n")
        if schema.get("additionalProperties") is True:
            lines.append("  [further: string]: unknown;\n")
        return "{\n" + "".join(lines) + "}"
