"""The proxy's own configuration, in a real nginx between two servers that say what came to them."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from services.ingest.sheets.reader import WALL_TIMES_MAX
from shared.errors import MahjicError, NotFound
from shared.http.health import NotReady
from shared.http.layers.addresses import ClientAddresses
from shared.http.problems import ERRORS_PAGE, PayloadTooLarge
from shared.settings import Settings
from tests.deploy.tools import DEPLOY, need
from tests.folders import open_folder
from tests.servers import serving

pytestmark = pytest.mark.starts_servers

START_S_MAX = 20.0
BODY_BYTES_MAX = Settings.model_fields["body_bytes_max"].default
SHEET_BYTES_MAX = Settings.model_fields["sheet_bytes_max"].default
# Where bodies go, and how long they may be.
LIMITS = [("/v1/sessions", BODY_BYTES_MAX), ("/v1/sheets", SHEET_BYTES_MAX)]


@dataclass(frozen=True, slots=True)
class Site:
    """A running proxy: its address, and that of its health checks."""

    url: str
    health_url: str


class Witness(BaseHTTPRequestHandler):
    """Answers with what it was asked, as its server names itself."""

    protocol_version = "HTTP/1.1"
    service = ""

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body_bytes = len(self.rfile.read(length))
        seen = {
            "service": self.service,
            "method": self.command,
            "path": self.path,
            "headers": [[name.lower(), value] for name, value in self.headers.items()],
            "body_bytes": body_bytes,
        }
        content = json.dumps(seen).encode()
        self.send_response(404 if self.path == "/v1/nobody" else 200)
        self.send_header("X-Service", self.service)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: the tests look at the answers."""


class Fickle(Witness):
    """Notes what came, and answers one path only; else it breaks off."""

    seen: ClassVar[list[str]]

    def do_POST(self) -> None:
        self.seen.append(self.path)
        if self.path == "/v1/kept":
            self.answer()
        else:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.close_connection = True


class Echo(Witness):
    """Answers each piece of a body as soon as it has come, with the same."""

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := self.read_piece():
            self.write_piece(piece)
        self.write_piece(b"")

    def read_piece(self) -> bytes:
        size = int(self.rfile.readline(), 16)
        return self.rfile.read(size + 2)[:-2]

    def write_piece(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))


def witness(service: str) -> AbstractContextManager[int]:
    """Run a server of a name, and give its port."""
    return serving(type("Witness", (Witness,), {"service": service}))


