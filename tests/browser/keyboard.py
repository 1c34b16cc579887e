"""Somebody who uses nothing but the keyboard, and sees at every step where they are."""

from typing import Final

from playwright.async_api import Locator, Page

STOPS_MAX: Final = 150
WHERE: Final = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return {
    told: element.outerHTML.slice(0, 160),
    isSeen: (isOutlined || style.boxShadow !== "none") && box.width > 1 && box.height > 1 &&
      box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
}"""


async def tab_to(page: Page, target: Locator, *, key: str = "Tab") -> None:
    """Go to something with the Tab key; on the way the focus is always seen."""
    for _ in range(STOPS_MAX):
        if await target.evaluate("(element) => element === document.activeElement"):
            return
        await page.keyboard.press(key)
        where = await page.evaluate(WHERE)
        if where is not None:
            assert where["isSeen"], f"The focus is not seen at {where['told']}"
    raise AssertionError(f"{STOPS_MAX} stops of the Tab key, and none was {target}")


async def tab_and_enter(page: Page, target: Locator) -> None:
    """Go to a link or button with the Tab key, and press it."""
    await tab_to(page, target)
    await page.keyboard.press("Enter")
