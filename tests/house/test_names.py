"""One word means one thing: no two classes, and no two modules of one room, have the same name."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
# What every room may have one of: such a name says which part of a room it is, and no more.
CONVENTIONAL: Final = frozenset(
    {
        "__init__",
        "__main__",
        "answers",
        "api",
        "command",
        "models",
        "project",
        "queries",
        "reads",
        "routes",
        "schema",
    }
)


def modules() -> list[Path]:
    return [
        file.relative_to(ROOT)
        for room in ("services", "shared")
        for file in sorted((ROOT / room).rglob("*.py"))
    ]


def classes_in(source: str) -> Iterator[str]:
    """Yield the classes of a module that others may import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def named_twice(modules: list[Path]) -> dict[str, list[str]]:
    """Return modules of one room whose names are the same, or one the plural of the other."""
    named: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for module in modules:
        if module.stem not in CONVENTIONAL:
            named[(*module.parts[:2], module.stem.removesuffix("s"))].append(str(module))
    return {"/".join(key): found for key, found in named.items() if len(found) > 1}


def test_no_two_classes_have_the_same_name() -> None:
    named: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        for name in classes_in((ROOT / module).read_text()):
            named[name].append(str(module))
    assert len(named) > 500
    twice = [f"{name}: {', '.join(found)}" for name, found in named.items() if len(found) > 1]
    assert not twice, (
        "A name must say which of two things is meant. Keep it where it is a public answer (its "
        "name stands in docs/openapi.json) or is used most, and give the other a word of its "
        "own:\n" + "\n".join(sorted(twice))
    )


def test_no_two_modules_of_a_room_have_the_same_name() -> None:
    twice = named_twice(modules())
    assert not twice, (
        "Whoever looks for a module by its name must find one. Name the other after what it does "
        "that this one does not, or, if every room has such a module, put the name in CONVENTIONAL "
        f"of tests/house/test_names.py: {twice}"
    )


@pytest.mark.parametrize(
    ("paths", "twice"),
    [
        (["services/a/x/merging.py", "services/a/y/merging.py"], True),
        (["services/a/standing.py", "services/a/x/standings.py"], True),
        (["services/a/merging.py", "services/b/merging.py"], False),
        (["services/a/x/api.py", "services/a/y/api.py"], False),
        (["shared/a/x/lines.py", "shared/a/lines.py"], True),
    ],
)
def test_names_are_told_apart_within_a_room(paths: list[str], twice: bool) -> None:
    assert bool(named_twice([Path(path) for path in paths])) == twice


def test_classes_are_found_wherever_they_stand() -> None:
    source = "class One: ...\nclass _Own: ...\ndef f():\n    class Two: ...\n"
    assert [*classes_in(source)] == ["One", "Two"]
