"""Looks whether a page fits: narrow screens, large text, targets that a thumb hits."""

from typing import Final

from playwright.async_api import Page

from tests.browser.visitors import PHONE, Device, Visitor

NARROW: Final = Device("narrow phone", 320, 800, is_phone=True)
# A desk at 200 %: the browser gives the page half of the pixels.
ZOOMED: Final = Device("zoomed desktop", 640, 450)
TARGET_PX_MIN: Final = 44
BASE_TEXT_PX_MIN: Final = 18
# Notes beside numbers may be smaller than the text, but stay readable.
ANY_TEXT_PX_MIN: Final = 14
GROWN_MIN: Final = 1.95

# What hangs out of the page, and text that hangs out of its box or is cut off by one around it.
# What is there for screen readers alone, or scrolls in a region of its own that keys reach, is as
# it is meant to be.
OVERFLOWING: Final = """() => {
  const found = [];
  const told = (element) => {
    const text = element.textContent.trim().replace(/\\s+/g, " ").slice(0, 60);
    return `<${element.localName} class="${element.getAttribute("class") ?? ""}"> "${text}"`;
  };
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    found.push(`the page is ${root.scrollWidth} px wide in ${root.clientWidth} px`);
    const isOut = (element) =>
      element.getBoundingClientRect().right > root.clientWidth + 1 && element.checkVisibility() &&
      !element.parentElement.closest(".scroll, pre");
    const out = [...document.body.querySelectorAll("*")].filter(isOut);
    const inmost = out.filter((each) => ![...each.children].some(isOut));
    found.push(...inmost.slice(0, 5).map((each) => `hangs out: ${told(each)}`));
  }
  const isUnseen = (element) => {
    const box = element.getBoundingClientRect();
    return !element.checkVisibility() || box.width <= 1 || box.height <= 1;
  };
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.trim() || text.parentElement.closest("svg, math, script, style")) continue;
    range.selectNodeContents(text);
    const edges = [...range.getClientRects()];
    const left = Math.min(...edges.map((each) => each.left));
    const right = Math.max(...edges.map((each) => each.right));
    let isItsBox = true;
    for (let box = text.parentElement; box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.display === "inline" || style.display === "contents") continue;
      if (isUnseen(box)) break;
      const edge = box.getBoundingClientRect();
      const isOut = right > edge.right + 1 || left < edge.left - 1;
      if (["auto", "scroll"].includes(style.overflowX)) break;
      if (isOut && (isItsBox || ["hidden", "clip"].includes(style.overflowX))) {
        const px = (number) => Math.round(number);
        found.push(`text to ${px(right)} px in a box to ${px(edge.right)} px: ${told(box)}`);
        break;
      }
      isItsBox = false;
    }
  }
  for (const region of document.body.querySelectorAll("*")) {
    if (!["auto", "scroll"].includes(getComputedStyle(region).overflowX)) continue;
    if (region.matches("input, select, textarea") || region.tabIndex >= 0) continue;
    if (region.scrollWidth > region.clientWidth) {
      found.push(`scrolls, and no key reaches it: ${told(region)}`);
    }
  }
  return found;
}"""

# Short words that are cut in two. An id or a long name may be, where there is no other way.
BROKEN: Final = """(most) => {
  const found = [];
  const range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.trim() || text.parentElement.closest("svg, math, pre, code")) continue;
    if (!text.parentElement.checkVisibility()) continue;
    for (const word of text.data.matchAll(/\\S+/g)) {
      if (word[0].length > most || !/^\\p{L}+$/u.test(word[0])) continue;
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = [...range.getClientRects()].filter((each) => each.width > 0.5);
      if (Math.max(...lines.map((each) => each.top)) > lines[0]?.bottom - 1) {
        found.push(`"${word[0]}" is cut in two: "${text.parentElement.textContent.trim()}"`);
      }
    }
  }
  return found;
}"""
SHORT_WORD: Final = 7

