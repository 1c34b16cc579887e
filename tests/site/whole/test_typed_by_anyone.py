"""Whatever somebody who is logged in puts into a field of a form is answered, and is no fault."""

from typing import Final

import pytest

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


@pytest.mark.parametrize("path", CHANGING)
async def test_whatever_is_in_a_field_is_answered(scene: Scene, path: str) -> None:
    target, sent = await what_changes(scene, path)
    fields = sent.get("data", {})
    for name in fields:
        for typed in TYPED:
            answer = await scene.here.send(target, {**fields, name: typed})
            assert answer.status_code < 500, (name, typed, answer.text)
            assert "<script>alert" not in answer.text
