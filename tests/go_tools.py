"""Builds programs of others that Go makes, and ours in Go, each once into .go-tools."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CACHE: Final = Path(__file__).parents[1] / ".go-tools"
BIN: Final = Path(sys.executable).parent
# The database in one of them is a lot of code, and the machine may be busy.
BUILD_S_MAX: Final = 900.0


class GoToolMissing(Exception):
    """This machine lacks a program that Go makes, and can't build it; the words say why."""


@dataclass(frozen=True, slots=True)
class GoProgram:
    """A program: what Go is asked to install, and where; `version` tells it from others."""

    name: str
    version: str
    module: str
    source: Path | None = None


def released(module: str, version: str) -> GoProgram:
    """Return the program of a module as it was released."""
    return GoProgram(module.rpartition("/")[2], version, f"{module}@{version}")


def of_ours(source: Path) -> GoProgram:
    """Return the program in a folder of ours, which holds its `go.mod` and `go.sum`."""
    content = b"".join(each.read_bytes() for each in sorted(source.glob("*.*")))
    return GoProgram(source.name, hashlib.sha256(content).hexdigest()[:12], ".", source)


def built(program: GoProgram, cache: Path = CACHE, bin_folder: Path = BIN) -> Path:
    """Return a program, built if it is not there yet. Raises GoToolMissing."""
    cache.mkdir(exist_ok=True)
    there = cache / f"{program.name}-{program.version}" / program.name
    # Runs that begin at the same time wait for the first, which builds for all.
    with (cache / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not there.is_file():
            _build(program, there, bin_folder)
    return there


def _build(program: GoProgram, there: Path, bin_folder: Path) -> None:
    go = shutil.which("go", path=str(bin_folder))
    if go is None:
        raise GoToolMissing("Install the tools of the tests (make install), Go among them.")
    folder = Path(tempfile.mkdtemp(prefix="building-", dir=there.parents[1]))
    try:
        _run([go, "install", program.module], program, folder)
        (folder / "bin").rename(there.parent)
    finally:
        shutil.rmtree(folder)


def _run(command: Sequence[str], program: GoProgram, folder: Path) -> None:
    try:
        subprocess.run(
            command,
            cwd=program.source,
            env={**os.environ, **_only_in(folder)},
            capture_output=True,
            text=True,
            check=True,
            timeout=BUILD_S_MAX,
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr[-2000:]
        raise GoToolMissing(f"Go could not build {program.name}:\n{said}") from error
    except subprocess.TimeoutExpired as error:
        raise GoToolMissing(f"Go could not build {program.name} in {BUILD_S_MAX} s.") from error


def _only_in(folder: Path) -> Mapping[str, str]:
    """Return an environment in which Go is the one that pip installed, and writes nowhere else."""
    return {
        "GOTOOLCHAIN": "local",
        "GOPATH": str(folder / "path"),
        "GOCACHE": str(folder / "cache"),
        "GOBIN": str(folder / "bin"),
        # Or what it fetched could not be removed again.
        "GOFLAGS": "-modcacherw",
    }
