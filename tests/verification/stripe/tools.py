"""Finds Stripe's own mock, which Go builds once into .stripe-mock."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CACHE: Final = Path(__file__).parents[3] / ".stripe-mock"
VERSION: Final = "v0.203.0"
MODULE: Final = f"github.com/stripe/stripe-mock@{VERSION}"
BUILD_S_MAX: Final = 240.0
REQUIRE: Final = "MAHJIC_REQUIRE_STRIPE_MOCK"


class MockMissing(Exception):
    """This machine has no mock of Stripe, and can't build one; the words say why."""


def stripe_mock(cache: Path = CACHE, bin_folder: Path = Path(sys.executable).parent) -> Path:
    """Return the program, built if it is not there yet."""
    cache.mkdir(exist_ok=True)
    program = cache / VERSION / "stripe-mock"
    # Runs that begin at the same time wait for the first, which builds for all.
    with (cache / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not program.is_file():
            _build(program, bin_folder)
    return program


def _build(program: Path, bin_folder: Path) -> None:
    go = shutil.which("go", path=str(bin_folder))
    if go is None:
        raise MockMissing("Install the tools of the tests (make install), Go among them.")
    folder = Path(tempfile.mkdtemp(prefix="building-", dir=program.parents[1]))
    try:
        subprocess.run(
            [go, "install", MODULE],
            env={**os.environ, **_only_in(folder)},
            capture_output=True,
            text=True,
            check=True,
            timeout=BUILD_S_MAX,
        )
        (folder / "bin").rename(program.parent)
    except subprocess.CalledProcessError as error:
        raise MockMissing(f"Go could not build {MODULE}:\n{error.stderr[-2000:]}") from error
    except subprocess.TimeoutExpired as error:
        raise MockMissing(f"Go could not build {MODULE} in {BUILD_S_MAX} s.") from error
    finally:
        shutil.rmtree(folder)


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
