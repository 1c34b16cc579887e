"""The package holds the types of its modules, all its files, and the license of the project."""

import json
from typing import Final

from tests.clients.js.writing.emitting import PACKAGE, emitted_types, types_in
from tests.javascript.skipping import not_tried
from tests.javascript.tools import ROOT, NodeMissing

# Other programs get these by the client alone, so they may change.
WITHIN: Final = {"asking.js", "methods.js", "sending.js", "trying.js"}


def test_the_types_are_those_of_the_modules() -> None:
    try:
        emitted = emitted_types()
    except NodeMissing as missing:
        not_tried(missing)
    assert types_in(PACKAGE / "types") == emitted, "Write them again: make docs"


def test_each_module_can_be_imported_by_its_name_but_for_what_the_client_stands_on() -> None:
    exports = json.loads((PACKAGE / "package.json").read_text())["exports"]
    offered = {each["default"].removeprefix("./") for each in exports.values() if "default" in each}
    assert offered | WITHIN == {each.name for each in PACKAGE.glob("*.js")}
    assert all((PACKAGE / each["types"]).is_file() for each in exports.values())


def test_the_package_needs_no_other_and_has_a_license_and_its_newest_version_told() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert not [name for name in package if name.lower().endswith("dependencies")]
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert f"\n## {package['version']}\n" in (PACKAGE / "CHANGELOG.md").read_text()
