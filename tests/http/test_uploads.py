"""A file is taken as the body or as the one file of a form, within a limit, and else refused."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from shared.http.problems import install_problems
from shared.http.uploads import read_upload

BYTES_MAX = 10_000
TYPES = ("text/csv", "application/octet-stream")
CSV = b"a,b\r\n1,2\r\n"
FORM = {"Content-Type": "multipart/form-data; boundary=bb"}


def form(*parts: tuple[str, bytes]) -> bytes:
    """Return a form of parts, each its own Content-Disposition and what is in it."""
    lines = [
        b'--bb\r\nContent-Disposition: form-data; name="file"' + head.encode() + b"\r\n\r\n" + body
        for head, body in parts
    ]
    return b"\r\n".join([*lines, b"--bb--\r\n"])


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    install_problems(app)

    @app.post("/files")
    async def post_file(request: Request) -> Response:
        file = await read_upload(request, types=TYPES, bytes_max=BYTES_MAX)
        return JSONResponse(file.decode("latin-1"))

    @app.post("/slow")
    async def post_slowly(request: Request) -> Response:
        await read_upload(request, types=TYPES, bytes_max=BYTES_MAX, upload_s_max=0.01)
        raise AssertionError

    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        yield client


def refusal(answer: httpx.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize("kind", ["text/csv", "TEXT/CSV; charset=utf-8", *TYPES])
async def test_a_body_of_a_type_that_is_taken_is_the_file(
    client: httpx.AsyncClient, kind: str
) -> None:
    answer = await client.post("/files", content=CSV, headers={"Content-Type": kind})
    assert answer.json() == CSV.decode()


# A line that begins as the boundary does, and what browsers never send but others may.
NEAR = b"a,b\r\n--b\r\n1,2"
ODD_FORMS = {
    "a browser's": form(('; filename="a night.csv"', NEAR)),
    "a path for a name": form(('; filename="../../a.csv"', NEAR)),
    "a name of a Windows folder": form(('; filename="C:\\Users\\anna\\a.csv"', NEAR)),
    "an empty name": form(('; filename=""', NEAR)),
    "a head": b"In MIME.\r\n" + form(('; filename="a"', NEAR)),
    "a tail": form(('; filename="a"', NEAR)) + b"The end.\r\n" * 3,
}


@pytest.mark.parametrize("bytes_each", [1, 2, 7, 1000])
@pytest.mark.parametrize("kind", ODD_FORMS)
async def test_a_form_brings_its_file_in_whatever_pieces_it_comes(
    client: httpx.AsyncClient, kind: str, bytes_each: int
) -> None:
    body = ODD_FORMS[kind]

    async def pieces() -> AsyncIterator[bytes]:
        for first in range(0, len(body), bytes_each):
            yield body[first : first + bytes_each]

    answer = await client.post("/files", content=pieces(), headers=FORM)
    assert (answer.status_code, answer.json()) == (200, NEAR.decode())


@pytest.mark.parametrize("boundary", ["a b", "(.*)", "x" * 300, "=_?:/"])
async def test_any_boundary_parts_a_form(client: httpx.AsyncClient, boundary: str) -> None:
    headers = {"Content-Type": f'multipart/form-data; boundary="{boundary}"'}
    body = form(('; filename="a"', CSV)).replace(b"--bb", b"--" + boundary.encode())
    answer = await client.post("/files", content=body, headers=headers)
    assert answer.json() == CSV.decode()


@pytest.mark.parametrize(
    "head",
    [
        b'name="file"; filename="anna\xff.csv"',
        b'name="file"; filename="anna',
        b"name=\"file\"; filename*=UTF-8''anna.csv",
        b'name="file"; filename="anna' + b"x" * 9000 + b'"',
        b'name="file"; filename="anna"\r\nContent-Length: 5555',
        b'name="file"; filename="anna"' + b"\r\nX-A: b" * 100,
    ],
)
async def test_what_is_said_of_a_form_that_cannot_be_read_quotes_no_name(
    client: httpx.AsyncClient, head: bytes
) -> None:
    body = b"--bb\r\nContent-Disposition: form-data; " + head + b"\r\n\r\na\r\n--bb--\r\n"
    answer = await client.post("/files", content=body, headers=FORM)
    assert refusal(answer) == (422, "invalid_form")
    assert not [each for each in ("anna", "Error", "\\x", "('") if each in answer.text]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": ""},
        {"Content-Type": "application/json"},
        {"Content-Type": "multipart/mixed; boundary=bb"},
        {"Content-Type": "multipart/form-data"},
        {"Content-Type": "text/csv", "Content-Encoding": "gzip"},
    ],
)
async def test_any_other_type_is_unsupported(
    client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await client.post("/files", content=CSV, headers=headers)
    assert refusal(answer) == (415, "unsupported_media_type")


@pytest.mark.parametrize("is_length_told", [True, False])
@pytest.mark.parametrize("kind", ["text/csv", FORM["Content-Type"]])
async def test_the_whole_body_has_a_limit(
    client: httpx.AsyncClient, kind: str, is_length_told: bool
) -> None:
    body = form(('; filename="x"', b"x" * (BYTES_MAX + 1)))

    async def pieces() -> AsyncIterator[bytes]:
        yield body[:5000]
        yield body[5000:]

    content: Any = body if is_length_told else pieces()
    answer = await client.post("/files", content=content, headers={"Content-Type": kind})
    assert refusal(answer) == (413, "payload_too_large")


@pytest.mark.parametrize(
    "body",
    [
        form(),
        form(('; filename=""', b"")),
        form(('; filename="a"', CSV), ('; filename="b"', CSV)),
        form(('; filename="a"', CSV), ("", b"true")),
        form(*[('; filename="a"', b"")] * 50),
        form(('; filename="a"', CSV)).removesuffix(b"--\r\n"),
        form(('; filename="a"' + "x" * 1500, CSV))[:1200],
        b"no form at all" * 10,
        b"",
    ],
    ids=[
        "no part",
        "no file chosen",
        "two files",
        "a field beside the file",
        "many parts",
        "no end",
        "cut in a head",
        "no form",
        "nothing",
    ],
)
async def test_a_form_without_exactly_one_file_is_invalid(
    client: httpx.AsyncClient, body: bytes
) -> None:
    answer = await client.post("/files", content=body, headers=FORM)
    assert refusal(answer) == (422, "invalid_form"), answer.text


async def test_a_field_that_is_no_file_is_refused_by_name(client: httpx.AsyncClient) -> None:
    answer = await client.post("/files", files={"file": CSV}, data={"dry_run": "true"})
    assert refusal(answer) == (422, "invalid_form")
    assert '"dry_run"' in answer.json()["detail"]


async def test_a_body_that_does_not_end_is_cut_off(client: httpx.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"a"
        await asyncio.Event().wait()

    headers = {"Content-Type": "text/csv"}
    answer = await client.post("/slow", content=endless(), headers=headers)
    assert refusal(answer) == (408, "body_too_slow")
