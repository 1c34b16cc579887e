"""What the settings of mail mean, and which are refused before anything starts."""

from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from services.mail.waits import MAIL_WAITS, mail_wait, server_wait_s
from services.mail.ways import ByFiles, ByHand, BySmtp, SmtpServer, domain_of, way_of
from shared.settings import Settings

FROM = "ratings@mahjic.example"


def settings(**given: object) -> Settings:
    return Settings(_env_file=None, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example.org", SmtpServer("mail.example.org", 587, "starttls")),
        ("smtp://mail.example.org:25/", SmtpServer("mail.example.org", 25, "starttls")),
        ("smtps://mail.example.org", SmtpServer("mail.example.org", 465, "tls")),
        ("smtps://127.0.0.1", SmtpServer("127.0.0.1", 465, "tls")),
        ("smtp://localhost:1025", SmtpServer("localhost", 1025, "loopback")),
        ("smtp://127.0.0.9", SmtpServer("127.0.0.9", 587, "loopback")),
        ("smtp://[::1]", SmtpServer("::1", 587, "loopback")),
        ("smtp://10.0.0.1", SmtpServer("10.0.0.1", 587, "starttls")),
        ("smtp://localhost.example.org", SmtpServer("localhost.example.org", 587, "starttls")),
        ("smtp://a%40b:p%2Fw%25@h", SmtpServer("h", 587, "starttls", "a@b", "p/w%")),
    ],
)
def test_a_url_names_a_server_and_how_the_way_there_is_safe(url: str, server: SmtpServer) -> None:
    given = settings(smtp_url=url, mail_from=FROM).smtp_url
    assert given is not None
    assert way_of(given.get_secret_value(), None) == BySmtp(server)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://user@mail.example.org",
        "smtp://user:@mail.example.org",
        "smtp://:pw@mail.example.org",
        "smtp://user:se/cret@mail.example.org",
        "smtp://mail.example.org/path",
        "smtp://mail.example.org?starttls=no",
        "smtp://mail.example.org:port",
        "smtp://mail.example.org\r\n",
    ],
)
def test_a_url_that_names_no_server_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValidationError) as raised:
        settings(smtp_url=url, mail_from=FROM)
    words = " ".join(each["msg"] for each in raised.value.errors(include_input=False))
    assert "se/cret" not in words


@pytest.mark.parametrize("sender", [FROM, f"Mahjic <{FROM}>", f"St. John's Mahjongg <{FROM}>"])
def test_a_sender_may_have_a_name(sender: str) -> None:
    given = settings(smtp_url="smtp://localhost", mail_from=sender)
    assert given.mail_from is not None
    assert domain_of(given.mail_from) == "mahjic.example"


@pytest.mark.parametrize(
    "sender", ["", "Mahjic", "a@b\r\nBcc: c@d", "A, B <a@b.c>", "<a@b.c>", "a@b.c, d@e.f", "ü@b.c"]
)
def test_what_is_no_sender_is_refused(sender: str) -> None:
    with pytest.raises(ValidationError):
        settings(smtp_url="smtp://localhost", mail_from=sender)


def test_a_server_and_a_sender_go_together() -> None:
    for given in ({"smtp_url": "smtp://localhost"}, {"mail_from": FROM}):
        with pytest.raises(ValidationError, match="MAHJIC_SMTP_URL and MAHJIC_MAIL_FROM"):
            settings(**given)


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValidationError):
        settings(address_hash_key="x" * 31)
    assert settings(address_hash_key="x" * 32).address_hash_key is not None


def test_without_a_server_mail_is_files_or_waits_for_the_operator() -> None:
    assert way_of(None, Path("/data")) == ByFiles(Path("/data/mail"))
    assert way_of(None, None) == ByHand()


def test_no_password_shows_where_a_server_is_printed() -> None:
    server = way_of("smtp://user:secret@mail.example.org", None)
    assert "secret" not in repr(server)
    assert "user" not in repr(server)


def test_waits_grow_and_two_days_have_many_tries() -> None:
    waits = [mail_wait(tries) for tries in range(1, 40)]
    assert waits == sorted(waits)
    assert waits[0] <= timedelta(seconds=30)
    assert waits[-1] == MAIL_WAITS[-1] == timedelta(hours=4)
    assert server_wait_s(1) == 1
    assert server_wait_s(1000) == 30
