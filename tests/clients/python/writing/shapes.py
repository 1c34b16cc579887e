"""Writes the types of what is sent and answered: a TypedDict for each schema of the document."""

from collections.abc import Iterator, Mapping

from tests.clients.contract import Contract, Operation, Schema, operations
from tests.clients.python.writing.naming import (
    choices,
    names_in,
    room_of,
    sentence,
    type_of,
    with_choices,
)

COMMON = "common"
TYPING = ("Any", "Literal", "TypedDict")
# Types without fields: the client's own, and names for a choice.
HEAD = '"""{words}\n\nWritten by `make docs` from docs/openapi.json.\n"""\n\n'
WORDS = {
    "common": "What several kinds of requests have in common.",
    "choices": "What can be chosen, by name.",
    "boards": "Leaderboards.",
    "players": "Players, and how their ratings came about.",
    "reading": "Sources, the formula and scores.",
    "sessions": "What a source reads about its sessions.",
    "submitting": "What a source sends, and what it is answered.",
    "operating": "What the operator asks for.",
}


def shapes(contract: Contract) -> dict[str, str]:
    """Return the modules of the types by name."""
    schemas, named = all_schemas(contract), choices(contract)
    texts = {name: with_choices(written(name, each), named) for name, each in schemas.items()}
    texts |= {name: f"{name} = {kind}\n" for name, kind in named.items()}
    rooms = rooms_of(schemas, contract) | dict.fromkeys(named, "choices")
    files = {}
    for room in sorted(set(rooms.values())):
        here = {name: text for name, text in texts.items() if rooms[name] == room}
        files[f"{room}.py"] = module(room, here, rooms)
    names = sorted(texts)
    imports = "".join(f"from mahjic_client.shapes.{rooms[n]} import {n}\n" for n in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    opening = HEAD.format(words="The types of what is sent and answered.")
    files["__init__.py"] = f"{opening}{imports}\n__all__ = [\n{listed}]\n"
    return files


def all_schemas(contract: Contract) -> dict[str, Schema]:
    """Return all schemas by name: those with a name, and those of the lines of a batch."""
    lines = {
        operation.line["title"]: operation.line
        for operation in operations(contract)
        if operation.line is not None
    }
    return {**contract["components"]["schemas"], **lines}


def rooms_of(schemas: Mapping[str, Schema], contract: Contract) -> dict[str, str]:
    """Return in which module a schema stands: with the only routes that need it, or in common."""
    used: dict[str, set[str]] = {name: set() for name in schemas}
    for operation in operations(contract):
        for name in reached(used_by(operation), schemas):
            used[name].add(room_of(operation))
    return {name: min(rooms) if len(rooms) == 1 else COMMON for name, rooms in used.items()}


def used_by(operation: Operation) -> Iterator[str]:
    """Yield the types that stand in a method."""
    for _, _, content in operation.answers():
        yield type_of(content["schema"])
    if operation.line is not None:
        yield type_of(operation.line)
    for field in operation.fields.values():
        yield type_of(field)


def reached(types: Iterator[str], schemas: Mapping[str, Schema]) -> set[str]:
    """Return all schemas that stand in types, directly or in one another."""
    found: set[str] = set()
    ahead = [name for each in types for name in names_in(each)]
    while ahead:
        name = ahead.pop()
        if name in schemas and name not in found:
            found.add(name)
            ahead += names_in(written(name, schemas[name]))
    return found


def module(room: str, texts: Mapping[str, str], rooms: Mapping[str, str]) -> str:
    """Return the text of a module."""
    names = {each for text in texts.values() for each in names_in(text)}
    typing = sorted(names & set(TYPING))
    elsewhere = sorted(each for each in names if each in rooms and rooms[each] != room)
    text = HEAD.format(words=WORDS[room])
    text += f"from typing import {', '.join(typing)}\n\n" if typing else ""
    text += "".join(f"from mahjic_client.shapes.{rooms[n]} import {n}\n" for n in elsewhere)
    return text + "\n\n" + "\n\n".join(texts[name] for name in in_order(texts))


def in_order(texts: Mapping[str, str]) -> list[str]:
    """Return names so that each comes after those that it is made of."""
    ordered: list[str] = []

    def place(name: str) -> None:
        if name not in ordered:
            for each in sorted(names_in(texts[name]) & set(texts) - {name}):
                place(each)
            ordered.append(name)

    for name in sorted(texts):
        place(name)
    return ordered


def written(name: str, schema: Schema) -> str:
    """Return the text of a type."""
    if "properties" not in schema:
        return f"{name} = {type_of(schema)}\n"
    fields = {field: type_of(each) for field, each in schema["properties"].items()}
    required = set(schema.get("required", ()))
    words = f'    """{sentence(schema["description"])}"""\n\n'.replace("\n", "\n    ")[:-4]
    must = "".join(f"    {field}: {kind}\n" for field, kind in fields.items() if field in required)
    may = "".join(
        f"    {field}: {kind}\n" for field, kind in fields.items() if field not in required
    )
    if not may:
        return f"class {name}(TypedDict):\n{words}{must}"
    if not must:
        return f"class {name}(TypedDict, total=False):\n{words}{may}"
    always = f'class _{name}(TypedDict):\n    """What is always in {name}."""\n\n{must}\n\n'
    return f"{always}class {name}(_{name}, total=False):\n{words}{may}"
