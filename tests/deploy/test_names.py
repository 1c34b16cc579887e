"""The files of a deployment speak only of settings and commands that exist."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from services.cli.app import build_app
from shared.settings import Settings
from tests.deploy.conftest import COMMANDS, KUBERNETES, documents
from tests.deploy.tools import DEPLOY, ROOT

VARIABLE = re.compile(r"\bMAHJIC_[A-Z_]*[A-Z]\b")
SPOKEN_OF = re.compile(r"`mahjic ([a-z]+(?: [a-z]+)?)\b")


def files() -> list[Path]:
    found = [file for file in DEPLOY.rglob("*") if file.is_file()]
    return [*found, ROOT / "docker-compose.yml", ROOT / "docs" / "deploy.md"]


def test_every_variable_is_a_setting() -> None:
    settings = {f"MAHJIC_{name.upper()}" for name in Settings.model_fields}
    named = {variable: file.name for file in files() for variable in found(VARIABLE, file)}
    assert len(named) > 10
    assert {variable: named[variable] for variable in named.keys() - settings} == {}


def test_no_deployment_lets_sources_have_events_sent_to_its_own_machines() -> None:
    for file in files():
        assert "WEBHOOKS_LOOPBACK" not in file.read_text(), file.name


def found(pattern: "re.Pattern[str]", file: Path) -> list[str]:
    return pattern.findall(file.read_text())


@pytest.mark.parametrize("words", sorted(COMMANDS.values()))
def test_every_process_that_is_started_is_a_command(words: str) -> None:
    assert is_command(words.split()), f"mahjic {words}"


def test_no_other_process_is_started(compose: dict[str, Any]) -> None:
    ours = [each for each in compose["services"].values() if each["image"].startswith("mahjic")]
    started = {" ".join(each["command"]) for each in ours} | set(started_in_kubernetes())
    assert started == set(COMMANDS.values())


def started_in_kubernetes() -> Iterator[str]:
    for file in KUBERNETES.glob("*.yaml"):
        for each in documents(file):
            pod = each.get("spec", {}).get("template", {}).get("spec", {})
            for container in pod.get("containers", []):
                if container["image"].startswith("mahjic"):
                    yield " ".join(container["args"])


def test_every_command_that_is_spoken_of_exists() -> None:
    spoken_of = {words for file in files() for words in found(SPOKEN_OF, file)}
    assert len(spoken_of) > 5
    assert [words for words in sorted(spoken_of) if not is_command(words.split())] == []


def is_command(words: Sequence[str]) -> bool:
    """Tell whether words begin with a command; what follows one are its arguments."""
    command: Any = typer.main.get_command(build_app())
    for word in words:
        if not hasattr(command, "get_command"):
            return True
        command = command.get_command(typer.Context(command), word)
        if command is None:
            return False
    return not hasattr(command, "get_command")
