"""Functions, files and folders stay small enough to be read at one sitting.

What a name stands for, and what to do where it grew too long, the messages say. Only lines are
counted: how the code reads is for people to judge.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
ROOMS: Final = ("services", "shared", "bench", "clients", "examples", "tests")

FUNCTION_LINES_MAX: Final = 45
FILE_LINES_MAX: Final = 400
FOLDER_MODULES_MAX: Final = 15

# Compiled as one piece: split, its loop would call from C what it has at hand now.
KERNEL: Final = frozenset({"shared/rating/kernel_loop.py"})

LONG_FUNCTION: Final = (
    "{name} has {lines} lines, more than {most}. Split it where it changes subject: what a reader "
    "would put a heading above becomes a function with that name, below it in the file. A function "
    "that only holds other functions has a module to hold them instead."
)
LONG_FILE: Final = (
    "{name} has {lines} lines, more than {most}. Its first sentence says what it is for: what that "
    "sentence does not cover, or covers after an 'and', moves to a module of its own."
)
FULL_FOLDER: Final = (
    "{name} has {lines} modules, more than {most}. Find those that are read together, and give "
    "them a folder that is named after what they do, with a docstring that says so."
)

# What does not fit, by its name: what to do about it.
Untidy = dict[str, str]


def test_nothing_grows_too_long_to_be_read() -> None:
    untidy = untidy_in(sources())
    assert not untidy, "\n\n".join(["This grew too long:", *untidy.values()])


def test_only_modules_that_exist_are_free() -> None:
    assert set(sources()) >= KERNEL


@pytest.mark.parametrize("start", ["def f():", "async def f():"])
def test_a_function_is_counted_from_def_to_its_last_line(start: str) -> None:
    most = f"@decorated\n@twice(\n    'over'\n)\n{start}\n" + "    x = 1\n" * (
        FUNCTION_LINES_MAX - 1
    )
    assert untidy_in({"shared/a.py": most}) == {}
    (told,) = untidy_in({"shared/a.py": most + "\n    # Why.\n    y = 2\n"}).items()
    assert told[0] == "shared/a.py f"
    assert "shared/a.py f has 48 lines, more than 45. Split it" in told[1]


def test_a_function_counts_with_those_within_it_and_is_named_by_where_it_stands() -> None:
    inner = "            x = 1\n" * 46
    source = f"class A:\n    def b(self):\n        def c():\n{inner}        return c\n"
    assert list(untidy_in({"tests/a.py": source})) == ["tests/a.py A.b", "tests/a.py A.b.c"]


def test_a_function_of_small_handlers_is_no_shorter_for_it() -> None:
    handler = "    @app.get('/')\n    def handler():\n        return 1\n"
    assert list(untidy_in({"services/a.py": "def routes(app):\n" + handler * 15})) == [
        "services/a.py routes"
    ]


def test_the_kernel_is_free_and_nothing_beside_it() -> None:
    long = "def f():\n" + "    x = 1\n" * FUNCTION_LINES_MAX
    (kernel,) = KERNEL
    assert untidy_in({kernel: long}) == {}
    assert list(untidy_in({kernel.replace("_loop", ""): long})) == ["shared/rating/kernel.py f"]


def test_a_file_is_counted_with_everything_in_it() -> None:
    most = "# Why.\n\n" * (FILE_LINES_MAX // 2)
    assert untidy_in({"bench/a.py": most}) == {}
    (told,) = untidy_in({"bench/a.py": most + "x = 1\n"}).items()
    assert told[0] == "bench/a.py"
    assert "bench/a.py has 401 lines, more than 400. Its first sentence" in told[1]


def test_a_folder_is_counted_without_its_opening_and_without_the_folders_within() -> None:
    most = {f"services/a/m{number}.py": "" for number in range(FOLDER_MODULES_MAX)}
    most |= {"services/a/__init__.py": "", "services/a/b/m.py": "", "services/m.py": ""}
    assert untidy_in(most) == {}
    (told,) = untidy_in(most | {"services/a/more.py": ""}).items()
    assert told[0] == "services/a"
    assert "services/a has 16 modules, more than 15. Find those that are read" in told[1]


def test_what_is_of_this_house_is_read() -> None:
    read = sources()
    assert {name.partition("/")[0] for name in read} == set(ROOMS)
    assert Path(__file__).relative_to(ROOT).as_posix() in read


def sources() -> dict[str, str]:
    """Return what stands in each module, by its path."""
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text() for file in sorted(files)}


def untidy_in(modules: dict[str, str]) -> Untidy:
    """Return what is too long, by its name, and what to do about it."""
    untidy: Untidy = {}
    for path, source in modules.items():
        if path not in KERNEL:
            functions = functions_of(ast.parse(source), f"{path} ")
            untidy |= over(FUNCTION_LINES_MAX, functions, LONG_FUNCTION)
    lines = ((path, len(source.splitlines())) for path, source in modules.items())
    untidy |= over(FILE_LINES_MAX, lines, LONG_FILE)
    folders = Counter(
        path.rpartition("/")[0] for path in modules if not path.endswith("/__init__.py")
    )
    return untidy | over(FOLDER_MODULES_MAX, folders.items(), FULL_FOLDER)


def functions_of(parent: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
    """Yield each function below, by its full name, with the number of its lines."""
    for node in ast.iter_child_nodes(parent):
        within = prefix
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = f"{prefix}{node.name}."
            if not isinstance(node, ast.ClassDef):
                assert node.end_lineno is not None
                yield prefix + node.name, node.end_lineno - node.lineno + 1
        yield from functions_of(node, within)


def over(most: int, counted: Iterable[tuple[str, int]], advice: str) -> Untidy:
    """Return the advice on each that counts more than it may."""
    return {
        name: advice.format(name=name, lines=lines, most=most)
        for name, lines in counted
        if lines > most
    }
