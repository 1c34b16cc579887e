"""The Dockerfile is sound, and its health check tells life from death."""

import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from typing import Any

import yaml

from tests.deploy.conftest import KUBERNETES, documents
from tests.deploy.tools import DEPLOY, ROOT, check, need
from tests.servers import serving

TEXT = (DEPLOY / "Dockerfile").read_text()
LINES = TEXT.replace("\\\n", " ").splitlines()


def test_hadolint_finds_nothing() -> None:
    hadolint = need("hadolint", "none, but it is among the dev dependencies")
    check([hadolint, str(DEPLOY / "Dockerfile")])


def copied_sources() -> set[str]:
    """Return what the Dockerfile copies of the checkout."""
    lines = (line.split() for line in LINES if line.startswith("COPY") and "--from" not in line)
    return {source for _, *sources, _ in lines for source in sources}


def test_only_what_is_copied_goes_to_the_engine_and_it_is_there() -> None:
    wanted = copied_sources()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == wanted
    assert [source for source in wanted if not (ROOT / source).exists()] == []


def test_what_links_lead_to_is_copied_too() -> None:
    wanted = copied_sources()
    led_to = [
        path.resolve().relative_to(ROOT)
        for room in ("services", "shared")
        for path in (ROOT / room).rglob("*")
        if path.is_symlink()
    ]
    assert led_to
    missing = [
        str(each)
        for each in led_to
        if not {str(each), *map(str, each.parents)} & wanted or not (ROOT / each).exists()
    ]
    assert missing == []


def test_the_image_runs_as_the_user_that_the_manifests_name() -> None:
    (user,) = [line.split()[1] for line in LINES if line.startswith("USER")]
    (rater,) = documents(KUBERNETES / "rater.yaml")
    as_pod = rater["spec"]["template"]["spec"]["securityContext"]
    assert user == f"{as_pod['runAsUser']}:{as_pod['runAsGroup']}"
    assert user.split(":")[0] != "0"


def test_the_image_has_the_name_that_compose_and_the_manifests_use() -> None:
    (tag,) = re.findall(r"--tag (\S+)", TEXT)
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert services["rater"]["image"] == tag
    (rater,) = documents(KUBERNETES / "rater.yaml")
    assert rater["spec"]["template"]["spec"]["containers"][0]["image"] == tag


def test_the_health_check_tells_life_from_death() -> None:
    with answering(200) as port:
        assert is_healthy(port)
    with answering(503) as port:
        assert not is_healthy(port)
    assert not is_healthy(port)  # Nobody is there anymore.


def is_healthy(port: int) -> bool:
    """Run the health check as an engine would, with the Python of the tests."""
    (line,) = [each for each in LINES if each.startswith("HEALTHCHECK")]
    program, *arguments = json.loads(line[line.index("[") :])
    assert program == "python"
    environment = {**os.environ, "MAHJIC_PORT": str(port)}
    ended = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, check=False, timeout=60
    )
    return ended.returncode == 0


def answering(status: int) -> AbstractContextManager[int]:
    """Run a service that says of its health what we want, and give its port."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    return serving(Answer)


def test_the_settings_of_the_image_are_those_of_a_container() -> None:
    (line,) = [each for each in LINES if each.startswith("ENV PATH")]
    settings = dict(each.split("=", 1) for each in shlex.split(line)[1:])
    assert settings["MAHJIC_HOST"] == "0.0.0.0"
    # With both, Mahjic would refuse to start.
    assert not settings.keys() & {"MAHJIC_DATA", "MAHJIC_DATABASE_URL"}
