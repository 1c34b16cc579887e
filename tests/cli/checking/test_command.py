"""The command says in one sentence what it found, and its exit code says the same."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cli.checking.hand_made import KEY, URL, HandMade
from tests.cli.running import Ended, call
from tests.cli.scripted import Asked, ScriptedService, Told


class Served(ScriptedService):
    """A service by hand over real HTTP."""

    def __init__(self) -> None:
        super().__init__()
        self.by_hand = HandMade()
        self.by_hand.play(2)

    def answer(self, asked: Asked) -> Told:
        """Answer as the service by hand does."""
        self.asked.append(asked)
        answer = self.by_hand.answer(httpx.Request(asked.method, f"{URL}{asked.path}"))
        return Told(answer.status_code, answer.content, headers={"Mahjic-Log-Id": "a-log-by-hand"})


@pytest.fixture
def served() -> Iterator[Served]:
    """Return a service on the loopback that holds."""
    with Served() as served:
        yield served


def check(served: Served, folder: Path, *options: str) -> Ended:
    return call("check", served.url, "--memory", str(folder), *options)


def test_a_service_that_holds(served: Served, tmp_path: Path) -> None:
    ended = check(served, tmp_path)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout == f"{served.url} holds: 3 facts and 3 verdicts are signed.\n"
    told = json.loads(check(served, tmp_path, "--json").stdout)
    assert told["holds"]
    assert [each["size"] for each in told["logs"]] == [3, 3]
    assert told["bytes_read"] > 0
    assert told["wrong"] == []


def test_an_auditor_by_the_key(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_KEY", KEY)
    ended = check(served, tmp_path)
    assert ended.exit_code == 0, ended
    assert "3 facts give the 3 verdicts published." in ended.stdout


@pytest.mark.parametrize("is_of_it", [True, False])
def test_a_key_goes_to_no_other_service_than_its_own(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_of_it: bool
) -> None:
    monkeypatch.setenv("MAHJIC_KEY", KEY)
    own = f"{served.url.replace('http', 'HTTP')}/" if is_of_it else "https://own.example"
    monkeypatch.setenv("MAHJIC_URL", own)
    ended = check(served, tmp_path)
    assert ended.exit_code == 0, ended
    sent = [each.headers.get("Authorization") for each in served.asked]
    assert (f"Bearer {KEY}" in sent) == is_of_it
    assert ("it is not sent to this one" in ended.stderr) != is_of_it


def test_what_is_wrong_is_told_with_its_place(served: Served, tmp_path: Path) -> None:
    checkpoint = HandMade().facts.head
    served.by_hand.instead["/log/facts/checkpoint"] = served.by_hand.facts.signed(
        checkpoint
    ).encode()
    ended = check(served, tmp_path)
    assert ended.exit_code == 1
    *wrong, sentence = ended.stdout.splitlines()
    assert wrong[0].startswith("/log/facts: ")
    assert sentence == f"{served.url} does not hold: 1 thing is wrong."


def test_what_could_not_be_finished_says_so(served: Served, tmp_path: Path) -> None:
    served.by_hand.has_log = False
    ended = check(served, tmp_path)
    assert ended.exit_code == 75
    assert "was not checked to the end; nothing wrong was found so far." in ended.stdout
    assert ended.stderr.startswith("not_checked: ")


def test_a_service_that_is_away_is_told_in_words(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unheard:
        port = unheard.getsockname()[1]
    ended = call("check", f"http://127.0.0.1:{port}", "--memory", str(tmp_path))
    assert ended.exit_code == 75
    assert ended.stderr == (
        f"not_checked: http://127.0.0.1:{port} cannot be reached: Connection refused.\n"
    )


def test_a_page_of_the_site_is_not_its_address(tmp_path: Path) -> None:
    for page in ("/log", "/players/MJ-7K3Q9XZM?x=1#top"):
        ended = call("check", f"https://me:secret@mahjic.example{page}", "--memory", str(tmp_path))
        assert ended.exit_code == 2
        assert ended.stderr == (
            "invalid_settings: URL: Give the address of the site alone, without the page: "
            "https://mahjic.example\n"
        )


@pytest.mark.parametrize("player", ["hello", "MJ-7K3Q9XZA"])
def test_a_mistyped_player_says_nothing_about_the_service(
    served: Served, tmp_path: Path, player: str
) -> None:
    ended = check(served, tmp_path, "--player", player)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"invalid_settings: --player '{player}': ")


@pytest.mark.parametrize("option", ["--log-key", "--witness"])
def test_a_key_that_is_none_is_refused(served: Served, tmp_path: Path, option: str) -> None:
    ended = check(served, tmp_path, option, "mahjic.example+1234abcd+nonsense")
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"invalid_settings: {option}: ")


@pytest.mark.parametrize("url", ["not an address", "ftp://mahjic.example", "mahjic.example"])
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    ended = call("check", url, "--memory", str(tmp_path))
    assert ended.exit_code == 2
    assert ended.stderr.startswith("invalid_settings: URL: ")
