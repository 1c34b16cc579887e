"""Public reads can be asked about again for nothing; private answers are kept by nobody."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from shared.http.conditional import is_held
from shared.http.layers.heads import AnswerHeads
from tests.http.service import a_service, talking_to

TAG = '"0a1b"'


@pytest.mark.parametrize(
    "if_none_match",
    [
        [TAG],
        ["*"],
        [f"W/{TAG}"],
        [f'"x", {TAG}'],
        [f'"a,b" , W/"c",{TAG}'],
        ['"x"', TAG],
        [f",{TAG}"],
    ],
)
def test_a_tag_that_is_named_is_held(if_none_match: list[str]) -> None:
    # RFC 9110, section 13.1.2: a list of tags, compared weakly; empty members count for nothing.
    assert is_held(if_none_match, TAG)


@pytest.mark.parametrize(
    "if_none_match",
    [[], [""], ['"0a1"'], ["0a1b"], ["W/*"], [f'"x" {TAG}'], [f'"{TAG}'], ["*, *"], ["\xff"]],
)
def test_a_tag_that_is_not_named_is_not_held(if_none_match: list[str]) -> None:
    assert not is_held(if_none_match, TAG)


async def test_a_public_read_has_a_tag_that_hangs_on_its_content_alone() -> None:
    tags = []
    for path in ("/v1/board?limit=1", "/v1/board?limit=01", "/v1/board?limit=2"):
        async with talking_to(a_service()) as client:
            answer = await client.get(path)
        assert answer.headers["cache-control"] == "public, max-age=10"
        tags.append(answer.headers["etag"])
    assert tags[0] == tags[1] != tags[2]
    assert not tags[0].startswith("W/")


async def test_a_304_has_the_fields_of_the_answer_and_no_body() -> None:
    async with talking_to(a_service()) as client:
        full = await client.get("/v1/board")
        same = await client.get("/v1/board", headers={"If-None-Match": full.headers["etag"]})
        other = await client.get(
            "/v1/board?limit=2", headers={"If-None-Match": full.headers["etag"]}
        )
    assert (same.status_code, same.content) == (304, b"")
    for name in ("etag", "cache-control"):
        assert same.headers[name] == full.headers[name]
    assert (other.status_code, other.json()) == (200, {"limit": 2})


async def test_the_head_of_a_stream_is_complete_at_its_first_part_and_only_once() -> None:
    async def stream(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for more_body in (True, True, False):
            await send({"type": "http.response.body", "body": b"part", "more_body": more_body})

    sent: list[Message] = []

    async def note(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    await AnswerHeads(stream)({"type": "http", "method": "HEAD"}, receive, note)
    assert sent[1:] == [{"type": "http.response.body", "body": b"", "more_body": False}]


async def test_head_answers_as_get_does_but_for_the_body() -> None:
    async with talking_to(a_service()) as client:
        got = await client.get("/v1/board")
        head = await client.head("/v1/board")
        nowhere = await client.head("/nowhere")
        no_get = await client.head("/v1/notes")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag", "cache-control"):
        assert head.headers[name] == got.headers[name]
    assert (nowhere.status_code, nowhere.content) == (404, b"")
    assert (no_get.status_code, no_get.headers["allow"]) == (405, "POST")