@contextmanager
def proxy(platform: str, ports: dict[str, int]) -> Iterator[Site]:
    """Run nginx with the files of a platform; only places and ports are those of the test."""
    nginx = need("nginx", "nginx")
    folder = open_folder()
    port, health_port = free_port(), free_port()
    places = {"8080 default_server": f"127.0.0.1:{port} default_server"}
    places |= {"8081;": f"127.0.0.1:{health_port};", "/tmp/": f"{folder}/"}
    places |= {"/etc/nginx/mahjic/": f"{folder}/"}
    servers = {"compose": "{}:8000", "kubernetes": "mahjic-{}:8000"}[platform]
    addresses = {servers.format(name): f"127.0.0.1:{at}" for name, at in ports.items()}
    render(DEPLOY / "nginx" / "nginx.conf", folder / "nginx.conf", places)
    render(DEPLOY / "nginx" / platform / "addresses.conf", folder / "addresses.conf", addresses)
    command = [nginx, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]
    process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.PIPE, text=True)
    try:
        wait_for(health_port, process)
        yield Site(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{health_port}")
    finally:
        process.terminate()
        process.communicate(timeout=START_S_MAX)
        shutil.rmtree(folder)


def render(source: Path, target: Path, replacements: dict[str, str]) -> None:
    text = source.read_text()
    for said, meant in replacements.items():
        assert said in text, f"{source.name} no longer says {said}."
        text = text.replace(said, meant)
    target.write_text(text)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def wait_for(port: int, process: "subprocess.Popen[str]") -> None:
    give_up_s = time.monotonic() + START_S_MAX
    while True:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < give_up_s, "nginx does not listen."
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return


@pytest.fixture(scope="module", params=["compose", "kubernetes"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    with (
        witness("read") as read,
        witness("ingest") as ingest,
        witness("site") as pages,
        proxy(request.param, {"read": read, "ingest": ingest, "site": pages}) as running,
    ):
        yield running


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_asks_is_answered_by_read(site: Site, method: str) -> None:
    answer = httpx.request(method, f"{site.url}/v1/sessions/ses_1")
    assert (answer.status_code, answer.headers["x-service"]) == (200, "read")


@pytest.mark.parametrize(
    "path", ["/", "/leaderboard", "/players/MJ-7K3Q9XZM", "/static/x.css", "/v12", "/log"]
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_what_people_open_is_answered_by_the_site(site: Site, method: str, path: str) -> None:
    answer = httpx.request(method, f"{site.url}{path}")
    assert (answer.status_code, answer.headers["x-service"]) == (200, "site")


@pytest.mark.parametrize(
    "path",
    [
        *("/openapi.json", "/healthz", "/readyz", "/v1", "/log/keys", "/log/facts/checkpoint"),
        "/log/verdicts/2/tile/0/x001/234.p/7",
    ],
)
def test_what_programs_ask_for_is_not(site: Site, path: str) -> None:
    assert httpx.get(f"{site.url}{path}").headers["x-service"] == "read"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_whatever_changes_something_goes_to_ingest(site: Site, method: str) -> None:
    answer = httpx.request(method, f"{site.url}/v1/sessions", content=b"{}")
    seen = answer.json()
    assert (seen["service"], seen["method"], seen["body_bytes"]) == ("ingest", method, 2)


def test_an_event_of_stripe_goes_to_ingest_as_it_came(site: Site) -> None:
    # The signature is over these very bytes.
    body = b'{"id": "evt_1",\n "type": "invoice.paid"}' + b" " * (500 << 10)
    signed = {"Stripe-Signature": "t=1,v1=2"}
    seen = httpx.post(f"{site.url}/v1/stripe/events", content=body, headers=signed).json()
    assert (seen["service"], seen["body_bytes"]) == ("ingest", len(body))
    assert dict(seen["headers"])["stripe-signature"] == "t=1,v1=2"


def test_a_path_and_its_query_go_on_as_they_came(site: Site) -> None:
    sent = "/v1//players/%2e%2e%2fx?q=a%20b&q=%C3%A4"
    with httpx.Client() as client:
        request = client.build_request("GET", site.url)
        request.url = request.url.copy_with(raw_path=sent.encode())
        assert client.send(request).json()["path"] == sent


def test_the_client_is_the_last_one_named_and_nothing_that_it_made_up_counts(site: Site) -> None:
    made_up = {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.8"}
    # Another address of this machine than the proxy's own.
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as client:
        seen = client.get(f"{site.url}/v1/leaderboard", headers=made_up).json()
    headers = dict(seen["headers"])
    assert headers["x-forwarded-for"] == "203.0.113.7, 127.0.0.2"
    assert "forwarded" not in headers
    scope = {
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in seen["headers"]],
    }
    believing = ClientAddresses([ip_network("127.0.0.1/32")])
    assert believing.counted_as(scope) == "127.0.0.2"


@pytest.mark.parametrize(("path", "bytes_max"), LIMITS)
def test_the_largest_body_goes_through_whole(site: Site, path: str, bytes_max: int) -> None:
    answer = httpx.post(site.url + path, content=b" " * bytes_max)
    assert answer.json()["body_bytes"] == bytes_max
    assert answer.headers["x-service"] == "ingest"


@pytest.mark.parametrize("path", ["/desk/a-club/sheet/nid_1/file", "/desk/a-club/sheet/nid_1"])
def test_how_large_a_sheet_at_a_desk_may_be_is_said_by_the_page(site: Site, path: str) -> None:
    answer = httpx.post(site.url + path, content=b" " * (SHEET_BYTES_MAX + 1))
    assert answer.json()["body_bytes"] == SHEET_BYTES_MAX + 1
    assert answer.headers["x-service"] == "site"


# A sheet whose length is not told goes on as it comes, and the service itself counts it.
@pytest.mark.parametrize(
    ("path", "bytes_max", "is_length_told"),
    [(*LIMITS[0], True), (*LIMITS[0], False), (*LIMITS[1], True)],
)
def test_a_larger_body_is_refused_in_the_words_of_the_service(
    site: Site, path: str, bytes_max: int, is_length_told: bool
) -> None:
    body = b" " * (bytes_max + 1)
    content = body if is_length_told else iter([body])
    answer = httpx.post(site.url + path, content=content)
    assert_problem(answer, PayloadTooLarge(bytes_max))
    assert answer.json()["bytes_max"] == bytes_max
    assert answer.json()["detail"] == PayloadTooLarge(bytes_max).detail


@pytest.mark.parametrize("platform", ["compose", "kubernetes"])
def test_a_batch_is_answered_while_it_is_sent_and_may_be_of_any_length(platform: str) -> None:
    with (
        witness("read") as read,
        serving(Echo) as ingest,
        proxy(platform, {"read": read, "ingest": ingest, "site": read}) as running,
        socket.create_connection(("127.0.0.1", int(running.url.rpartition(":")[2])), 30) as client,
        client.makefile("rb") as answer,
    ):
        head = "POST /v1/sessions/batch HTTP/1.1\r\nHost: mahjic\r\nTransfer-Encoding: chunked"
        client.sendall(f"{head}\r\n\r\n".encode())
        assert answer.readline() == b"HTTP/1.1 200 OK\r\n"
        while answer.readline() != b"\r\n":
            pass
        # One is sent when the one before it is answered, and all of them are more than a body has.
        for number in range(3 * BODY_BYTES_MAX // 100_000):
            line = b"%d" % number + b" " * 100_000 + b"\n"
            client.sendall(b"%x\r\n%b\r\n" % (len(line), line))
            echoed = b""
            while not echoed.endswith(b"\n"):
                echoed += answer.read(int(answer.readline(), 16) + 2)[:-2]
            assert echoed == line
        client.sendall(b"0\r\n\r\n")
        assert answer.readline() == b"0\r\n"


def test_an_error_of_a_service_is_passed_on_as_it_is(site: Site) -> None:
    answer = httpx.get(f"{site.url}/v1/nobody")
    assert (answer.status_code, answer.json()["service"]) == (404, "read")


def test_the_figures_are_not_shown_to_the_public(site: Site) -> None:
    assert_problem(httpx.get(f"{site.url}/metrics"), NotFound("x"))


@pytest.mark.parametrize("platform", ["compose", "kubernetes"])
def test_a_submission_is_never_repeated_when_its_service_breaks_off(platform: str) -> None:
    # nginx would, and on a connection that it has kept too, if it were told `non_idempotent`.
    assert "non_idempotent" not in (DEPLOY / "nginx" / "nginx.conf").read_text()
    seen: list[str] = []
    with (
        witness("read") as read,
        serving(type("Fickle", (Fickle,), {"seen": seen})) as ingest,
        proxy(platform, {"read": read, "ingest": ingest, "site": read}) as running,
        httpx.Client(base_url=running.url) as client,
    ):
        assert client.post("/v1/kept", content=b"{}").status_code == 200
        assert_problem(client.post("/v1/sessions", content=b"{}"), NotReady({}))
    assert seen == ["/v1/kept", "/v1/sessions"]


def test_a_service_that_is_away_is_told_as_503_and_the_proxy_lives_on() -> None:
    nobody = free_port()
    with (
        witness("read") as read,
        proxy("compose", {"read": read, "ingest": nobody, "site": nobody}) as site,
    ):
        answer = httpx.post(f"{site.url}/v1/sessions", content=b"{}")
        assert_problem(answer, NotReady({}))
        page = httpx.get(f"{site.url}/leaderboard")
        assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
        assert page.headers["cache-control"] == "no-store"
        assert "Reload the page in a minute." in page.text
        assert answer.headers["retry-after"] == "5"
        assert httpx.get(f"{site.url}/v1/leaderboard").status_code == 200
        assert httpx.get(f"{site.health_url}/healthz").text == "alive\n"


def assert_problem(answer: httpx.Response, error: MahjicError) -> None:
    assert answer.status_code == error.status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    problem = answer.json()
    said = {name: problem[name] for name in ("type", "title", "status", "code")}
    assert said == {
        "type": f"{ERRORS_PAGE}#{error.code}",
        "title": error.title,
        "status": error.status,
        "code": error.code,
    }


def test_the_proxy_waits_longer_than_the_slowest_answer() -> None:
    text = (DEPLOY / "nginx" / "nginx.conf").read_text()
    fields = Settings.model_fields
    slowest_s = fields["wait_s_max"].default + fields["database_wait_s_max"].default
    said = [line.split()[1] for line in text.splitlines() if "proxy_read_timeout" in line]
    most_s, *most_of_sheets_s, most_of_batches_s = (float(each.removesuffix("s;")) for each in said)
    assert most_s > slowest_s
    turns = 1 + WALL_TIMES_MAX
    # By program, and at a desk.
    assert len(most_of_sheets_s) == 2
    assert min(most_of_sheets_s) > slowest_s + turns * fields["sheet_s_max"].default
    assert most_of_batches_s > fields["batch_idle_s_max"].default
