"""Keeps what the pages for developers tell: read once from the application's own document."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from services.site.words.interface.codes import CodesOfStatus, codes_by_status
from services.site.words.interface.guide import Guide, guide
from services.site.words.interface.reading import Group, groups_in


@dataclass(frozen=True)
class Reference:
    """Everything that the pages for developers show, for one origin."""

    document: Mapping[str, Any]
    origin: str

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The operations of the interface."""
        return groups_in(self.document, self.origin)

    @cached_property
    def codes(self) -> tuple[CodesOfStatus, ...]:
        """The codes of all problems."""
        return codes_by_status()

    @cached_property
    def links(self) -> Mapping[str, str]:
        """Where each code is explained."""
        return {
            each.code: f"/developers/errors#{each.code}"
            for status in self.codes
            for each in status.codes
        }

    @cached_property
    def guide(self) -> Guide:
        """The first night."""
        return guide()

    def group(self, tag: str) -> Group | None:
        """Return the operations with a tag, None if there are none."""
        return next((each for each in self.groups if each.tag == tag), None)


class ReferenceShelf:
    """The reference of the origin that is in use; where people find the site rarely changes."""

    def __init__(self) -> None:
        self._kept: Reference | None = None

    def of(self, document: Mapping[str, Any], origin: str) -> Reference:
        """Return the reference of the application's document."""
        if self._kept is None or self._kept.origin != origin:
            self._kept = Reference(document, origin)
        return self._kept
