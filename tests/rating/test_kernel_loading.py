"""What is loaded when, and that a cache of compiled code may be missing or broken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_little_work_does_not_wait_for_a_compiler() -> None:
    code = """
import sys
from shared.rating import registry
assert "numpy" not in sys.modules, "The registry loads numpy."
from shared.rating import kernel
assert "numba" not in sys.modules, "The kernel loads numba before it is needed."
assert kernel.loop_for(19_999) is kernel.PLAIN
assert "numba" not in sys.modules, "Little work loads numba."
assert kernel.loop_for(20_000) is not kernel.PLAIN
assert "numba" in sys.modules
assert kernel.loop_for(1) is kernel.compiled_loop(), "What is compiled once is not used again."
"""
    assert output_of(code) == ""


def test_without_numba_large_work_is_done_by_plain_python() -> None:
    code = """
import sys
sys.modules["numba"] = None
from shared.rating import kernel
assert kernel.loop_for(10_000_000) is kernel.PLAIN
"""
    assert output_of(code) == ""


@pytest.mark.parametrize("broken", ["no folder", "index", "code"])
def test_a_cache_that_cannot_be_used_stops_nothing(broken: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    environment = {
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
        "NUMBA_CACHE_DIR": str(cache),
    }
    code = """
import numpy as np
from shared.rating.kernel import *
from shared.rating.kernel import compiled_loop
from shared.rating.registry import MAHJIC_ELO_1
rounds, sessions = Rounds.of_rows(1), Sessions.of_rows(1)
rounds.players[0, :2], rounds.mahjongs[0, :2], rounds.seats[0] = (1, 2), (1, 0), 2
sessions.round_to[0] = 1
standings = Standings.of_newcomers(3)
rate(rounds, sessions, Events.of_rows(0), standings, MAHJIC_ELO_1.rules, session_from=0,
    session_to=1, event_from=0, survivor=np.arange(3, dtype=np.int32), loop=compiled_loop())
print(standings.rating_centi.tolist())
"""
    if broken == "no folder":
        cache.write_text("This is a file, so that no folder can be made here.")
    else:
        output_of(code, environment)
        suffix = {"index": ".nbi", "code": ".nbc"}[broken]
        files = [each for each in cache.rglob("*") if each.suffix == suffix]
        assert files, "There is no cache to be broken."
        for each in files:
            each.write_bytes(each.read_bytes()[: each.stat().st_size // 2])
    assert output_of(code, environment) == "[150000, 151600, 148400]\n"


def output_of(code: str, environment: dict[str, str] | None = None) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **(environment or {})},
        cwd=Path(__file__).parents[2],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_compiled_code_computes_with_whole_numbers_only(tmp_path: Path) -> None:
    code = """
import re
from shared.rating.kernel import compiled_loop
(llvm,) = compiled_loop().replay.inspect_llvm().values()
assert re.search(r"\\bmul\\b.* i64 ", llvm), "This is no code."
print(re.findall(r"\\b(?:double|float|sitofp|fptosi|fmul|fadd|fsub|fdiv)\\b", llvm))
"""
    assert output_of(code, {"NUMBA_CACHE_DIR": str(tmp_path)}) == "[]\n"