# Where a finger hits is asked of the page itself: a link may cover more than its own letters.
SMALL_TARGETS: Final = """(least) => {
  const found = [];
  const hits = (target, x, y) => {
    const hit = document.elementFromPoint(x, y);
    const label = hit && hit.closest("label");
    return hit && (target.contains(hit) || (label && label.control === target));
  };
  const isInText = (target) => {
    if (target.localName !== "a" || getComputedStyle(target).display !== "inline") return false;
    const around = target.parentElement.closest("p, li, dt, dd, td, th, figcaption, caption");
    const own = target.textContent.trim().length;
    return around !== null && around.textContent.trim().length > own + 3;
  };
  const targets = "a[href], button, input:not([type=hidden]), select, textarea, summary, " +
    "[role=button], [role=link]";
  for (const target of document.body.querySelectorAll(targets)) {
    if (target.closest("svg") || !target.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(target);
    target.scrollIntoView({ block: "center", inline: "nearest" });
    // A box to check is hit by its whole line.
    const box = (target.closest("label") ?? target).getBoundingClientRect();
    if (box.right <= 0 || box.width <= 1) continue; // A link to skip, until it has the focus.
    const half = least / 2 - 1;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const isHit = ([x, y]) => hits(target, x, y);
    const isHigh = box.height > least - 0.5 || [[x, y - half], [x, y + half]].every(isHit);
    const isWide = box.width > least - 0.5 || [[x - half, y], [x + half, y]].every(isHit);
    if ((isHigh && isWide) || isInText(target)) continue;
    const name = target.textContent.trim() || target.getAttribute("aria-label") || target.name;
    const size = `${Math.round(box.width)} x ${Math.round(box.height)} px`;
    found.push(`${size}: <${target.localName}> ${name}`);
  }
  scrollTo(0, 0);
  return found;
}"""

# What opens looks like words, unless there is an arrow before it: the browser's or one of ours.
UNMARKED: Final = """() => [...document.querySelectorAll("summary")]
  .filter((each) => each.checkVisibility() && getComputedStyle(each).display !== "list-item")
  .filter((each) => !(parseFloat(getComputedStyle(each, "::before").width) > 4))
  .map((each) => each.textContent.trim())"""

SMALL_TEXT: Final = """([base, any]) => {
  const found = [];
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  if (size(document.body) < base) found.push(`the base text is ${size(document.body)} px`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("svg, math, script, style, template")) continue;
    if (element.matches("p, li, dd, input, label") && size(element) < base * 0.85) {
      found.push(`${size(element)} px: ${texts.currentNode.data.trim().slice(0, 60)}`);
    } else if (size(element) < any) {
      found.push(`${size(element)} px: ${texts.currentNode.data.trim().slice(0, 60)}`);
    }
  }
  return found;
}"""

DOUBLE_TEXT: Final = """() => {
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  const root = document.documentElement;
  const before = size(document.body);
  root.style.fontSize = `${2 * size(root)}px`;
  return size(document.body) / before;
}"""
SINGLE_TEXT: Final = """() => { document.documentElement.style.fontSize = ""; }"""


async def check_fits(visitor: Visitor) -> None:
    """Fail if a page breaks at 320 px or at twice the text size, or has what is too small."""
    page = visitor.page
    found = [
        f"too small a target, {each}" for each in await page.evaluate(SMALL_TARGETS, TARGET_PX_MIN)
    ]
    sizes = [BASE_TEXT_PX_MIN, ANY_TEXT_PX_MIN]
    found += [f"too small a text, {each}" for each in await page.evaluate(SMALL_TEXT, sizes)]
    found += [f"opens, and nothing shows it: {each}" for each in await page.evaluate(UNMARKED)]
    for device in (visitor.device, NARROW, ZOOMED):
        found += await _overflowing(page, device)
        found += await page.evaluate(BROKEN, SHORT_WORD)
    await page.set_viewport_size(PHONE.viewport)
    grown = await page.evaluate(DOUBLE_TEXT)
    if grown < GROWN_MIN:
        found.append(f"text grows {grown} times when a reader asks for twice")
    found += [f"at twice the size, {each}" for each in await _overflowing(page, PHONE)]
    await page.evaluate(SINGLE_TEXT)
    await page.set_viewport_size(visitor.device.viewport)
    assert not found, f"{page.url}\n" + "\n".join(dict.fromkeys(found))


async def _overflowing(page: Page, device: Device) -> list[str]:
    await page.set_viewport_size(device.viewport)
    return [f"at {device.width} px, {each}" for each in await page.evaluate(OVERFLOWING)]
