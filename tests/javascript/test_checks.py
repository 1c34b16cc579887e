"""The checks of JavaScript find faults of each kind, and their tools are fetched once."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.javascript.__main__ import STATIC, TESTS, checks
from tests.javascript.skipping import not_tried
from tests.javascript.tools import NAMED_BY, ROOT, NodeMissing, find_node, node_modules
from tests.kafka.test_tools import a_program

SOUND = """/** @param {string} name */
export function greet(name) {
  return `Hello, ${name}`;
}
"""
TESTED = """import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "../../services/site/static/greet.js";

test("it greets", () => assert.equal(greet("Alice"), "Hello, Alice"));
"""
# Fetches as npm does, and counts how often it was asked.
NPM = """#!{python}
import pathlib
with pathlib.Path("{calls}").open("a") as calls:
    calls.write("called\\n")
pathlib.Path("node_modules").mkdir(exist_ok=True)
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an npm first that only counts; return the file with a line for each of its calls."""
    calls = tmp_path / "calls"
    a_program(tmp_path / "bin" / "npm", NPM.format(python=sys.executable, calls=calls))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in NAMED_BY:
        (tmp_path / name).write_text("{}")
    return calls


def test_tools_are_fetched_once_by_however_many_and_again_for_another_lock(
    tmp_path: Path, calls: Path
) -> None:
    with ThreadPoolExecutor() as several:
        list(several.map(node_modules, [tmp_path] * 4))
    assert calls.read_text().count("called") == 1
    (tmp_path / "package-lock.json").write_text("{ }")
    node_modules(tmp_path)
    assert calls.read_text().count("called") == 2


def test_the_lock_names_what_is_fetched_and_no_address() -> None:
    text = (ROOT / "package-lock.json").read_text()
    assert text.count('"integrity"') > 5
    assert "://" not in text, "Run npm with --omit-lockfile-registry-resolved, and drop `funding`."


def test_a_machine_without_the_tools_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in NAMED_BY:
        (tmp_path / name).write_text("{}")
    with pytest.raises(NodeMissing, match="Debian: nodejs"):
        find_node()
    with pytest.raises(NodeMissing, match="Debian: npm"):
        node_modules(tmp_path)


@pytest.mark.parametrize(
    ("module", "told"),
    [
        (SOUND, None),
        (SOUND.replace("  return", "    return"), "biome"),
        (SOUND.replace("return", "debugger;\n  return"), "biome"),
        (SOUND + "\ngreet(1);\n", "tsc"),
        (SOUND.replace("Hello", "Goodbye"), "--test"),
    ],
    ids=["sound", "another form", "a debugger left behind", "a wrong type", "a failing test"],
)
def test_each_check_finds_its_faults(tmp_path: Path, module: str, told: str | None) -> None:
    try:
        node, modules = find_node(), node_modules()
    except NodeMissing as missing:
        not_tried(missing)
    for name in ("package.json", "biome.json", "tsconfig.json"):
        shutil.copy(ROOT / name, tmp_path)
    for folder, name, content in (
        (STATIC, "greet.js", module),
        (TESTS, "greet.test.js", TESTED),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(content)
    failed = []
    for check in checks(tmp_path, modules):
        ended = subprocess.run([node, *check], cwd=tmp_path, capture_output=True, check=False)
        if ended.returncode:
            failed.append(Path(check[0]).name)
    assert "".join(failed) == (told or ""), failed
