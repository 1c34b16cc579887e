"""Finds the programs of others that judge public logs, which Go builds once."""

import os
import shutil
from pathlib import Path
from typing import Final, NoReturn

import pytest

from tests.go_tools import GoToolMissing, built, of_ours, released

SUMDB: Final = of_ours(Path(__file__).parent / "sumdb")
LITEWITNESS: Final = released("filippo.io/torchwood/cmd/litewitness", "v0.6.1")
REQUIRE: Final = "MAHJIC_REQUIRE_TRANSPARENCY_TOOLS"
# One holds the key of the witness, the others make it and hand it over.
SSH_PROGRAMS: Final = ("ssh-agent", "ssh-add", "ssh-keygen")


def sumdb() -> Path:
    """Return the program that asks Go's own sumdb. Raises GoToolMissing."""
    return built(SUMDB)


def litewitness() -> Path:
    """Return the witness. Raises GoToolMissing."""
    for each in SSH_PROGRAMS:
        if shutil.which(each) is None:
            raise GoToolMissing(f"Install {each} (Debian: openssh-client).")
    return built(LITEWITNESS)


def not_tried(missing: GoToolMissing) -> NoReturn:
    """Skip a test that needs a judge, and fail it where nothing may be left out."""
    if os.environ.get(REQUIRE):
        pytest.fail(f"{REQUIRE} is set, and a judge cannot run. {missing}", pytrace=False)
    pytest.skip(f"NOT TRIED: no judge of public logs. {missing}")
