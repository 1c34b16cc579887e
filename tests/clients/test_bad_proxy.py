"""Every way in which the bad proxy goes wrong looks to a client as it does in life."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from tests.clients.bad_proxy import BadProxy, Wrong, bad_proxy
from tests.servers import serving

BODY = b"x" * 100_000


class Echo(BaseHTTPRequestHandler):
    """Answers with a long body, and counts what it was sent."""

    came: list[bytes]

    def do_POST(self) -> None:
        """Read the request and answer it."""
        self.came.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def echo() -> Iterator[str]:
    Echo.came = []
    with serving(Echo) as port:
        yield f"http://127.0.0.1:{port}"


def seen(proxy: BadProxy) -> tuple[Wrong, str]:
    """Send a request, and return what the proxy did to it, and how it looks."""
    before = proxy.came.copy()
    try:
        looks = str(httpx.post(proxy.url, content=b"hello").status_code)
    except httpx.TransportError as error:
        looks = type(error).__name__
    (wrong,) = proxy.came - before
    return wrong, looks


def test_each_way_to_go_wrong_happens_and_looks_as_it_is(echo: str) -> None:
    with bad_proxy(echo, seed=1) as proxy:
        looked = [seen(proxy) for _ in range(100)]
    broken = {"ReadError", "RemoteProtocolError"}
    assert {looks for wrong, looks in looked if wrong == "nothing"} == {"200"}
    assert {looks for wrong, looks in looked if wrong in {"503", "429"}} == {"503", "429"}
    for way in ("request lost", "answer lost", "cut"):
        told = {looks for wrong, looks in looked if wrong == way}
        assert told, way
        assert told <= broken
    assert len(Echo.came) == sum(wrong in {"nothing", "answer lost", "cut"} for wrong, _ in looked)
    assert proxy.went_wrong == sum(wrong != "nothing" for wrong, _ in looked)


def test_a_seed_repeats_what_goes_wrong(echo: str) -> None:
    runs = []
    for _ in range(2):
        with bad_proxy(echo, seed=7) as proxy:
            runs.append([seen(proxy)[0] for _ in range(30)])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 2
