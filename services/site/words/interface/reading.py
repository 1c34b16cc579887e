"""Reads an OpenAPI document into groups of operations, as a person looks for them. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from services.site.words.interface.curl import (
    KEY_VARIABLE,
    OTHER_PREFIX,
    curl_of,
    variable_of,
)
from services.site.words.interface.types import (
    Schema,
    limits_of,
    name_of,
    named_in,
    parts_of,
    words_of,
)

# In the order in which somebody new needs them.
TAGS: Final = ("submit", "read", "score", "operator", "audit", "health")
METHODS: Final = ("get", "post", "put", "patch", "delete")
# Method, path, and what the document says of them.
_Row: TypeAlias = tuple[str, str, Mapping[str, Any]]
_FIRST_PROBLEM: Final = 400
_USED: Final = re.compile(r"\$([A-Z_]+)")
_NOT_IN_ANCHORS: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ToldField:
    """A value in a body, an answer or a parameter; `name` is its path, like `rounds[].ref`."""

    name: str
    type_words: str
    types: tuple[str, ...]
    is_required: bool
    limits: tuple[str, ...]
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class ToldBody:
    """What a request may carry, in one of the media types; one of JSON has its fields."""

    media_types: tuple[str, ...]
    fields: tuple[ToldField, ...]


@dataclass(frozen=True, slots=True)
class ToldAnswer:
    """What comes back with one status. `types` are the named types that it may be."""

    status: int
    text: str
    types: tuple[str, ...]
    media_types: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    method: str
    path: str
    anchor: str
    summary: str
    text: str
    needs_key: bool
    parameters: tuple[ToldField, ...]
    body: ToldBody | None
    answers: tuple[ToldAnswer, ...]
    problems: tuple[ToldAnswer, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class NamedType:
    """An object that answers hold, explained once for all who link to it."""

    name: str
    text: str
    fields: tuple[ToldField, ...]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShellVariable:
    """What only the reader knows, as a variable of their shell, and what it looks like."""

    name: str
    example: str
    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """The operations for one kind of reader, and the types that their answers hold.

    `variables` are those of the reader's shell that the curl lines use.
    """

    tag: str
    variables: tuple[ShellVariable, ...]
    operations: tuple[Operation, ...]
    types: tuple[NamedType, ...]

    @property
    def needs_key(self) -> bool:
        """Whether any of the operations needs a key."""
        return any(each.needs_key for each in self.operations)

    @property
    def exports(self) -> str:
        """The commands that set the variables, with examples of what they look like."""
        key = [f'export {KEY_VARIABLE}="mjk_..."'] if self.needs_key else []
        return "\n".join(
            [*key, *(f'export {each.name}="{each.example}"' for each in self.variables)]
        )


def groups_in(document: Mapping[str, Any], origin: str) -> tuple[Group, ...]:
    """Return the operations of a document by tag, with a curl line for each at this origin."""
    tagged: dict[str, list[_Row]] = {tag: [] for tag in TAGS}
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                (tag,) = operations[method]["tags"]
                tagged[tag].append((method.upper(), path, operations[method]))
    return tuple(_group(tag, rows, document, origin) for tag, rows in tagged.items() if rows)


def _group(
    tag: str,
    rows: Sequence[_Row],
    document: Mapping[str, Any],
    origin: str,
) -> Group:
    components: Mapping[str, Schema] = document["components"]["schemas"]
    ids = _ids_in(document)
    held = dict(_types_in_answers(rows))
    types: dict[str, Schema] = {}
    while held:
        name, schema = held.popitem()
        if name not in types:
            types[name] = components.get(name, schema)
            held.update(_types_within(types[name]))
    operations = tuple(_operation(row, ids, origin) for row in rows)
    return Group(
        tag=tag,
        variables=tuple(_variables(operations, document)),
        operations=operations,
        types=tuple(_named_type(name, types[name]) for name in sorted(types)),
    )


def _ids_in(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the examples of ids in addresses, each with its parameter; the longest first, since
    one id may begin another.
    """
    ids = {
        str(example): str(parameter["name"])
        for operations in document["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
        for example in parameter["schema"].get("examples", ())
    }
    return dict(sorted(ids.items(), key=lambda each: -len(each[0])))


def _variables(
    operations: Sequence[Operation], document: Mapping[str, Any]
) -> Iterator[ShellVariable]:
    """Yield each variable that the curl lines use, but for the key."""
    told = {
        variable_of(parameter["name"]): parameter
        for each in document["paths"].values()
        for operation in each.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
    }
    used = dict.fromkeys(name for each in operations for name in _USED.findall(each.curl))
    for name in used:
        if name != KEY_VARIABLE:
            parameter = told[name.removeprefix(OTHER_PREFIX)]
            example = str(parameter["schema"].get("examples", ["..."])[0])
            yield ShellVariable(name, example, parameter.get("description", ""))


def _types_in_answers(
    rows: Sequence[_Row],
) -> Iterator[tuple[str, Schema]]:
    for _, _, operation in rows:
        for answer in operation["responses"].values():
            for schema in _schemas_of(answer):
                yield from named_in(schema)


def _types_within(schema: Schema) -> Iterator[tuple[str, Schema]]:
    for each in schema.get("properties", {}).values():
        yield from named_in(each)
    for part in parts_of(schema):
        if part is not schema:
            yield from named_in(part)


def _named_type(name: str, schema: Schema) -> NamedType:
    is_choice = "properties" not in schema
    choices = tuple(name for part in parts_of(schema) for name, _ in named_in(part))
    return NamedType(
        name=name,
        text=str(schema.get("description", "")),
        fields=tuple(_fields(schema, prefix="", is_deep=False)),
        choices=choices if is_choice else (),
    )


def _operation(row: _Row, ids: Mapping[str, str], origin: str) -> Operation:
    method, path, told = row
    answers = tuple(
        _answer(int(status), each) for status, each in sorted(told["responses"].items())
    )
    return Operation(
        method=method,
        path=path,
        anchor=_anchor(told["summary"]),
        summary=told["summary"],
        text=told.get("description", ""),
        needs_key=bool(told.get("security")),
        parameters=tuple(_parameter(each) for each in told.get("parameters", ())),
        body=_body(told["requestBody"]) if "requestBody" in told else None,
        answers=tuple(each for each in answers if each.status < _FIRST_PROBLEM),
        problems=tuple(each for each in answers if each.status >= _FIRST_PROBLEM),
        curl=curl_of(method, path, told, ids=ids, origin=origin),
    )


def _anchor(summary: str) -> str:
    return _NOT_IN_ANCHORS.sub("-", summary.lower()).strip("-")


def _parameter(told: Mapping[str, Any]) -> ToldField:
    schema = told["schema"]
    return ToldField(
        name=told["name"],
        type_words=words_of(schema),
        types=(),
        is_required=bool(told.get("required")),
        limits=limits_of(schema),
        text=told.get("description") or schema.get("description", ""),
        place=told["in"],
    )


def _body(told: Mapping[str, Any]) -> ToldBody:
    content = told["content"]
    schema = content.get("application/json", {}).get("schema", {})
    return ToldBody(tuple(content), tuple(_fields(schema, prefix="", is_deep=True)))


def _fields(schema: Schema, *, prefix: str, is_deep: bool) -> Iterator[ToldField]:
    """Yield the fields of an object, with those of the objects in them if it goes deep."""
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        yield ToldField(
            name=f"{prefix}{name}",
            type_words="list" if is_deep and _objects_in(each) else words_of(each),
            types=() if is_deep else tuple(dict.fromkeys(name for name, _ in named_in(each))),
            is_required=name in required,
            limits=limits_of(each),
            text=str(each.get("description", "")),
        )
        if is_deep and (objects := _objects_in(each)) is not None:
            yield from _fields(objects, prefix=f"{prefix}{name}[].", is_deep=True)


def _objects_in(schema: Schema) -> Schema | None:
    """Return the object that the entries of a list are, None for anything else."""
    items = schema.get("items")
    is_object = isinstance(items, Mapping) and name_of(items) is not None
    return items if is_object else None


def _answer(status: int, told: Mapping[str, Any]) -> ToldAnswer:
    held = [name for schema in _schemas_of(told) for name, _ in named_in(schema)]
    headers = told.get("headers", {})
    text = str(told["description"])
    return ToldAnswer(
        status=status,
        # What FastAPI says where nobody said anything.
        text="" if text == "Successful Response" else text,
        types=tuple(dict.fromkeys(held)),
        # FastAPI adds JSON, of no shape, to what a route says of its files.
        media_types=tuple(
            name for name, content in told.get("content", {}).items() if content.get("schema")
        ),
        headers=tuple((name, each["description"]) for name, each in headers.items()),
    )


def _schemas_of(answer: Mapping[str, Any]) -> Iterator[Schema]:
    for content in answer.get("content", {}).values():
        yield content.get("schema", {})
        yield content.get("itemSchema", {})
