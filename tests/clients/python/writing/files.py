"""Writes all files of the client that come from the OpenAPI document, and tells their texts."""

import subprocess
import sys
from pathlib import Path

from tests.clients.contract import Contract
from tests.clients.python.writing.methods import AWAITING, BLOCKING, methods
from tests.clients.python.writing.shapes import all_schemas, shapes

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / "clients/python/src/mahjic_client"
FOLDERS = ("shapes", "methods", "async_methods")


def client_files(contract: Contract) -> dict[str, str]:
    """Return the text of each file by its path in the package."""
    schemas = all_schemas(contract)
    texts = {f"shapes/{name}": text for name, text in shapes(contract).items()}
    for folder, kind, words in (
        ("methods", BLOCKING, "The methods of the client that blocks."),
        ("async_methods", AWAITING, "The methods of the client that awaits."),
    ):
        texts[f"{folder}/__init__.py"] = f'"""{words}"""\n'
        for name, text in methods(contract, schemas, kind).items():
            texts[f"{folder}/{name}"] = text
    return {path: formatted(text) for path, text in texts.items()}


def formatted(text: str) -> str:
    """Return a module as the formatter has it."""
    config = ["--config", str(ROOT / "pyproject.toml"), "--target-version", "py310"]
    for command in (["check", "--select", "I,UP", "--fix"], ["format"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *config, "--quiet", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def write_client(contract: Contract) -> None:
    """Write all of them, and take away what is no longer among them."""
    texts = client_files(contract)
    for folder in FOLDERS:
        (PACKAGE / folder).mkdir(exist_ok=True)
        for file in (PACKAGE / folder).glob("*.py"):
            if f"{folder}/{file.name}" not in texts:
                file.unlink()
    for path, text in texts.items():
        (PACKAGE / path).write_text(text)
