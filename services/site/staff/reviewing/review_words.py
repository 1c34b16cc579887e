"""How the review desk says what an agent advises, and where an application stands."""

from collections.abc import Mapping
from typing import Final

from services.applications.reviewing.advice import NoAdviceReason, Opinion
from services.applications.told import ApplicationState
from services.site.kit.words import _

STATES: Final[Mapping[ApplicationState, str]] = {
    "sent": _("Waiting for a decision"),
    "question": _("Waiting for an answer"),
    "approved": _("Approved"),
    "declined": _("Declined"),
}
OPINIONS: Final[Mapping[Opinion, str]] = {
    "looks_fine": _("Looks fine"),
    "ask_first": _("Ask first"),
    "looks_wrong": _("Looks wrong"),
}
NO_ADVICE: Final[Mapping[NoAdviceReason, str]] = {
    "slow": _("it took too long to answer."),
    "unreachable": _("it could not be reached."),
    "service_error": _("it answered with an error."),
    "refused": _("it refused to say anything about this one."),
    "cut_off": _("its answer was cut off."),
    "too_long": _("its answer was far too long."),
    "nonsense": _("its answer could not be read."),
    "wrong_shape": _("its answer was not of the shape that is asked for."),
    "made_up_quotes": _("it quoted what the application does not say."),
}
