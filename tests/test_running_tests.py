"""How the tests are run: what `make check` leaves out, and what a run says that it skipped."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.the_run.longest_first import LONGEST

ROOT = Path(__file__).parents[1]
SKIPPING = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_one(number):
    pytest.skip("There is no\\n moon.")

@pytest.mark.skip(reason="It is no sun.")
def test_other(): ...

def test_tried(): ...
"""
# The name of each tells whether `make check` runs it.
OF_ALL_KINDS = """
import pytest
from shared.db.server.embedded import embedded_server
from tests.cli.running import call, start
from tests.kafka.fixtures import a_broker
from tests.log.adapters import kafka_logs, logs, memory_logs, postgres_logs
from tests.processes import serving
from tests.service import running_service

@pytest.fixture
def pool(database): ...

@pytest.fixture
async def site():
    async with serving({}) as served:
        yield served

def test_in_that_asks_for_nothing(): ...
def test_in_that_asks_for_a_folder(tmp_path): ...
def test_in_that_runs_a_command_inside_the_test(): call("--version")
@pytest.mark.parametrize("logs", ["memory_logs"], indirect=True)
def test_in_on_logs_in_memory(logs): ...

def test_out_that_asks_for_a_database(database): ...
def test_out_that_asks_for_it_through_a_fixture(pool): ...
@pytest.mark.parametrize("logs", ["postgres_logs", "kafka_logs"], indirect=True)
def test_out_on_real_logs(logs): ...
def test_out_that_asks_for_kafka(kafka_broker): ...
def test_out_that_asks_for_kafka_of_its_own(own_broker): ...
def test_out_that_asks_for_a_served_process(site): ...
async def test_out_that_starts_a_database(tmp_path):
    async with embedded_server(tmp_path, role="own"): ...
async def test_out_that_starts_kafka():
    async with a_broker(): ...
async def test_out_that_serves():
    async with serving({}): ...
async def test_out_that_starts_the_program():
    await start("status")
class TestOfAClass:
    def test_in_that_asks_for_nothing(self): ...
    def test_out_that_asks_for_a_database(self, database): ...
@pytest.mark.starts_servers
def test_out_that_says_so(): ...
"""
NAMED_BY_ADDRESS = """
import pytest

@pytest.mark.parametrize("work", [lambda: 1], ids=str)
def test_it(work): ...
"""
ENDLESS = """
import threading

def test_that_fails(): assert not "what it found"

def test_without_an_end(): threading.Event().wait()
"""
# What it starts can't be seen from its code.
HIDDEN = """
import subprocess
import pytest

def run(): subprocess.run(["/nowhere/" + "postgres", "--version"])

def test_that_says_nothing(): run()

@pytest.mark.starts_servers
def test_that_says_so():
    with pytest.raises(FileNotFoundError): run()
"""


def ran(folder: Path, content: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on a file as the tests of this house are run."""
    file = folder / "test_of_a_test.py"
    file.write_text(content)
    run = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    run += ["--rootdir", str(ROOT), "--config-file", str(ROOT / "pyproject.toml"), *options]
    return subprocess.run([*run, str(file)], cwd=ROOT, capture_output=True, text=True, check=False)


def test_make_check_runs_every_test_that_starts_nothing_and_no_other(tmp_path: Path) -> None:
    recipe = re.search(r"\ncheck: .*\n\t@\$\(BIN\)/pytest (.*)\n", (ROOT / "Makefile").read_text())
    assert recipe is not None
    assert recipe[1].endswith(" -m 'not starts_servers'")
    listed = ran(tmp_path, OF_ALL_KINDS, "--collect-only", "-q", "-m", "not starts_servers").stdout
    found = re.findall(r"::(test_\w+)", listed)
    assert sorted(found) == sorted(re.findall(r"def (test_in_\w+)", OF_ALL_KINDS)), listed


def test_a_test_that_starts_what_nobody_expected_fails_and_is_told_what_to_do(
    tmp_path: Path,
) -> None:
    ended = ran(tmp_path, HIDDEN)
    assert "1 failed, 1 passed" in ended.stdout, ended.stdout
    assert "starts /nowhere/postgres --version, and was thought to start nothing" in ended.stdout
    assert "@pytest.mark.starts_servers" in ended.stdout


def test_a_name_that_each_process_tells_otherwise_is_refused(tmp_path: Path) -> None:
    ended = ran(tmp_path, NAMED_BY_ADDRESS)
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR, ended.stdout
    assert "Two processes would call this test differently" in ended.stderr + ended.stdout


def test_two_tests_of_one_name_are_refused_as_processes_would_run_one(tmp_path: Path) -> None:
    ended = ran(tmp_path, SKIPPING, "--keep-duplicates", str(tmp_path / "test_of_a_test.py"))
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR, ended.stdout
    assert "Several tests have this name" in ended.stderr + ended.stdout


@pytest.mark.parametrize("workers", [(), ("--numprocesses=1",)], ids=["alone", "with a worker"])
def test_a_run_ends_with_what_was_skipped_and_why(tmp_path: Path, workers: tuple[str, ...]) -> None:
    *_, skipped, passed = ran(tmp_path, SKIPPING, *workers).stdout.splitlines()
    assert "1 passed, 4 skipped" in passed
    assert skipped == "Skipped 4: 3 because: There is no moon.; 1 because: It is no sun."
    *_, skipped, passed = ran(tmp_path, SKIPPING, *workers, "-k", "tried").stdout.splitlines()
    assert "1 passed" in passed
    assert skipped == "Nothing was skipped."


def test_a_run_that_takes_too_long_tells_what_it_found_and_what_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_TESTS_MINUTES_MAX", "0.2")
    ended = ran(tmp_path, ENDLESS, "--numprocesses=1")
    assert ended.returncode == pytest.ExitCode.INTERRUPTED, ended.stdout
    assert "test_that_fails" in ended.stdout.partition("short test summary")[2], ended.stdout
    assert "not done in 0.2 minutes" in ended.stdout
    assert re.search(r"::test_without_an_end has been running for \d+ s", ended.stdout)


def test_the_longest_files_run_first_and_each_of_them_is_there() -> None:
    assert all((ROOT / each).exists() for each in LONGEST)
    first, last = "tests/chaos/test_chaos.py", "tests/house/test_names.py"
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q"]
    ended = subprocess.run(
        [*run, last, first], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = ended.stdout.splitlines()
    files = list(dict.fromkeys(each.partition("::")[0] for each in listed if "::" in each))
    assert files == [first, last]
