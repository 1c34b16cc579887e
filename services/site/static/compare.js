// Works out again what to expect of two players, by the formula of the package for other people's
// JavaScript. The page says it without this, rounded.

import { expectedNano } from "./formula.js";

/**
 * Return billionths as a number with all its digits.
 * @param {number} nano
 */
export function shareOf(nano) {
  const digits = String(nano).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

if (globalThis.document) {
  for (const place of document.querySelectorAll("[data-lead-centi]")) {
    const { leadCenti } = /** @type {HTMLElement} */ (place).dataset;
    place.textContent = shareOf(expectedNano(Number(leadCenti)));
  }
  /** @type {HTMLElement} */ (document.getElementById("expected-exact")).hidden = false;
}
