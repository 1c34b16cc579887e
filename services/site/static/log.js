// Checks a player in the reader's own browser. The words are all on the page already: what is not
// so, or not said yet, is hidden.

import { checkPlayer } from "./checking.js";
import { isMahjicId, readMahjicId } from "./ids.js";

const RESULTS = ["running", "holds", "wrong", "failed", "old"];

/** @param {HTMLFormElement} form */
function start(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check(form);
  });
  part("check-off").hidden = true;
  form.hidden = false;
}

/** @param {HTMLFormElement} form */
async function check(form) {
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("player"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  const isTyped = isMahjicId(field.value);
  mark(field, !isTyped);
  show("");
  if (!isTyped) {
    field.focus();
    return;
  }
  button.disabled = true;
  show("running");
  try {
    tell(await checkPlayer(readMahjicId(field.value), { url: location.origin, onProgress: count }));
  } catch (error) {
    const isOld = error instanceof DOMException && error.name === "NotSupportedError";
    show(isOld ? "old" : "failed");
  } finally {
    button.disabled = false;
  }
}

/** @param {import("./checking.js").Checked} checked */
function tell({ playerId, holds, wrong, changes, recordsShown, recordsWithheld }) {
  const told = part("check-holds");
  fill(told, "player", playerId);
  fill(told, "changes", changes);
  fill(told, "shown", recordsShown);
  fill(told, "withheld", recordsWithheld);
  const items = wrong.map(({ where, what }) => {
    const item = document.createElement("li");
    item.textContent = `${where}: ${what}`;
    return item;
  });
  part("check-wrong")
    .querySelector("ul")
    ?.replaceChildren(...items);
  show(holds ? "holds" : "wrong");
}

/** @param {number} changes */
function count(changes) {
  fill(part("check-running"), "count", changes);
}

/**
 * @param {HTMLElement} within
 * @param {string} name
 * @param {number | string} told
 */
function fill(within, name, told) {
  const place = within.querySelector(`[data-${name}]`);
  if (place) place.textContent = told.toLocaleString("en-US");
}

/** @param {string} result */
function show(result) {
  for (const each of RESULTS) part(`check-${each}`).hidden = each !== result;
}

/**
 * @param {HTMLInputElement} field
 * @param {boolean} isWrong
 */
function mark(field, isWrong) {
  part("check-mistyped").hidden = !isWrong;
  if (isWrong) {
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", "check-mistyped");
  } else {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

start(/** @type {HTMLFormElement} */ (part("check-form")));
