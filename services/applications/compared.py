"""Reads what the rules compare an application with: the sources, and what was applied before."""

from collections.abc import Sequence
from typing import Final

from services.accounts.ports import Connection
from services.applications.domains import domain_of_address, domain_of_site, is_shared
from services.applications.rows import text_of
from services.applications.rules import (
    ComparedSource,
    EarlierApplication,
    Finding,
    find_all,
)
from services.applications.told import Application

# Beyond this nobody looks through what is found.
EARLIER_MAX: Final = 2_000

# What an application itself became is no reason against it.
READ_SOURCES: Final = """
SELECT sources.slug, sources.name, of_source.site, of_source.address
FROM mahjic.listed_sources AS sources
LEFT JOIN mahjic.applications AS of_source ON of_source.source = sources.slug
WHERE of_source.application_id IS DISTINCT FROM $1
ORDER BY sources.slug
"""
READ_EARLIER: Final = """
SELECT state, organization, type, wished_slug, applicant, address, site, region, keeping, players,
    nights, description
FROM mahjic.applications
WHERE state <> 'begun' AND number < (
    SELECT number FROM mahjic.applications WHERE application_id = $1
)
ORDER BY number DESC LIMIT $2
"""


async def find_in(connection: Connection, application: Application) -> Sequence[Finding]:
    """Return what the rules find in an application, as things stand now."""
    application_id = application.application_id
    sources = [
        ComparedSource(row["slug"], row["name"], _domains(row["site"], row["address"]))
        for row in await connection.fetch(READ_SOURCES, application_id)
    ]
    earlier = [
        EarlierApplication(text_of(row), row["state"])
        for row in await connection.fetch(READ_EARLIER, application_id, EARLIER_MAX)
    ]
    return find_all(application.text, sources, earlier)


def _domains(site: str | None, address: str | None) -> Sequence[str]:
    domains = {domain_of_site(site)} if site is not None else set()
    if address is not None:
        domains.add(domain_of_address(address))
    return sorted(each for each in domains if not is_shared(each))
