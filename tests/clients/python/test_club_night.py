"""The example of a club night does what it says, with a Mahjic that runs."""

import os
import subprocess
import sys
from pathlib import Path

from tests.clients.python.writing.files import PACKAGE, ROOT
from tests.whole.conftest import ServedSite

EXAMPLES = ROOT / "examples"
PLAYERS = ["june@example.com", "hana@example.com", "ANON:Lou", "ivy@example.com", "kay@example.com"]


def run(site: ServedSite, file: Path) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {
        "MAHJIC_URL": site.url,
        "MAHJIC_KEY": site.keys["source"],
        "PYTHONPATH": str(PACKAGE.parent),
    }
    command = [sys.executable, str(EXAMPLES / "club_night.py"), str(file), "2026-01-30"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_night_counts_once_however_often_it_is_sent(site: ServedSite) -> None:
    first, again = (run(site, EXAMPLES / "club_night.csv") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == again.stdout
    rows = [line.split() for line in first.stdout.splitlines()]
    assert {name for name, _, _ in rows} == set(PLAYERS)
    assert sum(round(float(change) * 100) for _, _, change in rows) == 0
    assert all(float(rating) == 1500 + float(change) for _, rating, change in rows)


def test_a_mistake_is_told_with_its_line(site: ServedSite, tmp_path: Path) -> None:
    file = tmp_path / "night.csv"
    night = (EXAMPLES / "club_night.csv").read_text()
    file.write_text(night.replace("ivy@example.com", "ivy"))
    refused = run(site, file)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Line 3: ")
