"""The page on architecture says which rooms are pure, and says the same as the contract."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
_ROOM: Final = re.compile(r"`((?:shared|services)\.[a-z_.]+)`")
_SAYS_PURE: Final = re.compile(r"\bPure[.:]|; pure\.")


def test_the_page_lists_the_rooms_of_the_contract_and_no_others() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    section = page.partition("\n## What is pure\n")[2].partition("\n## ")[0]
    listed = _ROOM.findall(section)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(contract()["source_modules"])


def test_what_says_that_it_is_pure_is_in_the_contract() -> None:
    pure = contract()["source_modules"]
    called_pure = [
        name
        for room in ("services", "shared")
        for file in (ROOT / room).rglob("*.py")
        if _SAYS_PURE.search(ast.get_docstring(ast.parse(file.read_text())) or "")
        for name in [".".join(file.relative_to(ROOT).with_suffix("").parts)]
    ]
    assert len(called_pure) > 40
    rooms = tuple(f"{each}." for each in pure)
    unproved = [each for each in called_pure if not f"{each}.".startswith(rooms)]
    assert not unproved, (
        "Their docstrings say that they are pure, and nothing proves it. List them in the contract "
        f"of the pure rooms in pyproject.toml, and in docs/architecture.md: {unproved}"
    )


def test_a_pure_room_may_not_import_what_is_not_pure_on_a_detour() -> None:
    assert contract().get("allow_indirect_imports", False) is False


def contract() -> dict[str, Any]:
    """Return the import contract of the pure rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    (pure,) = (each for each in contracts if each["name"].startswith("Pure rooms"))
    return pure
