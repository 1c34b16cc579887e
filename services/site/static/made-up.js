// Reads a round that somebody makes up in a calculator, and works out what it moves.

import { rate } from "./formula.js";

/** @typedef {import("./formula.js").GameType} GameType */
/**
 * @typedef {object} MadeUp
 * @property {(number | null)[][]} numbers What each field holds, null where it is no number.
 * @property {boolean} isWrong
 * @property {boolean} isRated
 * @property {({ change: number, after: number } | null)[]} moves In centi; null for who is left out.
 */

const MINUS = "\u2212";

// What each field may hold, in the order in which they stand, and how many decimals count. The
// shapes are those of the calculator that the server works out (embeds/made_up.py).
export const FIELDS = [
  { name: "rating", places: 2, shape: /^-?\d{1,5}(?:\.\d{1,2})?$/ },
  { name: "games", places: 0, shape: /^\d{1,7}$/ },
  { name: "won", places: 0, shape: /^\d{1,3}$/ },
  { name: "points", places: 2, shape: /^-?\d{1,7}(?:\.\d{1,2})?$/ },
];

/**
 * Return what a round comes to. Who has no rating is left out.
 * @param {string[][]} typed For each player the texts of the fields.
 * @param {GameType} gameType
 * @returns {MadeUp}
 */
export function workOut(typed, gameType) {
  const numbers = typed.map((texts) => numbersOf(texts, gameType));
  const isWrong = numbers.flat().includes(null);
  const present = typed.flatMap(([rating = ""], place) => (rating.trim() ? [place] : []));
  const isRated = !isWrong && present.length >= 2;
  const seats = isRated ? present.map((place) => seatOf(numbers[place] ?? [])) : [];
  const changes = isRated ? rate(seats, gameType) : [];
  const moves = typed.map((_texts, place) => {
    const at = present.indexOf(place);
    const [change, seat] = [changes[at], seats[at]];
    return change === undefined || !seat ? null : { change, after: seat.ratingCenti + change };
  });
  return { numbers, isWrong, isRated, moves };
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

/**
 * @param {string[]} texts
 * @param {GameType} gameType
 */
function numbersOf(texts, gameType) {
  const isLeftOut = !texts[0]?.trim();
  return FIELDS.map((field, at) => {
    const isIgnored = isLeftOut || (field.name === "points" && gameType === "social");
    return isIgnored ? 0 : wholeOf(texts[at] || "0", field);
  });
}

/**
 * Return a decimal number in units of its last place, or null if it is none.
 * @param {string} text
 * @param {{ places: number, shape: RegExp }} allowed
 * @returns {number | null}
 */
function wholeOf(text, { places, shape }) {
  const plain = text.trim().replace(MINUS, "-").replace(/^\+/, "");
  if (!shape.test(plain)) {
    return null;
  }
  const [units = "", decimals = ""] = plain.split(".");
  return Number(units + decimals.padEnd(places, "0")) + 0; // No player has minus zero.
}

/** @param {(number | null)[]} numbers */
function seatOf(numbers) {
  const [ratingCenti = 0, games = 0, mahjongs = 0, pointsCenti = 0] = numbers.map(
    (each) => each ?? 0,
  );
  return { ratingCenti, games, mahjongs, pointsCenti };
}
