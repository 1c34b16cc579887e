"""Servers that fail: what has the mail wait, what ends it, and what is no fault of any mail."""

import asyncio

import pytest

from services.mail.posts import LeaseOver, MailHold, MailPutOff, MailRefused, PostAway
from services.mail.smtp import SmtpPost
from tests.mail.post_office import CLOSE, FREEZE, at, faulty_server
from tests.mail.taken import SENDER, a_mail, held

QUICK = {"answer_s_max": 0.3, "connect_s_max": 0.5}


@pytest.mark.parametrize(
    ("command", "fault", "code"),
    [
        ("RCPT", "451 Greylisted", 451),
        ("RCPT", "452 Full", 452),
        ("DATA", "451 Busy", 451),
        ("END", "451 Busy", 451),
        ("RCPT", "421 Going down", 421),
        ("RCPT", CLOSE, None),
        ("DATA", CLOSE, None),
        ("BODY", CLOSE, None),
        ("END", CLOSE, None),
        ("RCPT", FREEZE, None),
        ("DATA", FREEZE, None),
        ("END", FREEZE, None),
        ("RCPT", "what?", -1),
    ],
)
async def test_a_mail_that_was_not_taken_this_time_waits(
    command: str, fault: str, code: int | None
) -> None:
    async with faulty_server(**{command: [fault]}) as server:
        post = SmtpPost(at(server.port), SENDER, **QUICK)
        with pytest.raises(MailPutOff) as raised:
            await post.send(held(a_mail()))
        assert raised.value.code == code
        # The next try is on a new connection, and nothing is left over from the last one.
        await post.send(held(a_mail()))
        assert len(server.taken) == 1
        assert server.connections == 2
        await post.close()


@pytest.mark.parametrize("command", ["RCPT", "DATA", "END"])
async def test_a_mail_that_is_refused_is_not_tried_again(command: str) -> None:
    async with faulty_server(**{command: ["550 No such <carol@example.com> here"]}) as server:
        with pytest.raises(MailRefused) as raised:
            await SmtpPost(at(server.port), SENDER, **QUICK).send(held(a_mail()))
    assert raised.value.code == 550
    # What a server says often repeats the address, and errors end up in logs.
    assert "carol" not in repr(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("CONNECT", "421 Too many"),
        ("CONNECT", "554 Not you"),
        ("CONNECT", CLOSE),
        ("CONNECT", FREEZE),
        ("CONNECT", "nonsense"),
        ("MAIL", "530 Log in first"),
        ("MAIL", "550 Not your sender"),
        ("MAIL", "451 Later"),
        ("MAIL", CLOSE),
        ("MAIL", FREEZE),
        ("EHLO", CLOSE),
    ],
)
async def test_trouble_before_the_mail_is_nobodys_fault(command: str, fault: str) -> None:
    async with faulty_server(**{command: [fault]}) as server:
        post = SmtpPost(at(server.port), SENDER, **QUICK)
        with pytest.raises(PostAway):
            await post.send(held(a_mail()))
        await post.send(held(a_mail()))
        assert len(server.taken) == 1
        await post.close()


async def test_a_server_that_is_not_there_is_away() -> None:
    async with faulty_server() as server:
        port = server.port
    with pytest.raises(PostAway, match=r"ConnectionRefused|OSError"):
        await SmtpPost(at(port), SENDER, **QUICK).send(held(a_mail()))


async def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    async with faulty_server(MAIL=["250 Fine", CLOSE]) as server:
        post = SmtpPost(at(server.port), SENDER, **QUICK)
        await post.send(held(a_mail()))
        await post.send(held(a_mail("bob@example.com")))
        assert len(server.taken) == 2
        assert server.connections == 2
        await post.close()


async def test_a_mail_that_is_not_ours_any_more_is_not_sent() -> None:
    async with faulty_server() as server:
        with pytest.raises(LeaseOver):
            await SmtpPost(at(server.port), SENDER, **QUICK).send(MailHold(a_mail(), lambda: False))
        assert server.taken == []


async def test_who_is_stopped_in_the_middle_leaves_no_connection_behind() -> None:
    async with faulty_server(RCPT=[FREEZE]) as server:
        post = SmtpPost(at(server.port), SENDER)
        sending = asyncio.create_task(post.send(held(a_mail())))
        await asyncio.wait_for(server.frozen.wait(), 10)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await post.send(held(a_mail()))
        assert server.connections == 2
        await post.close()
