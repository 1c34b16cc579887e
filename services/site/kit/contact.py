"""Whom readers of the site can write to, if the operator says so. Pure."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Contact:
    """Where to write to: as a link, and in words."""

    href: str
    words: str

    @classmethod
    def of(cls, told: str) -> Self:
        """Return what an operator gave as an email address or a link (`MAHJIC_CONTACT`)."""
        if "://" in told:
            return cls(told, told.partition("://")[2].rstrip("/"))
        return cls(f"mailto:{told}", told)
