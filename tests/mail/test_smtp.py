"""Mails handed to a real SMTP server: safe on their way, and whole when they arrive."""

import ssl
from pathlib import Path

import pytest
import trustme
from aiosmtpd.smtp import AuthResult

from services.mail.posts import MailRefused, PostAway
from services.mail.smtp import SmtpPost
from tests.mail.post_office import PASSWORD, USER, at, check_login, post_office, server_context
from tests.mail.taken import SENDER, a_mail, held


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(autouse=True)
def known_authority(ca: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


@pytest.fixture
def context(ca: trustme.CA) -> ssl.SSLContext:
    return server_context(ca)


async def test_a_mail_arrives_over_starttls_with_a_login(context: ssl.SSLContext) -> None:
    async with post_office(starttls=context, authenticator=check_login, auth_required=True) as got:
        server = at(got.port, safety="starttls", user=USER, password=PASSWORD)
        post = SmtpPost(server, SENDER)
        await post.send(held(a_mail()))
        await post.send(held(a_mail("bob@example.com")))
        await post.close()
    assert got.was_safe == [True, True]
    assert [each.mail_from for each in got.envelopes] == ["ratings@mahjic.example"] * 2
    assert [each.rcpt_tos for each in got.envelopes] == [["carol@example.com"], ["bob@example.com"]]
    message = got.messages()[0]
    assert str(message["From"]) == SENDER
    assert str(message["To"]) == "carol@example.com"
    assert message["Message-ID"] == "<mail_0000000000000001@mahjic.example>"
    assert message["Date"] == "Sun, 01 Mar 2026 20:00:00 +0000"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe"] is None
    plain, html = message.iter_parts()
    assert plain.get_content_type() == "text/plain"
    assert plain.get_content() == "Type 7K3Q-9XZM.\r\n"
    assert html.get_content_type() == "text/html"
    assert html.get_content() == "<p>Type 7K3Q-9XZM.</p>\r\n"


async def test_a_mail_arrives_over_tls_from_the_beginning(context: ssl.SSLContext) -> None:
    async with post_office(tls=context) as got:
        await SmtpPost(at(got.port, safety="tls"), SENDER).send(held(a_mail()))
    assert len(got.envelopes) == 1


@pytest.mark.parametrize("login", [{}, {"user": USER, "password": PASSWORD}], ids=["", "login"])
async def test_nothing_is_said_to_a_server_without_starttls(login: dict[str, str]) -> None:
    logins: list[object] = []

    def noted(*given: object) -> AuthResult:
        logins.append(given[-1])
        return AuthResult(success=True)

    async with post_office(authenticator=noted, auth_require_tls=False) as got:
        post = SmtpPost(at(got.port, safety="starttls", **login), SENDER)
        with pytest.raises(PostAway, match="STARTTLS"):
            await post.send(held(a_mail()))
    assert (got.envelopes, logins) == ([], [])


@pytest.mark.parametrize("safety", ["starttls", "tls"])
async def test_nothing_is_said_to_a_server_whose_certificate_nobody_knows(safety: str) -> None:
    stranger = server_context(trustme.CA())
    async with post_office(**{safety: stranger}) as got:
        with pytest.raises(PostAway, match="its certificate is not good"):
            await SmtpPost(at(got.port, safety=safety), SENDER).send(held(a_mail()))
    assert got.envelopes == []


async def test_nothing_is_said_to_a_server_whose_certificate_is_for_another_name(
    ca: trustme.CA,
) -> None:
    async with post_office(tls=server_context(ca, "mail.example.com")) as got:
        with pytest.raises(PostAway, match="its certificate is not good"):
            await SmtpPost(at(got.port, safety="tls"), SENDER).send(held(a_mail()))


async def test_a_wrong_password_is_trouble_of_ours_and_not_of_the_mail(
    context: ssl.SSLContext,
) -> None:
    async with post_office(starttls=context, authenticator=check_login, auth_required=True) as got:
        server = at(got.port, safety="starttls", user=USER, password="wrong")
        with pytest.raises(PostAway, match="535") as raised:
            await SmtpPost(server, SENDER).send(held(a_mail()))
    assert "wrong" not in str(raised.value)


async def test_what_nobody_asked_for_can_be_ended_with_one_click() -> None:
    url = "https://mahjic.example/mail/no-more/" + "aB-_" * 16
    async with post_office() as got:
        mail = a_mail(is_asked_for=False, no_more_url=url)
        await SmtpPost(at(got.port), SENDER).send(held(mail))
    content = got.envelopes[0].original_content or b""
    # As it is written, not as a kind parser reads it.
    assert f"\r\nList-Unsubscribe: <{url}>\r\n".encode() in content
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in content


TEXTS = [
    ".\r\n.\r\n..\n.hidden\n",
    "x" * 5000 + "\n",
    "Grüße — 麻將 🀄\n",
    "From the club\nFrom: nobody\n\n.\n",
    "a\rb\nc\n",
    "trailing  \n\ttabs\t\n",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_whatever_a_mail_says_arrives_in_lines_that_every_server_takes(text: str) -> None:
    async with post_office() as got:
        post = SmtpPost(at(got.port), SENDER)
        await post.send(held(a_mail(text=text, html=f"<pre>{text}</pre>")))
        await post.send(held(a_mail("bob@example.com")))
        await post.close()
    content = got.envelopes[0].original_content or b""
    assert max(map(len, content.splitlines())) <= 998
    assert content.isascii()
    plain, html = got.messages()[0].iter_parts()
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    assert plain.get_content().replace("\r\n", "\n").replace("\r", "\n") == lines
    assert "</pre>" in html.get_content()
    # Nothing of it was taken for a command, and the next mail is whole too.
    assert [each.rcpt_tos for each in got.envelopes] == [["carol@example.com"], ["bob@example.com"]]


@pytest.mark.parametrize("subject", ["x" * 150, "ü" * 150, "麻將 " * 40, "=?utf-8?q?x?=", "a: b"])
async def test_a_long_or_foreign_subject_arrives_as_it_was(subject: str) -> None:
    async with post_office() as got:
        await SmtpPost(at(got.port), SENDER).send(held(a_mail(subject=subject.strip())))
    content = got.envelopes[0].original_content or b""
    assert max(map(len, content.splitlines())) <= 998
    if not subject.startswith("=?"):
        assert got.messages()[0]["Subject"] == subject.strip()


async def test_an_address_in_other_letters_arrives_where_the_server_knows_how() -> None:
    async with post_office() as got:
        await SmtpPost(at(got.port), SENDER).send(held(a_mail("jürgen.麻@example.com")))
    assert got.envelopes[0].rcpt_tos == ["jürgen.麻@example.com"]
    assert str(got.messages()[0]["To"]) == "jürgen.麻@example.com"


async def test_an_address_in_other_letters_is_refused_where_the_server_does_not() -> None:
    async with post_office(enable_SMTPUTF8=False) as got:
        with pytest.raises(MailRefused) as raised:
            await SmtpPost(at(got.port), SENDER).send(held(a_mail("jürgen@example.com")))
    assert raised.value.code == 553
    assert got.envelopes == []


@pytest.mark.parametrize(
    "address", ["carol@example.com>\r\nRCPT TO:<x@y.z", "<carol@example.com>", "a b@c.d", "@", ""]
)
async def test_what_is_no_address_is_refused_before_the_server_hears_of_it(address: str) -> None:
    async with post_office() as got:
        with pytest.raises(MailRefused) as raised:
            await SmtpPost(at(got.port), SENDER).send(held(a_mail(address)))
    assert got.envelopes == []
    assert "carol" not in str(raised.value)
