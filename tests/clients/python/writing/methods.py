"""Writes the methods of the client, of both kinds: one for each route, and one for each list."""

import textwrap
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from tests.clients.contract import JSON, XLSX, Contract, Operation, Schema, operations
from tests.clients.python.writing.naming import (
    choices,
    names_in,
    room_of,
    sentence,
    type_of,
    with_choices,
)

BY_HAND = frozenset({"submit_batch"})
# These go on forever, or page in a way of their own.
ROWS_BY_HAND = frozenset({"list_events"})
# Where the rule for the name of a list would say something else than what it lists.
ROWS_NAMED = {"get_change": "changed_rounds"}
PLACES = frozenset({"cursor", "offset"})
PROBES = frozenset({"get_health", "get_readiness", "get_metrics"})
AS_JSON = "json"
WIDTH_MAX = 88
TRIED, NOT_TRIED = "Literal[True]", "Literal[False] | None = None"
HEAD = '"""{words}\n\nWritten by `make docs` from docs/openapi.json.\n"""\n\n'
WORDS = {
    "boards": "Leaderboards.",
    "players": "Players, and how their ratings came about.",
    "reading": "Sources, the formula, scores and blank score sheets.",
    "sessions": "What a source asks about its sessions and players.",
    "submitting": "What a source sends.",
    "operating": "What operators and auditors ask for.",
}
FROM = {
    "collections.abc": ("AsyncIterator", "Iterator", "Mapping", "Sequence"),
    "datetime": ("date",),
    "typing": ("Any", "Literal", "overload"),
    "mahjic_client.asks": ("Asks", "AsyncAsks"),
    "mahjic_client.asking": (
        "Asked",
        "Json",
        "LogPage",
        "LogPages",
        "Pages",
        "content_of",
        "given",
        "log_page_of",
        "new_key",
        "nothing_of",
        "part",
        "text_of",
    ),
}


class Kind(NamedTuple):
    """How the methods of one client differ from those of the other."""

    define: str
    wait: str
    iterator: str
    base: str
    prefix: str


BLOCKING = Kind("def", "", "Iterator", "Asks", "")
AWAITING = Kind("async def", "await ", "AsyncIterator", "AsyncAsks", "Async")


def methods(contract: Contract, schemas: Mapping[str, Schema], kind: Kind) -> dict[str, str]:
    """Return the modules of the methods by name."""
    rooms: dict[str, list[str]] = {}
    for operation in operations(contract):
        texts = rooms.setdefault(room_of(operation), [])
        if operation.name not in BY_HAND:
            texts.append(method(operation, kind))
        if is_list(operation):
            texts.append(rows_method(operation, schemas, kind))
    named, names = choices(contract), schemas.keys()
    return {f"{room}.py": module(room, texts, names, named, kind) for room, texts in rooms.items()}


def module(
    room: str, texts: list[str], names: AbstractSet[str], named: Mapping[str, str], kind: Kind
) -> str:
    """Return the text of a module."""
    name = f"{kind.prefix}{room.title()}"
    body = f"class {name}({kind.base}):\n" + f'    """{WORDS[room]}"""\n\n' + "\n".join(texts)
    body = with_choices(body, named)
    text = HEAD.format(words=WORDS[room])
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in body).split())
    for source, those in FROM.items():
        here = sorted(words & set(those))
        text += f"from {source} import {', '.join(here)}\n" if here else ""
    shapes = sorted(names_in(body) & {*names, *named})
    text += f"from mahjic_client.shapes import {', '.join(shapes)}\n" if shapes else ""
    return f"{text}\n\n{body}"


def method(operation: Operation, kind: Kind) -> str:
    """Return the method of a route."""
    answer, read = answered(operation)
    arguments = list(arguments_of(operation))
    start = f"    {kind.define} {operation.name}"
    text = ""
    tried = tried_answer(operation)
    if tried:
        answer, _, _ = answer.partition(" | ")
        for dry_run, answers in ((NOT_TRIED, answer), (TRIED, tried)):
            own = [each for each in arguments if not each.startswith("dry_run:")]
            own.insert(own.index("*") + 1, f"dry_run: {dry_run}")
            text += f"    @overload\n{start}({', '.join(['self', *own])}) -> {answers}: ...\n\n"
        answer = f"{answer} | {tried}"
    text += f"{start}({', '.join(['self', *arguments])}) -> {answer}:\n"
    text += docstring(operation.entry.get("description") or operation.entry["summary"])
    read = f"Json[{answer}]()" if read == AS_JSON else read
    returned = "" if answer == "None" else "return "
    return text + f"        {returned}{kind.wait}self._ask({asked(operation)}, {read})\n"


def docstring(words: str) -> str:
    """Return words as the docstring of a method."""
    paragraphs = [" ".join(each.split()) for each in sentence(words).split("\n\n")]
    lines = "\n\n".join(textwrap.fill(each, WIDTH_MAX) for each in paragraphs).split("\n")
    end = "" if len(lines) == 1 else "\n        "
    return '        """' + "\n".join(["", *lines]).replace("\n", "\n        ")[9:] + f'{end}"""\n'


