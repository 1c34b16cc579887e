"""Makes what a role that shows pages has beside its routes, from what a process is made of."""

from services.role import Site
from services.sandbox_port import layer_of_sandbox, pages_of_sandbox
from services.site.kit.contact import Contact
from services.site.kit.pages import SitePages
from services.wiring import Process, Service
from shared.access.lookups import KeyLookups
from shared.http.application import SiteLayers


def site_of(service: Service, lookups: KeyLookups) -> Site:
    """Return the layers of the pages, what they are handed, and the pages of a sandbox."""
    process = service.process
    pages = _pages(process)
    layer = layer_of_sandbox(service)
    routes, ports = pages_of_sandbox(service, lookups)
    return Site(
        SiteLayers(pages.problem, lambda: process.origin.url, innermost=layer),
        (pages, *ports),
        routes,
    )


def _pages(process: Process) -> SitePages:
    told = process.settings.contact
    contact = None if told is None else Contact.of(told)
    return SitePages(
        process.origin,
        contact,
        process.lateness,
        is_sandbox=process.sandbox is not None,
        has_public_log=process.public_logs.is_there(),
    )
