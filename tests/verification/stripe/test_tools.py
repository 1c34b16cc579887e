"""Stripe's mock is built once, judges what it is asked, and what a machine lacks is told."""

import asyncio
import sys
from pathlib import Path

import httpx
import pytest

from tests.go_tools import GoToolMissing
from tests.verification.stripe.fixtures import not_tried
from tests.verification.stripe.tools import MOCK, REQUIRE, stripe_mock

# Puts a program where the real one would, and counts how often it was asked.
GO = """#!{python}
import os, pathlib, sys
assert sys.argv[1:] == ["install", "{module}"]
assert os.environ["GOTOOLCHAIN"] == "local"
for name in ("GOPATH", "GOCACHE", "GOBIN"):
    assert os.environ[name].startswith("{cache}")
    pathlib.Path(os.environ[name]).mkdir()
with pathlib.Path("{calls}").open("a") as calls:
    calls.write("called\\n")
pathlib.Path(os.environ["GOBIN"], "stripe-mock").write_text("a program")
"""


async def test_runs_that_build_at_the_same_time_build_once(tmp_path: Path) -> None:
    calls, cache = tmp_path / "calls", tmp_path / "cache"
    given = GO.format(python=sys.executable, module=MOCK.module, cache=cache, calls=calls)
    bin_folder = a_go(tmp_path, given)
    found = await asyncio.gather(
        *(asyncio.to_thread(stripe_mock, cache, bin_folder) for _ in range(4))
    )
    assert len(set(found)) == 1
    assert found[0].read_text() == "a program"
    assert calls.read_text().count("called") == 1
    assert {each.name for each in cache.iterdir()} == {"lock", found[0].parent.name}


def test_what_go_says_when_it_fails_is_told(tmp_path: Path) -> None:
    bin_folder = a_go(tmp_path, "#!/bin/sh\necho the network is away >&2\nexit 1\n")
    with pytest.raises(GoToolMissing, match="the network is away"):
        stripe_mock(tmp_path / "cache", bin_folder)
    assert [each.name for each in (tmp_path / "cache").iterdir()] == ["lock"]


def test_a_machine_without_go_is_told_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(GoToolMissing, match="make install"):
        stripe_mock(tmp_path / "cache", tmp_path)


def test_without_a_mock_a_test_is_skipped_unless_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = GoToolMissing("Install Go.")
    monkeypatch.delenv(REQUIRE, raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"NOT TRIED: no mock of Stripe\. Install Go"):
        not_tried(missing)
    monkeypatch.setenv(REQUIRE, "1")
    with pytest.raises(pytest.fail.Exception, match="Install Go"):
        not_tried(missing)


async def test_the_mock_judges_what_it_is_asked(stripe_mock_url: str) -> None:
    headers = {"Authorization": "Bearer rk_test_1"}
    async with httpx.AsyncClient(base_url=stripe_mock_url, headers=headers) as http:
        right = await http.post("/v1/customers", data={"description": "A player"})
        wrong = await http.post("/v1/customers", data={"descriptoin": "A player"})
    assert right.status_code == 200
    assert right.json()["object"] == "customer"
    assert wrong.status_code == 400
    assert "additional properties are not allowed" in wrong.json()["error"]["message"]


def a_go(folder: Path, text: str) -> Path:
    program = folder / "bin" / "go"
    program.parent.mkdir()
    program.write_text(text)
    program.chmod(0o755)
    return program.parent
