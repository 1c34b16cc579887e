"""Finds what the site's JavaScript is checked with: Node, and what npm fetches once.

`package.json` names the tools, and `package-lock.json` their exact versions with the hashes that
npm compares; they land in `node_modules`, which git ignores.
"""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
NAMED_BY: Final = ("package.json", "package-lock.json", ".npmrc")
FETCH_S_MAX: Final = 240.0
REQUIRE: Final = "MAHJIC_REQUIRE_BROWSER"


class NodeMissing(Exception):
    """This machine lacks something that the tools need; the words say what to install."""


def find_node() -> str:
    """Return the path of Node."""
    node = shutil.which("node")
    if node is None:
        raise NodeMissing("Install Node 20 or newer (Debian: nodejs).")
    return node


def node_modules(root: Path = ROOT) -> Path:
    """Return the folder of the tools that the lock file names, fetched if they are not there."""
    folder = root / "node_modules"
    stamp = folder / ".fetched"
    wanted = hashlib.sha256(b"".join((root / each).read_bytes() for each in NAMED_BY)).hexdigest()
    # Runs that begin at the same time wait for the first, which fetches for all.
    with (root / NAMED_BY[0]).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != wanted:
            _fetch(root)
            stamp.write_text(wanted)
    return folder


def _fetch(root: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NodeMissing("Install npm (Debian: npm), which fetches what package.json names once.")
    command = [npm, "ci", "--silent"]
    try:
        subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=True, timeout=FETCH_S_MAX
        )
    except subprocess.CalledProcessError as error:
        told = (error.stdout + error.stderr)[-2000:]
        raise NodeMissing(f"npm could not fetch what package.json names:\n{told}") from error
    except subprocess.TimeoutExpired as error:
        raise NodeMissing(f"npm was not done in {FETCH_S_MAX} s.") from error
