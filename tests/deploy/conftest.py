"""The files of a deployment as the tests read them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.tools import DEPLOY, ROOT

SECRETS = {
    "POSTGRES_PASSWORD": "pg",
    "GRAFANA_PASSWORD": "gf",
    "KAFKA_CLUSTER_ID": "id",
    "SMTP_URL": "smtp://mahjic:pw@mail.example.org:587",
    "MAIL_FROM": "ratings@mahjic.example.org",
    "ADDRESS_HASH_KEY": "0123456789abcdef0123456789abcdef",
}
# Every process of ours by its name in a deployment, with the command that it runs.
COMMANDS = {
    "init": "kafka init",
    "ingest": "ingest",
    "relay": "relay",
    "rater": "rater",
    "projections": "projections",
    "read": "read",
    "site": "site",
    "mail": "mail send",
    "webhooks": "webhooks send",
    "verification": "verification work",
    "transparency": "transparency follow",
}
KUBERNETES = DEPLOY / "kubernetes"
# One who reads a pattern, and one for kustomize.
NOT_APPLIED = {"kustomization.yaml", "secrets.example.yaml"}


@pytest.fixture(scope="session")
def compose() -> dict[str, Any]:
    """Return docker-compose.yml with every anchor and secret put in."""
    text = (ROOT / "docker-compose.yml").read_text()
    filled = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: SECRETS[found[1]], text)
    filled = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", filled)
    read: dict[str, Any] = yaml.safe_load(filled)
    return read


@pytest.fixture(scope="session")
def manifests() -> list[dict[str, Any]]:
    """Return every object that the kustomization makes, but for the generated ConfigMap."""
    return [
        each
        for file in sorted(KUBERNETES.glob("*.yaml"))
        if file.name not in NOT_APPLIED
        for each in documents(file)
    ]


def documents(file: Path) -> list[dict[str, Any]]:
    """Return the objects in a file."""
    return list(yaml.safe_load_all(file.read_text()))


def named(manifests: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Return the objects of a kind by their names."""
    return {each["metadata"]["name"]: each for each in manifests if each["kind"] == kind}
