"""What the client does after each thing that comes is written down, for both languages at once."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mahjic_client.errors import MahjicError, Refused
from mahjic_client.trying import (
    Answer,
    Lost,
    Patience,
    Send,
    Steps,
    Wait,
    answered,
    batch,
    settled,
    settled_batch,
)

WRITTEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "trying.json").read_text())
PATIENCE = Patience(clock=lambda: WRITTEN["clock"], chance=lambda: WRITTEN["chance"])


@pytest.mark.parametrize("case", WRITTEN["cases"], ids=lambda case: case["name"])
def test_the_client_does_what_is_written(case: dict[str, Any]) -> None:
    request = Send("POST", "/asked")
    steps: Steps[Any]
    if "lines" in case:
        lines = [line.encode() for line in case["lines"]]
        steps = {"batch": batch, "settled_batch": settled_batch}[case["ask"]](
            request, lines, PATIENCE
        )
    else:
        steps = {"answered": answered, "settled": settled}[case["ask"]](request, PATIENCE)
    ahead = [came(each) for each in case["comes"]]
    waits: list[float] = []
    sent: list[str] = []
    assert told(steps, ahead, waits, sent) == case["ends"]
    assert waits == case["waits"]
    assert ahead == []
    assert sent == case.get("sent", sent)


def came(written: dict[str, Any]) -> Answer | Lost:
    """Return what comes."""
    if "lost" in written:
        return Lost(written["lost"])
    text = written.get("text") or (json.dumps(written["json"]) if "json" in written else "")
    return Answer(
        written["status"],
        written.get("headers", {}),
        text.encode(),
        written.get("is_cut", False),
        written.get("moved_to"),
    )


def told(
    steps: Steps[Any], ahead: list[Answer | Lost], waits: list[float], sent: list[str]
) -> dict[str, Any]:
    """Take all steps, and return what they come to."""
    comes: Answer | Lost | None = None
    try:
        while True:
            step = steps.send(comes)
            if isinstance(step, Wait):
                waits.append(step.seconds)
                comes = None
            else:
                sent.append(step.path if step.content is None else step.content.decode())
                comes = ahead.pop(0)
    except StopIteration as end:
        return ended(end.value)
    except Refused as refused:
        return {"error": type(refused).__name__, "status": refused.status, "code": refused.code}
    except MahjicError as error:
        return {"error": type(error).__name__}


def ended(value: Answer | Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return what an end says."""
    if isinstance(value, Answer):
        return {"status": value.status}
    return {"lines": [[each["line"], each["status"]] for each in value]}
