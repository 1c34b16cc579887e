"""Finds in the code which tables each room writes, and which it reads.

A table is found by its schema, without which none is ever named: `mahjic`, or the placeholder of a
view, such as `{profiles}`. `{schema}` stands for the build that a room itself makes.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROOMS = ("shared", "services")
# A table that is known only when the program runs.
ANY = "any"

_IS_SQL = re.compile(
    r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|FROM|JOIN|CREATE|ALTER|COPY|LOCK)\b"
)
_NAMED = re.compile(
    r"(?P<before>\b[A-Z][A-Z\s]*)?(?<![\w.])(?P<schema>mahjic|\{[\w.]+\})\.(?P<table>[a-z_]+)\b"
)
_ALONE = re.compile(r"mahjic\.[a-z_]+")
_COMMENT = re.compile(r"--[^\n]*")
# A row is locked by FOR UPDATE, which names a table by its alias only.
_WRITES = re.compile(r"(?:INSERT INTO|MERGE INTO|DELETE FROM|TRUNCATE|TRUNCATE TABLE|UPDATE)$")


class Use(NamedTuple):
    """A table that a statement names."""

    schema: str
    table: str
    is_written: bool


def uses_in(sql: str) -> Iterator[Use]:
    """Yield the tables that a piece of SQL names, and the functions, which are read."""
    text = _COMMENT.sub("", sql).replace("{{", "{").replace("}}", "}")
    for named in _NAMED.finditer(text):
        before = " ".join((named["before"] or "").split())
        yield Use(named["schema"], named["table"], is_written=bool(_WRITES.search(before)))


def statements_in(source: str) -> Iterator[str]:
    """Yield every text of a module that is SQL, and in such a module a table's name alone.

    Rows that are copied into a table in bulk are told as the statement that they stand for.
    """
    texts = [*_texts_in(ast.parse(source))]
    if any(map(_IS_SQL.search, texts)):
        yield from (text for text in texts if _IS_SQL.search(text) or _ALONE.fullmatch(text))


def _texts_in(tree: ast.Module) -> Iterator[str]:
    passed_over = {id(part) for node in ast.walk(tree) for part in _no_texts(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in passed_over:
                yield text
            case ast.JoinedStr():
                yield "".join(_piece(part) for part in node.values)
            case ast.Call(func=ast.Attribute(attr="copy_records_to_table"), args=[table, *_]):
                schemas = [each.value for each in node.keywords if each.arg == "schema_name"]
                schema = _schema(schemas[0]) if schemas else "pg_temp"
                name = _written_out(table)
                yield f"INSERT INTO {schema}.{name}"


def _schema(value: ast.expr) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else f"{{{ast.unparse(value)}}}"


def _written_out(table: ast.expr) -> str:
    return str(table.value) if isinstance(table, ast.Constant) else ANY


def _no_texts(node: ast.AST) -> Sequence[ast.AST]:
    """Return what is no statement: a docstring, and the pieces of a text that is told whole."""
    if isinstance(node, ast.Expr):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [part for part in ast.walk(node) if part is not node]
    return []


def _piece(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
    raise AssertionError(f"A piece of a text that is neither text nor value: {ast.dump(part)}")


def room_of(file: Path) -> str:
    """Return the room of a file: a service, a view, a room of shared, or a module."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return "/".join(parts[: 3 if parts[:2] == ("services", "projections") else 2])


def used_tables() -> dict[tuple[str, Use], list[str]]:
    """Return each room and table that it uses, with the modules where it does."""
    found: dict[tuple[str, Use], list[str]] = {}
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            for statement in statements_in(file.read_text()):
                for use in uses_in(statement):
                    found.setdefault((room_of(file), use), []).append(str(file.relative_to(ROOT)))
    return found
