"""Makes what a sandbox adds to the site, from what a process is made of."""

from collections.abc import Callable, Sequence
from functools import partial

from starlette.types import ASGIApp

from services.ports import accounts_of
from services.sandbox.visiting import SandboxRoom
from services.site.sandbox.sandbox_page import SANDBOX_PAGES
from services.site.sandbox.visitors import OfSandbox
from services.wiring import Service
from shared.access.lookups import KeyLookups
from shared.http.routes import Route


def layer_of_sandbox(s: Service) -> Callable[[ASGIApp], ASGIApp] | None:
    """Return the layer that knows the visitors of a sandbox; None if the service is live."""
    if s.process.sandbox is None:
        return None
    chance = accounts_of(s.process, s.recording).chance
    return partial(OfSandbox, origin=s.process.origin, chance=chance)


def pages_of_sandbox(s: Service, lookups: KeyLookups) -> tuple[Sequence[Route], Sequence[object]]:
    """Return the pages of a sandbox and what they are handed; none if the service is live."""
    if s.process.sandbox is None:
        return (), ()
    return SANDBOX_PAGES, (SandboxRoom(accounts_of(s.process, s.recording), lookups),)
