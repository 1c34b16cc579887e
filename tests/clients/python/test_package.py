"""The package stands alone: it installs, needs nothing of the service, and its README is true."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from mahjic_client.asks import USER_AGENT
from tests.whole.conftest import ServedSite

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "clients/python"
PROGRAM = Path(__file__).with_name("program.py")
README = (PACKAGE / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.+?)```", README, re.DOTALL)
FIRST_RATING = EXAMPLES[0]
MODULES = sorted((PACKAGE / "src/mahjic_client").rglob("*.py"))


def test_it_installs_with_its_types_and_runs_without_the_service(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(installed), str(PACKAGE)], cwd=ROOT, check=True)
    assert (installed / "mahjic_client/py.typed").exists()
    (about,) = installed.glob("*.dist-info/METADATA")
    assert re.findall("^Requires-Dist: (.+)$", about.read_text(), re.MULTILINE) == ["httpx>=0.28"]
    program = "import sys; sys.path.insert(0, sys.argv[1]); import mahjic_client as m; "
    program += "print(m.__file__, m.read_mahjic_id('mj-7k3q9xzm'))"
    run = [sys.executable, "-I", "-c", program, str(installed)]
    ended = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout == f"{installed}/mahjic_client/__init__.py MJ-7K3Q9XZM\n"


def test_its_version_is_the_newest_that_its_changes_tell_and_what_it_calls_itself() -> None:
    version = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["version"]
    (newest, *_) = re.findall(r"^## (\S+)$", (PACKAGE / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest == version
    assert f"mahjic-client-python/{version.rpartition('.')[0]}" == USER_AGENT


def test_it_imports_nothing_but_python_httpx_and_itself() -> None:
    assert len(MODULES) > 4
    allowed = sys.stdlib_module_names | {"mahjic_client", "httpx"}
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(), feature_version=(3, 10))):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names = [str(node.module)]
            else:
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            assert {name.partition(".")[0] for name in names} <= allowed, module.name


def test_it_takes_nothing_from_python_that_3_10_lacks(tmp_path: Path) -> None:
    check_types(*MODULES, folder=tmp_path)


def test_a_program_that_uses_it_is_checked_as_strictly(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(FIRST_RATING)
    check_types(program, PROGRAM, ROOT / "examples/club_night.py", folder=tmp_path)
    program.write_text(FIRST_RATING.replace('"wall_games"', '"wal_games"'))
    with pytest.raises(AssertionError, match="call-overload"):
        check_types(program, folder=tmp_path)


def check_types(*files: Path, folder: Path) -> None:
    """Check files as a user of the package does who has no settings."""
    check = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.10", "--config-file="]
    ended = subprocess.run(
        [*check, f"--cache-dir={folder}", *map(str, files)],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(PACKAGE / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout


def test_the_first_example_gives_the_first_ratings(
    site: ServedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_KEY", site.keys["source"])
    printed = StringIO()
    with redirect_stdout(printed):
        exec(FIRST_RATING.replace("http://127.0.0.1:8000", site.url), {})
    assert printed.getvalue() == re.findall(r"```text\n(.+?)```", README, re.DOTALL)[0]
    assert len(FIRST_RATING.splitlines()) < 35


def test_the_examples_of_the_readme_print_what_they_say() -> None:
    printed, promised = StringIO(), []
    for example in EXAMPLES:
        if "mahjic." in example or "async with" in example:
            compile(example, "README.md", "exec")  # It is a part of a program, with a key.
            continue
        promised += re.findall(r"print\(\w[^#]*\)  # ([^\n]+)", example)
        with redirect_stdout(printed):
            exec(compile(example, "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == [each for each in promised if "sentence" not in each]
    assert len(promised) == 4


def test_the_license_is_that_of_the_project() -> None:
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
