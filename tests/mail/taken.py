"""Mails as workers have them in hand."""

from datetime import timedelta
from typing import Any

from services.mail.posts import MailHold
from shared.mail.taking import TakenMail
from tests.mail.letters import START

SENDER = "Mahjic <ratings@mahjic.example>"


def a_mail(address: str = "carol@example.com", **other: Any) -> TakenMail:
    given: dict[str, Any] = {
        "mail_id": "mail_0000000000000001",
        "kind": "proof",
        "message_id": "mail_0000000000000001@mahjic.example",
        "lease": "a lease",
        "tries": 1,
        "queued_at": START,
        "good_until": START + timedelta(days=2),
        "is_asked_for": True,
        "address": address,
        "subject": "Log in to Mahjic",
        "text": "Type 7K3Q-9XZM.\n",
        "html": "<p>Type 7K3Q-9XZM.</p>\n",
        "no_more_url": None,
    }
    return TakenMail(**(given | other))


def held(mail: TakenMail) -> MailHold:
    return MailHold(mail, lambda: True)
