"""A key is seen by the server it is for, and by nobody else."""

import logging
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mahjic_client import AsyncMahjic, Mahjic, Patience, Refused, TooBusy
from tests.clients.python.either import Either
from tests.servers import running

KEY = "mjk_" + "k3yk3y" * 7 + "k"


class Stranger(BaseHTTPRequestHandler):
    """Answers every request in one way, and keeps the paths and keys that came."""

    def do_GET(self) -> None:
        """Answer as the server was told."""
        server = self.server
        assert isinstance(server, Server)
        server.keys.append(self.headers.get("Authorization"))
        server.paths.append(self.path)
        self.send_response(server.status)
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server that always answers the same."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), Stranger)
        self.status = status
        self.headers = headers
        self.keys: list[str | None] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"


def server(status: int, **headers: str) -> AbstractContextManager[Server]:
    return running(Server(status, {name.replace("_", "-"): it for name, it in headers.items()}))


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with (
        server(200) as other,
        server(308, Location=f"{other.url}/v1/formula") as first,
        Mahjic(first.url, KEY) as client,
    ):
        with pytest.raises(Refused) as refused:
            client.get_player("MJ-7K3Q9XZM")
        assert refused.value.status == 308
        assert (first.keys, other.keys) == ([f"Bearer {KEY}"], [])


def test_a_redirect_in_a_circle_ends() -> None:
    with server(308, Location="/v1/players/MJ-7K3Q9XZM") as first, Mahjic(first.url) as client:
        with pytest.raises(Refused):
            client.get_player("MJ-7K3Q9XZM")
        assert len(first.keys) == 8


@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
async def test_a_redirect_is_followed_with_the_query_that_it_names(
    kind: type[Mahjic] | type[AsyncMahjic],
) -> None:
    with server(308, Location="/v1/players/MJ-7K3Q9XZM?min_seq=7") as first:
        client = Either(kind(first.url, patience=Patience(tries_max=2)))
        with pytest.raises(Refused):
            await client.get_player("MJ-0000001Y", min_seq=7)
        await client.close()
        assert first.paths == [
            "/v1/players/MJ-0000001Y?min_seq=7",
            "/v1/players/MJ-7K3Q9XZM?min_seq=7",
        ]


def test_the_key_stays_with_the_server_it_is_for() -> None:
    with server(500) as first, server(500) as other, Mahjic(first.url, KEY) as client:
        client._http.get(f"{first.url}/healthz")
        client._http.get(f"{other.url}/healthz")
        assert (first.keys, other.keys) == ([f"Bearer {KEY}"], [None])


def test_a_key_is_in_no_log_no_error_and_no_representation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with server(403) as first, Mahjic(first.url, KEY) as client:
        with pytest.raises(Refused) as refused:
            client.get_session("ses_1")
        assert first.keys == [f"Bearer {KEY}"]
        told = [caplog.text, repr(client), str(client), repr(refused.value), str(refused.value)]
        told += [repr(client._http), repr(client._http.auth), repr(vars(client))]
    assert caplog.records
    assert not any(KEY in each or KEY[4:20] in each for each in told)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY} ", "mjk_é"])
@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
def test_what_is_no_key_is_refused_without_being_repeated(kind: type, key: str) -> None:
    with pytest.raises(ValueError, match="An API key has no spaces") as refused:
        kind("http://127.0.0.1:1", key)
    assert key not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["mahjic.example.org", "ftp://a.example", "https://", "https://a:b@c.example", "http://a?b"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="Mahjic's address"):
        Mahjic(url)


def test_a_wait_longer_than_the_patience_ends_at_once() -> None:
    with (
        server(429, Retry_After="301") as first,
        Mahjic(first.url) as client,
        pytest.raises(TooBusy),
    ):
        client.get_formula()
    assert len(first.keys) == 1


def test_an_id_that_would_lead_elsewhere_is_refused() -> None:
    with server(404) as first, Mahjic(first.url) as client:
        for wrong in ("", ".", ".."):
            with pytest.raises(ValueError, match="is no id"):
                client.get_player(wrong)
        with pytest.raises(Refused):
            client.get_player("../../v1/formula?a=b#c")
        assert len(first.keys) == 1
