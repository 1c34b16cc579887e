"""How the pages say what became of events that were sent to a server."""

from collections.abc import Mapping
from typing import Final

from services.notices.webhooks.looking import WebhookDelivery
from services.site.kit.words import _
from shared.characters import forbidden_in_prose
from shared.notices.kinds import NoticeKind

KIND_WORDS: Final[Mapping[NoticeKind, str]] = {
    "dispute.opened": _("A player disputes a session"),
    "player.verification_ended": _("A player is no longer Verified"),
    "player.verified": _("A player became Verified"),
    "ratings.corrected": _("Ratings were corrected"),
    "session.corrected": _("A session was corrected"),
    "session.rated": _("A session was rated"),
    "session.voided": _("A session was taken out"),
    "source.suspended": _("The keys were suspended"),
    "test": _("A test"),
}
NOT_SHOWN: Final = _("It was about players whom you may no longer see")
_CAME_OF_IT: Final[Mapping[str, str]] = {
    "delivered": _("arrived: the server answered {status}"),
    "refused": _("not taken: the server answered {status}"),
    "no_name": _("did not arrive: no server has this name"),
    "not_public": _("not sent: the name leads to a place that is not on the open internet"),
    "no_connection": _("did not arrive: the server could not be reached"),
    "no_tls": _("did not arrive: the server has no valid certificate"),
    "no_answer": _("did not arrive: no proper answer within 10 seconds"),
    "unfit": _("not sent: events can’t be sent to this address"),
    "left_out": _("left out: it was about players whom you may no longer see"),
}
_WAITS: Final = _("not sent yet")


def came_of_it(delivery: WebhookDelivery) -> str:
    """Return what came of the last try, or that there was none."""
    if delivery.outcome is None:
        return _WAITS
    return _CAME_OF_IT[delivery.outcome].format(status=delivery.status)


def shown_answer(answer: str) -> str:
    """Return what a stranger's server said, with everything in it that is drawn or can be named.

    What would turn the text around, or hide in it, stands there by its number.
    """
    return "".join(_shown(each) for each in answer)


def _shown(character: str) -> str:
    code = forbidden_in_prose(character)
    return character if code is None else f"[{code}]"