def answered(operation: Operation) -> tuple[str, str]:
    """Return the type of what a method answers, and what reads it."""
    if operation.path.startswith("/v1/log/"):
        return "LogPage", "log_page_of"
    if operation.name == "get_metrics":
        return "str", "text_of"
    if operation.kinds & {"text/csv", XLSX}:
        return "bytes", "content_of"
    answers = [type_of(told["schema"]) for _, kind, told in operation.answers() if kind == JSON]
    if not answers:
        return "None", "nothing_of"
    types = dict.fromkeys(part for each in answers for part in each.split(" | "))
    return " | ".join("dict[str, Any]" if each == "Any" else each for each in types), AS_JSON


def tried_answer(operation: Operation) -> str | None:
    """Return the type of what a dry run answers, if it is one of its own."""
    answer, _ = answered(operation)
    first, _, tried = answer.partition(" | ")
    is_apart = "dry_run" in operation.parameters("query") and tried
    return tried if is_apart and first else None


def arguments_of(operation: Operation, without: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the arguments: what is in the path by place, everything else by name."""
    path = operation.parameters("path")
    for name, told in path.items():
        yield f"{name}: {type_of(told['schema'])}"
    if path:
        yield "/"
    named = list(keywords_of(operation, without))
    if named:
        yield "*"
        yield from named


def keywords_of(operation: Operation, without: frozenset[str]) -> Iterator[str]:
    """Yield the arguments by name; those that must be given come first."""
    optional = []
    if operation.takes_sheet:
        yield "file: bytes"
    for name, field in operation.fields.items():
        kind = type_of(field, is_argument=True)
        if name in operation.fields_required:
            yield f"{name}: {kind}"
        else:
            optional.append((name, kind))
    for name, told in operation.query.items():
        kind = type_of(told["schema"], is_argument=True)
        if name in without:
            continue
        if told.get("required"):
            yield f"{name}: {kind}"
        else:
            optional.append((argument(name), kind))
    if "Idempotency-Key" in operation.headers:
        optional.append(("idempotency_key", "str"))
    if "Prefer" in operation.headers:
        optional.append(("wait", "int"))
    for name, kind in optional:
        yield f"{name}: {kind.removesuffix(' | None')} | None = None"


def argument(name: str) -> str:
    """Return the argument for a name: `from` is a word of Python's own."""
    return f"{name}_" if name == "from" else name


def asked(operation: Operation, without: frozenset[str] = frozenset()) -> str:
    """Return what makes the request of a method."""
    path = operation.path
    for name in operation.parameters("path"):
        path = path.replace(f"{{{name}}}", f"{{part({name})}}")
    arguments = [f'"{operation.method}"', ("f" if "{" in path else "") + f'"{path}"']
    named = [each for each in operation.query if each not in without]
    if named:
        arguments.append(f"query=given({pairs(named)})")
    if operation.fields:
        must = [each for each in operation.fields if each in operation.fields_required]
        may = [each for each in operation.fields if each not in operation.fields_required]
        body = ([pairs(must)] if must else []) + ([f"given({pairs(may)})"] if may else [])
        arguments.append(f"body={' | '.join(body)}")
    if operation.takes_sheet:
        arguments.append("file=file")
    if "Idempotency-Key" in operation.headers:
        arguments.append("key=new_key(idempotency_key)")
    if "Prefer" in operation.headers:
        arguments.append("wait=wait")
    if operation.name in PROBES:
        arguments.append("is_probe=True")
    return f"Asked({', '.join(arguments)})"


def pairs(names: list[str]) -> str:
    """Return a dictionary of arguments by their names on the wire."""
    return "{" + ", ".join(f'"{each}": {argument(each)}' for each in names) + "}"


def is_list(operation: Operation) -> bool:
    """Tell whether a route answers a page of something that goes on."""
    if operation.name in ROWS_BY_HAND or operation.method != "GET":
        return False
    return bool({"cursor", "after"} & set(operation.parameters("query"))) or (
        answered(operation)[0] == "LogPage"
    )


def rows_name(operation: Operation) -> str:
    """Return the name of the method for all pages: what is listed."""
    return ROWS_NAMED.get(operation.name) or operation.name.partition("_")[2]


def rows_method(operation: Operation, schemas: Mapping[str, Schema], kind: Kind) -> str:
    """Return the method that goes through all pages of a list."""
    answer, _ = answered(operation)
    if answer == "LogPage":
        row, pages = "bytes", "LogPages()"
    else:
        rows, row = rows_of(answer, schemas)
        place = "cursor" if "cursor" in operation.parameters("query") else "after"
        pages = f'Pages("{rows}", "{place}", "next_{place}")'
    signature = ", ".join(["self", *arguments_of(operation, PLACES)])
    text = f"    def {rows_name(operation)}({signature}) -> {kind.iterator}[{row}]:\n"
    text += docstring(f"Go through all that `{operation.name}` shows, page by page.")
    return text + f"        return self._each({asked(operation, PLACES)}, {pages})\n"


def rows_of(answer: str, schemas: Mapping[str, Schema]) -> tuple[str, str]:
    """Return which field of a page holds its rows, and the type of one."""
    schema = schemas[answer]
    for each in schema.get("oneOf", [schema]):
        page = schemas[type_of(each)] if "$ref" in each else each
        if not {"next_cursor", "next_after"} & set(page["properties"]):
            continue
        for name, field in page["properties"].items():
            kind = type_of(field).removesuffix(" | None")
            if kind.startswith("list["):
                row = kind.removeprefix("list[").removesuffix("]")
                if names_in(row):
                    return name, row
    raise AssertionError(f"{answer} has no rows.")
