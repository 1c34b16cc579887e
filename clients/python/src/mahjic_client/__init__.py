"""Mahjic for your own program: its interface, the rating formula, Mahjic IDs and webhooks."""

from mahjic_client.asking import LogPage
from mahjic_client.client import AsyncMahjic, Mahjic
from mahjic_client.errors import (
    BadRequest,
    Conflict,
    Gone,
    MahjicError,
    Mistake,
    NoAnswer,
    NotAllowed,
    NotFound,
    Refused,
    TooBusy,
)
from mahjic_client.formula import Seat, rate
from mahjic_client.history import Ratings, Result
from mahjic_client.ids import MistypedId, is_mahjic_id, read_mahjic_id
from mahjic_client.lines import LineAnswer
from mahjic_client.trying import Patience
from mahjic_client.webhooks import WebhookError, read_webhook

__all__ = [
    "AsyncMahjic",
    "BadRequest",
    "Conflict",
    "Gone",
    "LineAnswer",
    "LogPage",
    "Mahjic",
    "MahjicError",
    "Mistake",
    "MistypedId",
    "NoAnswer",
    "NotAllowed",
    "NotFound",
    "Patience",
    "Ratings",
    "Refused",
    "Result",
    "Seat",
    "TooBusy",
    "WebhookError",
    "is_mahjic_id",
    "rate",
    "read_mahjic_id",
    "read_webhook",
]
