"""Files to import, and what an import leaves beside them."""

import json
from pathlib import Path
from typing import Any

KEY = "mjk_" + "k" * 43


def claim(number: int) -> bytes:
    return b'{"session": %d}' % number


def content(first: int, last: int) -> bytes:
    return b"".join(claim(number) + b"\n" for number in range(first, last + 1))


def progress_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.progress")


def refused_of(file: Path) -> list[dict[str, Any]]:
    lines = file.with_name(f"{file.name}.refused.ndjson").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
