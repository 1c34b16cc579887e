"""Has TypeScript write the types of the client's modules, from what their comments say."""

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tests.javascript.tools import ROOT, find_node, node_modules

PACKAGE: Final = ROOT / "clients" / "js"
GENERATED: Final = "api.d.ts"  # This one is written from the interface's document.


def emitted_types() -> dict[str, str]:
    """Return the text of the types of each module, by its name. Raises NodeMissing."""
    compiler = [find_node(), str(node_modules() / "typescript/bin/tsc")]
    emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*compiler, *emit, folder], cwd=ROOT, check=True)
        return types_in(Path(folder) / "clients/js")


def types_in(folder: Path) -> dict[str, str]:
    """Return the text of the types of each module in a folder, by its path there."""
    return {
        each.relative_to(folder).as_posix(): each.read_text()
        for each in folder.rglob("*.d.ts")
        if each.name != GENERATED
    }


def write_types() -> None:
    """Write the types of all modules anew. Raises NodeMissing."""
    for name, text in emitted_types().items():
        path = PACKAGE / "types" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
