"""The links between the pages of a desk. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.site.kit.words import _


@dataclass(frozen=True, slots=True)
class DeskTab:
    """A page of a desk: its address behind that of the desk, its name, and who sees the link."""

    path: str
    title: str
    is_for_owners: bool = False


DESK_TABS: Final[Sequence[DeskTab]] = (
    DeskTab("", _("Desk")),
    DeskTab("/night", _("Enter a night")),
    DeskTab("/sheet", _("Upload a sheet")),
    DeskTab("/sessions", _("Sessions")),
    DeskTab("/players", _("Players")),
    DeskTab("/standings", _("Standings")),
    DeskTab("/embed", _("On your site")),
    DeskTab("/members", _("Who keeps score"), is_for_owners=True),
    DeskTab("/keys", _("Keys"), is_for_owners=True),
    DeskTab("/webhooks", _("Webhooks"), is_for_owners=True),
    DeskTab("/profile", _("Profile"), is_for_owners=True),
)


def tabs_for(*, is_owner: bool) -> Sequence[DeskTab]:
    """Return the links that an owner can follow, or a scorer."""
    return [each for each in DESK_TABS if is_owner or not each.is_for_owners]
