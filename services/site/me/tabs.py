"""The links between the pages of one's own. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.site.kit.words import _


@dataclass(frozen=True, slots=True)
class OwnLink:
    """A page of one's own: its address, what it is called, and what it is for."""

    path: str
    title: str
    words: str = ""


# On top of every page.
TABS: Final[Sequence[OwnLink]] = (
    OwnLink("/me", _("My page")),
    OwnLink("/me/history", _("My results")),
    OwnLink("/me/card", _("My card")),
    OwnLink("/me/settings", _("Settings")),
    OwnLink("/account", _("Logging in")),
)
# What is done seldom, with a sentence on each; at the end of the page of one's own.
SELDOM: Final[Sequence[OwnLink]] = (
    OwnLink(
        "/me/verified", _("Being Verified"), _("Get on the leaderboards, or see how you stand.")
    ),
    OwnLink("/me/disputes", _("I did not play this"), _("What you said about sessions.")),
    OwnLink("/me/merge", _("Another address of mine"), _("Put the results of two together.")),
    OwnLink("/desk", _("The desk of your club"), _("If you keep score for a club or a league.")),
    OwnLink("/me/download", _("Everything about me"), _("Get all that is stored, as a file.")),
    OwnLink("/me/forget", _("Forget me"), _("Close your account and erase who you are.")),
)
