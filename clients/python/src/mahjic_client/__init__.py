"""Mahjic for your own program: the rating formula, Mahjic IDs and webhooks."""

from mahjic_client.formula import Seat, rate
from mahjic_client.history import Ratings, Result
from mahjic_client.ids import MistypedId, is_mahjic_id, read_mahjic_id
from mahjic_client.webhooks import WebhookError, read_webhook

__all__ = [
    "MistypedId",
    "Ratings",
    "Result",
    "Seat",
    "WebhookError",
    "is_mahjic_id",
    "rate",
    "read_mahjic_id",
    "read_webhook",
]
