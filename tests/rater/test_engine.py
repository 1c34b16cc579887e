"""The engine's name changes with every byte of the code that decides the bytes of a verdict."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from services.rater.engine import engine_digest

CHECKOUT = Path(__file__).parents[2]
ROOMS = ("shared/rating", "shared/events", "shared/replay", "services/rater")

# Changes each file in turn in a copy of the code, and prints the digest each time.
TRY_EVERY_FILE = """
import json, pathlib, sys
from services.rater.engine import engine_digest
root = pathlib.Path(sys.argv[1])
digests = {"untouched": engine_digest()}
for file in sorted(root.rglob("*.py")):
    source = file.read_bytes()
    file.write_bytes(source + b"#")
    digests[file.relative_to(root).as_posix()] = engine_digest()
    file.write_bytes(source)
(root / "shared/events/zzz.py").write_text("")
digests["a new file"] = engine_digest()
(root / "shared/events/zzz.py").unlink()
(root / "shared/events/notes.txt").write_text("")
digests["a text beside"] = engine_digest()
print(json.dumps(digests))
"""


def test_the_digest_changes_with_each_file_that_decides_the_bytes_and_no_other(
    tmp_path: Path,
) -> None:
    for room in ("shared", "services"):
        shutil.copytree(CHECKOUT / room, tmp_path / room)
    done = subprocess.run(
        [sys.executable, "-c", TRY_EVERY_FILE, str(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    digests: dict[str, str] = json.loads(done.stdout)
    untouched = digests.pop("untouched")
    changed = {name for name, digest in digests.items() if digest != untouched}
    decides = {
        file.relative_to(CHECKOUT).as_posix()
        for room in ROOMS
        for file in (CHECKOUT / room).glob("*.py")
    }
    assert "services/rater/worker.py" in decides
    assert changed == decides | {"a new file"}
    assert len({digests[name] for name in changed}) == len(changed)


def test_the_digest_is_the_same_each_time_and_short() -> None:
    assert engine_digest() == engine_digest()
    assert re.fullmatch(r"[0-9a-f]{16}", engine_digest())
