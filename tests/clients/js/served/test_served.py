"""The client in Node does with a running service what it says, over any line."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.clients.bad_proxy import bad_proxy
from tests.javascript.skipping import not_tried
from tests.javascript.tools import NodeMissing, find_node
from tests.whole.conftest import ServedSite, served_site

HERE: Final = Path(__file__).parent
# Two thousand sessions over a bad line take long on a machine that does other things as well.
DEADLINE_S: Final = 1200


@pytest.fixture(scope="module")
def site() -> Iterator[ServedSite]:
    """Return a service of a club."""
    with served_site() as running:
        yield running


def test_a_club_does_all_that_there_is_to_do(site: ServedSite) -> None:
    run_tests("story.test.js", site)


@pytest.mark.timeout(DEADLINE_S)
def test_each_session_is_on_record_once_over_a_bad_line() -> None:
    with served_site() as site, bad_proxy(site.url, share_wrong=1 / 3) as proxy:
        run_tests("bad_line.test.js", site, BAD_URL=proxy.url)
        assert proxy.went_wrong > 300


def run_tests(name: str, site: ServedSite, **more: str) -> None:
    """Run a file of tests in Node, with the keys of a service."""
    try:
        node = find_node()
    except NodeMissing as missing:
        not_tried(missing)
    keys = {f"{kind.upper()}_KEY": key for kind, key in site.keys.items()}
    environment = {**os.environ, **keys, "MAHJIC_URL": site.url, **more}
    command = [node, "--test", "--test-reporter=spec", str(HERE / name)]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
