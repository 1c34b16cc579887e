"""Finds the programs that check the files of a deployment, which not every machine has."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
REQUIRE = "MAHJIC_REQUIRE_DEPLOY_TOOLS"
RUN_S_MAX = 120.0


def need(name: str, package: str) -> str:
    """Return the path of a program; without it the test is skipped, or fails if it is required."""
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/sbin"]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        missing = f"{name} is not installed (Debian: {package}); the deployment goes unchecked."
        if os.environ.get(REQUIRE) == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def run(
    command: Sequence[str], *, folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end, and return what it said."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=RUN_S_MAX,
        check=False,
    )


def check(command: Sequence[str], *, folder: Path = ROOT) -> str:
    """Run a program that must be content, and return what it wrote."""
    ended = run(command, folder=folder)
    assert ended.returncode == 0, f"{command[0]}:\n{ended.stdout}{ended.stderr}"
    return ended.stdout
