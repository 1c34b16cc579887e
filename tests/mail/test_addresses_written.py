"""Every address that is accepted anywhere can stand in a message, and in nothing but its header."""

from hypothesis import assume, given
from hypothesis import strategies as st

from services.mail.message import message_bytes
from shared.addresses import UnreadableAddress, read_address
from tests.mail.taken import SENDER, a_mail

ODD = st.sampled_from(
    [
        *"abcdEF09.+-_!#$%&'*/=?^`{|}~",
        *'"(),:;<>@[]\\ \t\r\n\x00',
        *"äßñ麻한\u0301\u202e\U0001f004",
    ]
)
DOMAINS = st.sampled_from(["example.com", "müller.example"])


@given(st.text(ODD, min_size=1, max_size=20), DOMAINS)
def test_an_accepted_address_stands_in_the_header_as_it_is(local: str, domain: str) -> None:
    try:
        address = read_address(f"{local}@{domain}")
    except UnreadableAddress:
        assume(False)
    content = message_bytes(a_mail(address), message_id="m@mahjic.example", sender=SENDER)
    head = content.partition(b"\r\n\r\n")[0]
    names = [line.partition(b":")[0] for line in head.split(b"\r\n") if line[:1] not in b" \t"]
    assert names == [
        *(b"From", b"To", b"Subject", b"Date", b"Message-ID", b"Auto-Submitted"),
        *(b"MIME-Version", b"Content-Type"),
    ]
    assert b"\r\nTo: " + address.encode() + b"\r\n" in head
