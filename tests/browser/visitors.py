"""People who visit the site with a device of their own, and everything that goes wrong for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    ViewportSize,
)

# The browser says this of every answer that is an error; the answers themselves are looked at.
ANSWERED_WITH_ERROR: Final = "Failed to load resource: the server responded with a status of"
# Nothing else that it says is left out. Over plain HTTP it would also call the opener policy of a
# page ignored, for any host but this machine; here it trusts the host, as it trusts HTTPS.
FAULTY: Final = frozenset({"error", "warning", "assert"})
# A page that is left, or a search that is typed on, no longer needs what it asked for.
NO_LONGER_NEEDED: Final = "net::ERR_ABORTED"
# How long a page is waited for, and what it shows.
WAIT_MS_MAX: Final = 30_000
WATCH_POLICY: Final = """
document.addEventListener("securitypolicyviolation", (event) =>
  reportViolation(`${event.effectiveDirective} forbids ${event.blockedURI} (${event.sample})`));
"""


@dataclass(frozen=True, slots=True)
class Device:
    """What somebody reads the site with."""

    name: str
    width: int
    height: int
    is_phone: bool = False
    has_javascript: bool = True
    scheme: Literal["light", "dark"] = "light"

    @property
    def viewport(self) -> ViewportSize:
        """The size of the page."""
        return {"width": self.width, "height": self.height}


PHONE: Final = Device("phone", 390, 844, is_phone=True)
DESKTOP: Final = Device("desktop", 1280, 900)
PLAIN_PHONE: Final = replace(PHONE, name="phone without JavaScript", has_javascript=False)
PLAIN_DESKTOP: Final = replace(DESKTOP, name="desktop without JavaScript", has_javascript=False)
DARK_PHONE: Final = replace(PHONE, name="dark phone", scheme="dark")
DARK_DESKTOP: Final = replace(DESKTOP, name="dark desktop", scheme="dark")
DEVICES: Final = (PHONE, DESKTOP, PLAIN_PHONE, PLAIN_DESKTOP)


@dataclass
class Visitor:
    """Somebody with one page open, and what went wrong on it so far."""

    page: Page
    device: Device
    home: str
    # Where else the site leads to, as to Stripe.
    beside: str | None = None
    faults: list[str] = field(default_factory=list)
    # The status that the next page is meant to have.
    status: int = 200

    async def go(self, path: str, *, status: int = 200) -> None:
        """Open a page by its path; it must answer with this status."""
        self.status = status
        response = await self.page.goto(self.home + path)
        assert response is not None
        assert response.status == status, f"{path} is {response.status}"

    @property
    def path(self) -> str:
        """The path and query of the page."""
        parts = urlsplit(self.page.url)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def watch(self) -> None:
        """Note from now on everything that goes wrong."""
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self.page.on("request", self._on_request)
        self.page.on("requestfailed", self._on_failure)
        self.page.on("response", self._on_response)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in FAULTY and not message.text.startswith(ANSWERED_WITH_ERROR):
            self.faults.append(f"console: {message.text} (on {self.page.url})")

    def _on_request(self, request: Request) -> None:
        places = [each for each in (self.home, self.beside) if each is not None]
        known = (*(f"{each}/" for each in places), "data:", "blob:")
        if not request.url.startswith(known):
            self.faults.append(f"another host: {request.url}")

    def _on_failure(self, request: Request) -> None:
        if request.failure != NO_LONGER_NEEDED:
            self.faults.append(f"failed: {request.url} {request.failure}")

    def _on_response(self, response: Response) -> None:
        request = response.request
        is_page = request.is_navigation_request() and request.frame == self.page.main_frame
        is_meant = is_page and response.status == self.status
        if response.status >= 400 and not is_meant:
            self.faults.append(f"answered {response.status}: {response.url}")


@asynccontextmanager
async def visiting(
    browser: Browser, home: str, device: Device, *, beside: str | None = None
) -> AsyncIterator[Visitor]:
    """Let somebody visit the site; at the end nothing may have gone wrong."""
    context = await browser.new_context(
        viewport=device.viewport,
        java_script_enabled=device.has_javascript,
        color_scheme=device.scheme,
        is_mobile=device.is_phone,
        has_touch=device.is_phone,
        # Nothing moves, so that nothing has to be waited for.
        reduced_motion="reduce",
        locale="en-US",
        timezone_id="America/New_York",
    )
    async with context:
        context.set_default_timeout(WAIT_MS_MAX)
        visitor = Visitor(await context.new_page(), device, home, beside)
        await _watch_policy(context, visitor)
        visitor.watch()
        yield visitor
        assert not visitor.faults, "\n".join(visitor.faults)


async def _watch_policy(context: BrowserContext, visitor: Visitor) -> None:
    # Without JavaScript the browser's console alone tells, and it always does.
    if visitor.device.has_javascript:

        def note(_source: object, told: str) -> None:
            visitor.faults.append(f"policy: {told}")

        await context.expose_binding("reportViolation", note)
        await context.add_init_script(WATCH_POLICY)
