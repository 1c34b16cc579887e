"""Asks axe what on a page keeps anybody from using it: WCAG 2.2 AA and good practice."""

from functools import cache
from typing import Any, Final

from playwright.async_api import Page

from tests.javascript.tools import node_modules

TAGS: Final = (
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22a",
    "wcag22aa",
    "best-practice",
)
RUN: Final = """(tags) => axe.run(document, {
  runOnly: { type: "tag", values: tags }, resultTypes: ["violations"], preload: false,
})"""

# Where JavaScript is off, what is evaluated runs, but the page's timers never ring.
HAS_TIMERS: Final = "matchMedia('(scripting: enabled)').matches"
RING_AT_ONCE: Final = """() => {
  window.setTimeout = (ring) => { Promise.resolve().then(ring); return 0; };
}"""


@cache
def axe_source() -> str:
    """Return the text of axe. Raises NodeMissing."""
    return (node_modules() / "axe-core" / "axe.min.js").read_text()


async def check_axe(page: Page) -> None:
    """Fail if axe finds anything on a page as it is now."""
    # A script tag would be against the policy of the page; evaluated, it is no part of it.
    await page.evaluate(axe_source())
    if not await page.evaluate(HAS_TIMERS):
        await page.evaluate(RING_AT_ONCE)
    found = await page.evaluate(RUN, list(TAGS))
    assert found["passes"] or found["inapplicable"], "axe has looked at nothing."
    assert not found["violations"], f"{page.url}\n" + "\n".join(map(_told, found["violations"]))


def _told(violation: dict[str, Any]) -> str:
    nodes = "\n".join(
        f"    {node['html'][:200]}\n      {node['failureSummary']}"
        for node in violation["nodes"][:5]
    )
    return f"{violation['id']}: {violation['help']}\n{nodes}"
