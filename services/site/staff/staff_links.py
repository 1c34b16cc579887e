"""The links between the pages of the staff desk. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.site.kit.words import _


@dataclass(frozen=True, slots=True)
class StaffTab:
    """A page of the staff desk: its address behind /staff, its name, and what it is for.

    Reviewers see only what is for them, too.
    """

    path: str
    title: str
    words: str = ""
    is_for_reviewers: bool = False


STAFF_TABS: Final[Sequence[StaffTab]] = (
    StaffTab("", _("Staff desk"), is_for_reviewers=True),
    StaffTab(
        "/applications",
        _("Applications"),
        _("Clubs, leagues and platforms that want to become a source."),
        is_for_reviewers=True,
    ),
    StaffTab(
        "/sources",
        _("Sources"),
        _("Clubs, leagues and platforms: suspend one, or change its region and its limit."),
    ),
    StaffTab(
        "/players",
        _("Players"),
        _("Find one by ID or address. Verify, hide, merge, give seats to others, or forget."),
    ),
    StaffTab(
        "/verified",
        _("Verified players"),
        _("What came in, which years are due, what went wrong, and identity checks that wait."),
    ),
    StaffTab(
        "/void",
        _("Void many sessions"),
        _("By source, player and days. Shows what would move before anything happens."),
    ),
    StaffTab(
        "/formulas",
        _("Formulas"),
        _("Try one on everything on record, and adopt it."),
    ),
    StaffTab(
        "/disputes",
        _("Disputes"),
        _(
            "Players who say that they did not play a session, and whose club has not answered "
            "within 14 days."
        ),
    ),
    StaffTab("/mail", _("Mail that fails"), _("Try it again, or give it up.")),
    StaffTab("/lag", _("How far behind we are"), _("Each part, and what it has yet to do.")),
    StaffTab(
        "/acts",
        _("What staff did"),
        _("Every change, and every look at an address: who, what and when."),
        is_for_reviewers=True,
    ),
)


def tabs_for(*, is_operator: bool) -> Sequence[StaffTab]:
    """Return the links that an operator can follow, or a reviewer."""
    return [each for each in STAFF_TABS if is_operator or each.is_for_reviewers]
