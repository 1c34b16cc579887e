"""The kinds of what sources are told. Their names never change. Pure."""

from typing import Literal, TypeAlias

NoticeKind: TypeAlias = Literal[
    "dispute.opened",
    "player.verification_ended",
    "player.verified",
    "ratings.corrected",
    "session.corrected",
    "session.rated",
    "session.voided",
    "source.suspended",
    "test",
]
