"""The package holds the types of its modules, all its files, and the license of the project."""

import json
import subprocess
from pathlib import Path
from typing import Final

from tests.javascript.skipping import not_tried
from tests.javascript.tools import ROOT, NodeMissing, find_node, node_modules

PACKAGE: Final = ROOT / "clients" / "js"
EMIT: Final = ("--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir")
ADVICE: Final = "Write them again: node_modules/.bin/tsc " + " ".join(EMIT) + " FOLDER"


def test_the_types_are_those_of_the_modules(tmp_path: Path) -> None:
    try:
        compiler = [find_node(), str(node_modules() / "typescript/bin/tsc")]
    except NodeMissing as missing:
        not_tried(missing)
    subprocess.run([*compiler, *EMIT, str(tmp_path)], cwd=ROOT, check=True)
    assert texts_in(PACKAGE / "types") == texts_in(tmp_path / "clients/js"), ADVICE


def test_each_module_can_be_imported_by_its_name() -> None:
    exports = json.loads((PACKAGE / "package.json").read_text())["exports"]
    offered = {each["default"].removeprefix("./") for each in exports.values()}
    assert offered == {each.name for each in PACKAGE.glob("*.js")}
    assert all((PACKAGE / each["types"]).is_file() for each in exports.values())


def test_the_package_needs_no_other_and_has_a_license_and_its_newest_version_told() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert not [name for name in package if name.lower().endswith("dependencies")]
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert f"\n## {package['version']}\n" in (PACKAGE / "CHANGELOG.md").read_text()


def texts_in(folder: Path) -> dict[str, str]:
    """Return the text of each file of types, by its name."""
    return {each.name: each.read_text() for each in folder.glob("*.d.ts")}
