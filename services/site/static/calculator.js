// Works out a round that somebody makes up, by the formula of the package for other people's
// JavaScript. The words are all on the page already: what is not so, or not said yet, is hidden.

import { rate } from "./formula.js";

/** @typedef {import("./formula.js").Seat} Seat */
/** @typedef {import("./formula.js").GameType} GameType */
/** @typedef {{ place: number, seat: Seat | null }} Filled A seat that is null has a mistake. */

const MINUS = "\u2212";

// What each field may hold, in the order in which they stand, and how many decimals count.
const FIELDS = [
  { name: "rating", places: 2, shape: /^-?\d{1,5}(?:\.\d{1,2})?$/ },
  { name: "games", places: 0, shape: /^\d{1,7}$/ },
  { name: "won", places: 0, shape: /^\d{1,3}$/ },
  { name: "points", places: 2, shape: /^-?\d{1,7}(?:\.\d{1,2})?$/ },
];

/**
 * Return a decimal number in units of its last place, or null if it is none.
 * @param {string} text
 * @param {{ places: number, shape: RegExp }} allowed
 * @returns {number | null}
 */
export function wholeOf(text, { places, shape }) {
  const plain = text.trim().replace(MINUS, "-").replace(/^\+/, "");
  if (!shape.test(plain)) {
    return null;
  }
  const [units = "", decimals = ""] = plain.split(".");
  return Number(units + decimals.padEnd(places, "0")) + 0; // No player has minus zero.
}

/**
 * Return hundredths as the site writes them.
 * @param {number} centi
 * @param {boolean} isSigned
 */
export function decimalOf(centi, isSigned) {
  const digits = String(Math.abs(centi)).padStart(3, "0");
  const sign = centi < 0 ? MINUS : isSigned && centi > 0 ? "+" : "";
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** @param {HTMLFormElement} form */
function start(form) {
  const work = () =>
    show(
      form,
      [0, 1, 2, 3].flatMap((place) => seatAt(form, place)),
    );
  form.addEventListener("change", work);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    work();
  });
  part("calculator-off").hidden = true;
  form.hidden = false;
  work();
}

/**
 * Return the seat of a player and mark the fields that are wrong; nothing if no rating is given.
 * @param {HTMLFormElement} form
 * @param {number} place
 * @returns {Filled[]}
 */
function seatAt(form, place) {
  const isLeftOut = fieldOf(form, "rating", place).value.trim() === "";
  const [ratingCenti, games, mahjongs, pointsCenti] = FIELDS.map((allowed) => {
    const field = fieldOf(form, allowed.name, place);
    const isIgnored = isLeftOut || (allowed.name === "points" && gameTypeOf(form) === "social");
    const whole = isIgnored ? 0 : wholeOf(field.value || "0", allowed);
    mark(field, whole === null);
    return whole;
  });
  if (isLeftOut) {
    return [];
  }
  const isWrong = ratingCenti == null || games == null || mahjongs == null || pointsCenti == null;
  return [{ place, seat: isWrong ? null : { ratingCenti, games, mahjongs, pointsCenti } }];
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {number} place
 */
function fieldOf(form, name, place) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(`${name}-${place}`));
}

/** @param {HTMLFormElement} form */
function gameTypeOf(form) {
  const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("game-type"));
  return /** @type {GameType} */ (choice.value);
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

/**
 * @param {HTMLFormElement} form
 * @param {Filled[]} filled
 */
function show(form, filled) {
  const gameType = gameTypeOf(form);
  for (const each of form.querySelectorAll("[data-points]")) {
    /** @type {HTMLElement} */ (each).hidden = gameType === "social";
  }
  const seats = filled.flatMap(({ seat }) => seat ?? []);
  const isWrong = seats.length < filled.length;
  const isRated = !isWrong && seats.length >= 2;
  part("calculator-wrong").hidden = !isWrong;
  part("calculator-few").hidden = isWrong || isRated;
  part("calculator-moves").hidden = !isRated;
  if (!isRated) {
    return;
  }
  const changes = rate(seats, gameType);
  for (const row of part("calculator-moves").querySelectorAll("tbody tr")) {
    const at = filled.findIndex(({ place }) => row.id === `moved-${place}`);
    const change = changes[at] ?? 0;
    const numbers = [
      decimalOf(change, true),
      decimalOf((seats[at]?.ratingCenti ?? 0) + change, false),
    ];
    /** @type {HTMLElement} */ (row).hidden = at < 0;
    row.querySelectorAll("td").forEach((cell, column) => {
      cell.textContent = numbers[column] ?? "";
    });
  }
}

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

if (globalThis.document) {
  start(/** @type {HTMLFormElement} */ (document.getElementById("calculator-form")));
}
