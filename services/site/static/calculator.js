// Works out a round that somebody makes up, by the formula of the package for other people's
// JavaScript. The words are all on the page already: what is not so, or not said yet, is hidden.

import { decimalOf, FIELDS, workOut } from "./made-up.js";

/** @typedef {import("./formula.js").GameType} GameType */

const PLACES = [0, 1, 2, 3];

/** @param {HTMLFormElement} form */
function start(form) {
  const work = () => show(form);
  form.addEventListener("change", work);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    work();
  });
  part("calculator-off").hidden = true;
  form.hidden = false;
  work();
}

/** @param {HTMLFormElement} form */
function show(form) {
  const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("game-type"));
  const gameType = /** @type {GameType} */ (choice.value);
  const fields = PLACES.map((place) => FIELDS.map(({ name }) => fieldOf(form, name, place)));
  const typed = fields.map((ofPlayer) => ofPlayer.map((field) => field.value));
  const { numbers, isWrong, isRated, moves } = workOut(typed, gameType);
  fields.forEach((ofPlayer, place) => {
    ofPlayer.forEach((field, at) => {
      mark(field, numbers[place]?.[at] === null);
    });
  });
  for (const each of form.querySelectorAll("[data-points]")) {
    /** @type {HTMLElement} */ (each).hidden = gameType === "social";
  }
  part("calculator-wrong").hidden = !isWrong;
  part("calculator-few").hidden = isWrong || isRated;
  part("calculator-moves").hidden = !isRated;
  moves.forEach((move, place) => {
    const row = part(`moved-${place}`);
    const shown = move ? [decimalOf(move.change, true), decimalOf(move.after, false)] : [];
    row.hidden = !move;
    row.querySelectorAll("td").forEach((cell, column) => {
      cell.textContent = shown[column] ?? "";
    });
  });
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {number} place
 */
function fieldOf(form, name, place) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(`${name}-${place}`));
}

/**
 * @param {HTMLInputElement} field
 * @param {boolean} isWrong
 */
function mark(field, isWrong) {
  part(`${field.id}-wrong`).hidden = !isWrong;
  if (isWrong) {
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", `${field.id}-wrong`);
  } else {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

start(/** @type {HTMLFormElement} */ (part("calculator-form")));
