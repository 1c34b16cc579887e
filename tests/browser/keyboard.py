"""Somebody who uses nothing but the keyboard, and sees at every step where they are."""

from typing import Final

from playwright.async_api import Locator, Page

STOPS_MAX: Final = 150
WHERE: Final = """(target) => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getBoundingClientRect();
  // A link that fills its row shows its focus around the row.
  let isShown = getComputedStyle(element).boxShadow !== "none";
  for (let around = element; around !== document.body; around = around.parentElement) {
    const style = getComputedStyle(around);
    isShown ||= style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  }
  return {
    isAtTarget: element === target,
    isInMain: element.closest("main") !== null,
    stop: window.stops ? window.stops.indexOf(element) : null,
    // A link may go on over two lines, and what is beside it stands beside one of them.
    boxes: [...element.getClientRects()].map(({ left, right, top, bottom }) => (
      { left, right, top: top + scrollY, bottom: bottom + scrollY }
    )),
    told: element.outerHTML.slice(0, 160),
    isSeen: isShown && box.width > 1 && box.height > 1 &&
      box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
}"""


# What keys should stop at, in the order of the text: that is the order in which a page is read out.
STOPS: Final = """() => {
  const stops = "a[href], button, input:not([type=hidden]), select, textarea, summary, " +
    "[tabindex='0']";
  window.stops = [...document.querySelectorAll(stops)].filter((stop) => stop.checkVisibility());
  return window.stops.map((stop) => stop.outerHTML.slice(0, 160));
}"""


async def check_order(page: Page) -> None:
    """Go through a page with the Tab key: to everything, in the order of the text, never back up.

    On the way the focus is always seen. What stands in columns is read column by column.
    """
    stops = await page.evaluate(STOPS)
    await page.evaluate("document.activeElement.blur()")
    before = None
    for number, stop in enumerate(stops):
        await page.keyboard.press("Tab")
        at = await page.evaluate(WHERE)
        assert at is not None, f"After {number} stops the focus is lost, and not at {stop}"
        assert at["stop"] == number, f"After {number} stops comes {at['told']}, and not {stop}"
        assert at["isSeen"], f"The focus is not seen at {stop}"
        if before is not None and before["isInMain"] and at["isInMain"]:
            last, first = before["boxes"][-1], at["boxes"][0]
            is_on = first["bottom"] > last["top"] or first["left"] >= last["right"]
            assert is_on, f"On {page.url}, the focus goes back up to {stop}"
        before = at


async def tab_to(page: Page, target: Locator, *, key: str = "Tab") -> None:
    """Go to something with the Tab key; on the way the focus is always seen."""
    handle = await target.element_handle()
    where = await page.evaluate(WHERE, handle)
    for _ in range(STOPS_MAX):
        if where is not None and where["isAtTarget"]:
            return
        await page.keyboard.press(key)
        where = await page.evaluate(WHERE, handle)
        if where is not None:
            assert where["isSeen"], f"The focus is not seen at {where['told']}"
    raise AssertionError(f"{STOPS_MAX} stops of the Tab key, and none was {target}")


async def tab_and_enter(page: Page, target: Locator) -> None:
    """Go to a link or button with the Tab key, and press it."""
    await tab_to(page, target)
    await page.keyboard.press("Enter")
