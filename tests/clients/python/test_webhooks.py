"""The client trusts a message that was signed with its secret just now, and no other."""

import base64
import hashlib
import hmac
from typing import Any

import pytest

from mahjic_client import WebhookError, read_webhook

# The example that libraries of Standard Webhooks are tested with.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
NOW = 1614265330
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(NOW),
    "webhook-signature": SIGNATURE,
}
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def signed(body: bytes) -> dict[str, str]:
    """Return the headers of another body, signed by the words of the standard."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    content = f"{HEADERS['webhook-id']}.{NOW}.".encode() + body
    signature = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return HEADERS | {"webhook-signature": f"v1,{signature}"}


def test_the_example_of_the_standard_is_trusted() -> None:
    assert read_webhook(SECRET, HEADERS, BODY, NOW) == {"test": 2432232314}


def test_names_of_headers_may_be_in_capitals() -> None:
    headers = {name.title(): value for name, value in HEADERS.items()}
    assert read_webhook(SECRET, headers, BODY, NOW)


@pytest.mark.parametrize("secrets", [[OTHER_SECRET, SECRET], [SECRET, OTHER_SECRET]])
def test_either_of_two_secrets_will_do(secrets: list[str]) -> None:
    assert read_webhook(secrets, HEADERS, BODY, NOW)
    assert read_webhook(iter(secrets), HEADERS, BODY, NOW)


@pytest.mark.parametrize(
    "signatures",
    [f"v1,AAAA {SIGNATURE}", f"{SIGNATURE} v1,AAAA", f"v1a,xx {SIGNATURE}", f"é {SIGNATURE}"],
)
def test_one_of_several_signatures_will_do(signatures: str) -> None:
    assert read_webhook(SECRET, HEADERS | {"webhook-signature": signatures}, BODY, NOW)


@pytest.mark.parametrize("late_s", [-300, -1, 0, 299.5, 300])
def test_a_clock_may_be_five_minutes_off_either_way(late_s: float) -> None:
    assert read_webhook(SECRET, HEADERS, BODY, NOW + late_s)


@pytest.mark.parametrize("late_s", [-301, -300.5, 300.5, 301])
def test_an_old_message_and_one_of_the_future_are_refused(late_s: float) -> None:
    with pytest.raises(WebhookError, match="five minutes"):
        read_webhook(SECRET, HEADERS, BODY, NOW + late_s)


def test_without_a_time_the_clock_is_read() -> None:
    with pytest.raises(WebhookError, match="five minutes"):
        read_webhook(SECRET, HEADERS, BODY)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "msg_2"},
        {"webhook-id": ""},
        {"webhook-id": "\ud800"},
        {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": "now"},
        {"webhook-timestamp": "nan"},
        {"webhook-timestamp": f"{NOW}.0"},
        {"webhook-timestamp": f" {NOW}"},
        {"webhook-timestamp": f"{NOW}\n"},
        {"webhook-timestamp": "9" * 5000},
        {"webhook-timestamp": "١٦١٤٢٦٥٣٣٠"},
        {"webhook-signature": "v1"},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,é"},
        {"webhook-signature": "v1,abc"},
        {"webhook-signature": SIGNATURE.removeprefix("v1,")},
        {"webhook-signature": SIGNATURE.replace("v1", "v1a")},
        {"webhook-signature": SIGNATURE.replace("v1", "v2")},
        {"webhook-signature": "\ud800"},
        {"Webhook-Id": "msg_2"},
    ],
    ids=repr,
)
def test_changed_headers_are_refused(change: dict[str, str]) -> None:
    with pytest.raises(WebhookError):
        read_webhook(SECRET, HEADERS | change, BODY, NOW)


@pytest.mark.parametrize("name", HEADERS)
def test_a_missing_header_is_refused(name: str) -> None:
    headers = {each: value for each, value in HEADERS.items() if each != name}
    with pytest.raises(WebhookError, match=name):
        read_webhook(SECRET, headers, BODY, NOW)


def test_a_changed_body_and_another_secret_are_refused() -> None:
    for secret, body in ((SECRET, BODY + b" "), (SECRET, b"\xff"), (OTHER_SECRET, BODY)):
        with pytest.raises(WebhookError, match="No signature fits"):
            read_webhook(secret, HEADERS, body, NOW)


@pytest.mark.parametrize("body", [b"\xff", b"", b"[1]", b"1", b"[" * 100_000], ids=len)
def test_a_signed_body_that_holds_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookError, match="is signed, but is not"):
        read_webhook(SECRET, signed(body), body, NOW)


def test_words_in_any_script_come_through() -> None:
    body = '{"name": "Zoë 漢字"}'.encode()
    assert read_webhook(SECRET, signed(body), body, NOW) == {"name": "Zoë 漢字"}


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_é", "whsec_abc", SECRET[6:]])
def test_a_secret_that_is_none_is_a_mistake_of_the_program(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        read_webhook([SECRET, secret], HEADERS, BODY, NOW)


def test_no_secret_trusts_nothing() -> None:
    with pytest.raises(ValueError, match="at least one secret"):
        read_webhook([], HEADERS, BODY, NOW)


def test_a_body_that_was_read_already_is_a_mistake_of_the_program() -> None:
    text: Any = BODY.decode()
    with pytest.raises(TypeError, match="bytes"):
        read_webhook(SECRET, HEADERS, text, NOW)
