"""Keeps the promises of SourcesAtStaff, as the commands for sources do it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.staffing.keeping_acts import keep_act, unless_away
from shared.access.acts import StaffActKind
from shared.access.sources import (
    KnownSource,
    SourceDetails,
    UnknownSource,
    change_source,
    list_sources,
    resume_source,
    suspend_source,
)


@dataclass(frozen=True, slots=True)
class StaffSources:
    """What staff do with sources."""

    accounts: Accounts

    async def all(self) -> Sequence[KnownSource]:
        """Return all sources."""
        return await unless_away(list_sources(self.accounts.pool))

    async def one(self, slug: str) -> KnownSource:
        """Return a source. Raises UnknownSource."""
        for each in await self.all():
            if each.slug == slug:
                return each
        raise UnknownSource(slug)

    async def change(
        self, login: Login, slug: str, change: Callable[[SourceDetails], SourceDetails]
    ) -> None:
        """Change what is said about a source."""
        await self.one(slug)
        await keep_act(self.accounts, login, "change_source", slug)
        await unless_away(change_source(self.accounts.pool, slug, change))

    async def suspend(self, login: Login, slug: str, *, is_suspended: bool) -> None:
        """Refuse the keys of a source, or accept them again."""
        await self.one(slug)
        change = suspend_source if is_suspended else resume_source
        act: StaffActKind = "suspend_source" if is_suspended else "resume_source"
        await keep_act(self.accounts, login, act, slug)
        await unless_away(change(self.accounts.pool, slug))
