"""Whatever somebody who is logged in puts into a field of a form is answered, and is no fault."""

from collections.abc import Iterator
from typing import Final

import httpx
import pytest

from tests.site.login.visiting import HERE
from tests.site.whole.changing import CHANGING, what_changes
from tests.site.whole.scene import Scene

TYPED: Final = (
    "",
    " ",
    "nonsense",
    "@",
    "a@b",
    "ä@ä.example.com",
    "alice@[192.0.2.1]",
    "a" * 5000 + "@example.com",
    "alice@example.com\r\nBcc: ben@example.com",
    "<script>alert(1)</script>",
    "\u202eecila",
    "\x01\x7f\u2028",
    "\U0001f600" * 500,
    "-1",
    "9" * 400,
    "MJ-00000000",
    "name:",
    "name:" + "x" * 500,
    "//elsewhere.example",
)


def markup_in(answer: httpx.Response) -> str:
    """Return what a browser reads as a page: the answer, or the parts of one that a script gets."""
    if "json" not in answer.headers.get("content-type", ""):
        return answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    return "".join(each for each in texts_in(answer.json()) if each.startswith("<"))


def texts_in(told: object) -> Iterator[str]:
    """Yield every text in a document."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for each in told.values() if isinstance(told, dict) else told:
            yield from texts_in(each)


@pytest.mark.parametrize("path", CHANGING)
async def test_whatever_is_in_a_field_is_answered(scene: Scene, path: str) -> None:
    target, sent = await what_changes(scene, path)
    fields = sent.get("data", {})
    for name in fields:
        for typed in TYPED:
            answer = await scene.here.send(target, {**fields, name: typed})
            assert answer.status_code < 500, (name, typed, answer.text)
            assert "<script>alert" not in markup_in(answer)
    for name in sent.get("files", {}):
        for typed in TYPED:
            files = {name: (typed, typed.encode())}
            answer = await scene.here.client.post(target, headers=HERE, files=files)
            assert answer.status_code < 500, (name, typed, answer.text)
            assert "<script>alert" not in markup_in(answer)
