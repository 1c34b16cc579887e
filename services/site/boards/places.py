"""How pages call regions and kinds of sources. Pure."""

from collections.abc import Mapping
from typing import Final

from services.site.kit.words import _

# In the order in which people look for them.
REGIONS: Final[Mapping[str, str]] = {
    "northeast": _("Northeast"),
    "southeast": _("Southeast"),
    "midwest": _("Midwest"),
    "southwest": _("Southwest"),
    "west": _("West"),
    "international": _("International"),
}
IN_REGIONS: Final[Mapping[str, str]] = {
    "northeast": _("in the Northeast"),
    "southeast": _("in the Southeast"),
    "midwest": _("in the Midwest"),
    "southwest": _("in the Southwest"),
    "west": _("in the West"),
    "international": _("outside the United States"),
}
SOURCE_TYPES: Final[Mapping[str, str]] = {
    "platform": _("Platform"),
    "club": _("Club"),
    "league": _("League"),
}
ONE_OF_SOURCE_TYPES: Final[Mapping[str, str]] = {
    "platform": _("A platform"),
    "club": _("A club"),
    "league": _("A league"),
}
