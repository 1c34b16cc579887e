"""What is scraped, drawn and alerted on is understood by Prometheus, and is there."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from faststream.kafka.prometheus import KafkaPrometheusMiddleware
from prometheus_client import CollectorRegistry

from tests.deploy.conftest import COMMANDS
from tests.deploy.tools import DEPLOY, ROOT, check, need

PROMETHEUS = DEPLOY / "prometheus"
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "mahjic.json"
TRIALS = [Path(__file__).with_name(f"{name}.test.yml") for name in ("alerts", "alerts_of_days")]
FIGURE = re.compile(r"\b(?:mahjic|faststream)_[a-z_]+")
# What each kind of figure is called when it is told.
ENDINGS = {
    "Counter": ("_total",),
    "Gauge": ("",),
    "Histogram": ("_bucket", "_count", "_sum"),
}


def test_prometheus_reads_its_configuration() -> None:
    promtool = need("promtool", "prometheus")
    check([promtool, "check", "config", str(PROMETHEUS / "prometheus.yml")])


def test_the_alerts_wake_somebody_when_they_must_and_only_then() -> None:
    promtool = need("promtool", "prometheus")
    check([promtool, "check", "rules", str(PROMETHEUS / "alerts.yml")])
    check([promtool, "test", "rules", *map(str, TRIALS)])


def test_every_alert_is_tried() -> None:
    (group,) = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    alerts = {rule["alert"] for rule in group["rules"]}
    tried = {name for file in TRIALS for name in re.findall(r'alertname="(\w+)"', file.read_text())}
    assert alerts == tried


def test_prometheus_understands_what_the_dashboard_asks(tmp_path: Path) -> None:
    promtool = need("promtool", "prometheus")
    asked = [expr.replace("$__rate_interval", "1m") for expr in drawn()]
    assert len(asked) > 15
    rules = [{"record": f"drawn:{number}", "expr": expr} for number, expr in enumerate(asked)]
    file = tmp_path / "drawn.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "drawn", "rules": rules}]}))
    check([promtool, "check", "rules", str(file)])


@pytest.mark.parametrize("place", ["alerts", "dashboard"])
def test_every_figure_is_one_that_our_code_or_faststream_tells(place: str) -> None:
    asked = alerted() if place == "alerts" else drawn()
    named = {figure for expr in asked for figure in FIGURE.findall(expr)}
    assert len(named) >= 6
    told = set(told_by_us()) | set(told_by_faststream())
    assert named - told == set()


def test_every_panel_has_a_place_of_its_own_and_says_what_it_shows() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        assert panel["description"].endswith("."), panel["title"]
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids))


def test_grafana_finds_the_dashboard_and_its_figures() -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text())[
        "datasources"
    ]
    assert {panel["datasource"]["uid"] for panel in panels()} == {source["uid"]}
    (provider,) = yaml.safe_load((provisioning / "dashboards" / "mahjic.yml").read_text())[
        "providers"
    ]
    grafana = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["grafana"]
    folder = provider["options"]["path"]
    assert f"./deploy/grafana/dashboards:{folder}:ro" in grafana["volumes"]
    home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home == f"{folder}/{DASHBOARD.name}"


def test_both_ways_of_scraping_tell_the_role_of_a_process() -> None:
    for name in ("prometheus.yml", "kubernetes.yml"):
        (job,) = yaml.safe_load((PROMETHEUS / name).read_text())["scrape_configs"]
        targets = [rule["target_label"] for rule in job["relabel_configs"] if len(rule) == 2]
        assert "role" in targets, name
        for role in COMMANDS.keys() - {"init"}:
            assert role in json.dumps(job), name


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return found


def drawn() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def alerted() -> list[str]:
    (group,) = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    return [rule["expr"] for rule in group["rules"]]


def told_by_us() -> Iterator[str]:
    """Yield the figures that our code registers: the literal first arguments of their kinds."""
    for room in ("services", "shared"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                    name = node.args[0]
                    if isinstance(name, ast.Constant) and isinstance(name.value, str):
                        yield from (f"{name.value}{end}" for end in ENDINGS.get(node.func.id, ()))


def told_by_faststream() -> Iterator[str]:
    registry = CollectorRegistry()
    KafkaPrometheusMiddleware(registry=registry)
    for each in registry.collect():
        yield from (f"{each.name}{end}" for end in ENDINGS[each.type.capitalize()])
