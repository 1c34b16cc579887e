"""Checks all ES modules: form and faults (biome), types (typescript), and what they do."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.javascript.tools import REQUIRE, ROOT, NodeMissing, find_node, node_modules

STATIC = "services/site/static"
TESTS = "tests/javascript"


def main() -> int:
    """Run the checks one after the other, and return 1 if any of them found something."""
    try:
        node, modules = find_node(), node_modules()
    except NodeMissing as missing:
        sys.stderr.write(f"NOT CHECKED: the JavaScript. {missing}\n")
        return 1 if os.environ.get(REQUIRE) else 0
    ended = [
        subprocess.run([node, *check], cwd=ROOT, check=False).returncode
        for check in checks(ROOT, modules)
    ]
    return 1 if any(ended) else 0


def checks(root: Path, modules: Path) -> Iterator[list[str]]:
    """Yield the command lines of the checks of a checkout, for Node to run there."""
    yield [str(modules / "@biomejs/biome/bin/biome"), "ci", "--error-on-warnings"]
    if any((root / STATIC).rglob("*.js")):
        yield [str(modules / "typescript/bin/tsc")]
    tests = sorted(str(each) for each in (root / TESTS).glob("*.test.js"))
    if tests:
        yield ["--test", *tests]


if __name__ == "__main__":
    sys.exit(main())
