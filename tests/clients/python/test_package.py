"""The package stands alone: it installs, needs nothing of the service, and its README is true."""

import ast
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "clients/python"
MODULES = sorted((PACKAGE / "src/mahjic_client").glob("*.py"))


def test_it_installs_with_its_types_and_runs_without_the_service(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(installed), str(PACKAGE)], cwd=ROOT, check=True)
    assert (installed / "mahjic_client/py.typed").exists()
    program = "import sys; sys.path.insert(0, sys.argv[1]); import mahjic_client as m; "
    program += "print(m.__file__, m.read_mahjic_id('mj-7k3q9xzm'))"
    run = [sys.executable, "-I", "-S", "-c", program, str(installed)]
    ended = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout == f"{installed}/mahjic_client/__init__.py MJ-7K3Q9XZM\n"


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
    check = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.10", "--config-file="]
    check += [f"--cache-dir={tmp_path}", *map(str, MODULES)]
    ended = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_examples_of_the_readme_print_what_they_say() -> None:
    examples = re.findall(r"```python\n(.+?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    printed, promised = StringIO(), []
    for example in examples:
        promised += re.findall(r"print\(\w[^#]*\)  # ([^\n]+)", example)
        with redirect_stdout(printed):
            exec(compile(example, "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == [each for each in promised if "sentence" not in each]
    assert len(examples) == 4


def test_the_license_is_that_of_the_project() -> None:
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
