"""Timeouts of idle connections and limits of open files agree in all places that name them."""

import configparser
import re
from typing import Any

from shared.http.wire.connections import FILES_BESIDE
from shared.http.wire.server import KEEP_ALIVE_S
from shared.settings import Settings
from tests.deploy.tools import DEPLOY, ROOT

# What nginx keeps an idle connection to an upstream for unless told, and most load balancers too.
USUAL_S = 60


def told_in_docs() -> dict[tuple[str, str], tuple[str, int]]:
    """Return for each step of a request how long the asking and the answering side wait."""
    page = (ROOT / "docs" / "deploy.md").read_text().partition("## Idle connections")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (\d+) s.*\|$", page, re.MULTILINE)
    return {(asks, answers): (asking, int(s)) for asks, answers, asking, s in rows}


def kept_by_nginx() -> int:
    (seconds,) = re.findall(
        r"^ *keepalive_timeout (\d+)s;", (DEPLOY / "nginx" / "nginx.conf").read_text(), re.MULTILINE
    )
    return int(seconds)


def test_who_answers_keeps_an_idle_connection_longer_than_who_asks() -> None:
    steps = told_in_docs()
    assert len(steps) == 3
    for asking, answering_s in steps.values():
        asking_s = max(int(each) for each in re.findall(r"(\d+) s\b", asking) if "less" not in each)
        limit = re.search(r"less than (\d+) s", asking)
        assert limit is None or int(limit[1]) == answering_s
        assert asking_s <= answering_s
        assert answering_s > USUAL_S


def test_the_page_says_what_is_set() -> None:
    told = {answers: seconds for (_, answers), (_, seconds) in told_in_docs().items()}
    assert told["nginx"] == kept_by_nginx()
    assert told["`ingest`, `read`"] == told["`mahjic serve`"] == KEEP_ALIVE_S


def test_every_unit_may_open_what_its_connections_take(compose: dict[str, Any]) -> None:
    unit = configparser.ConfigParser()
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "systemd" / "mahjic.service")
    needed = Settings.model_fields["connections_max"].default + FILES_BESIDE
    assert int(unit["Service"]["LimitNOFILE"]) >= needed
    assert int(unit["Service"]["TimeoutStopSec"]) > Settings.model_fields["grace_s"].default
    started = [name for name, each in compose["services"].items() if each.get("build")]
    assert len(started) >= 10
    for name in started:
        assert compose["services"][name]["ulimits"]["nofile"] >= needed, name
