"""Asks Go's own sumdb about notes, tiles and proofs."""

import base64
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.transparency.judges.tools import sumdb

ANSWERS_S_MAX: Final = 120.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What Go answered: what is wrong, or nothing, and a proof if one was asked for."""

    error: str
    text: str
    proof: Sequence[bytes]


def ask_sumdb(questions: Iterable[Mapping[str, Any]]) -> list[Judged]:
    """Return the answer to each question. Raises GoToolMissing."""
    lines = [json.dumps(_told(each)) for each in questions]
    done = subprocess.run(
        [str(sumdb())],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=ANSWERS_S_MAX,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    return [Judged(each["error"], each["text"], _read(each["proof"])) for each in answers]


def _told(question: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: _as_text(value) for name, value in question.items()}


def _as_text(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return [_as_text(each) for each in value] if isinstance(value, list) else value


def _read(proof: Sequence[str] | None) -> Sequence[bytes]:
    return [base64.b64decode(each) for each in proof or ()]
