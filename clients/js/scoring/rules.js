/** What the rule books share: the four seats, refusals with their codes, and exact sums. */

export const SEATS = 4;
const QUOTED_MAX = 40;

/** A game, hand or round that the rule book does not allow: `code` names the rule. */
export class AgainstTheRules extends Error {
  name = "AgainstTheRules";

  /**
   * @param {string} code As Mahjic lists them under "Mistakes in scores".
   * @param {string} message What is wrong, and what to do.
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Refuse seats that are not at the table.
 * @param {string} role
 * @param {number} seat
 */
export function checkSeat(role, seat) {
  if (!isSeat(seat)) {
    throw new AgainstTheRules(
      "unknown_player",
      `The ${role} sits in seat ${seat}; the seats are 0 to ${SEATS - 1}.`,
    );
  }
}

/** @param {number} seat */
export function isSeat(seat) {
  return Number.isInteger(seat) && seat >= 0 && seat < SEATS;
}

/**
 * Return what each seat gets, 0 for those that are not told.
 * @param {ReadonlyMap<number, number>} points
 * @returns {number[]}
 */
export function bySeat(points) {
  return Array.from({ length: SEATS }, (_, seat) => points.get(seat) ?? 0);
}

/**
 * Return the seats of those who did not win.
 * @param {number} winner
 */
export function othersThan(winner) {
  return [0, 1, 2, 3].filter((seat) => seat !== winner);
}

/**
 * Return a word as a message quotes it; only the beginning of a very long one.
 * @param {string} word
 */
export function short(word) {
  const characters = [...word];
  return characters.length <= QUOTED_MAX ? word : `${characters.slice(0, QUOTED_MAX).join("")}...`;
}

/** A number of points, or a text with its decimals: `"-0.5"`. @typedef {number | string} Points */

/**
 * Return the exact sum of points, as a text.
 * @param {Iterable<Points>} points
 * @returns {string}
 * @throws {RangeError} if one of them is no decimal number.
 */
export function sumOfPoints(points) {
  let units = 0n;
  let places = 0;
  for (const each of points) {
    const [, sign, whole, decimals = ""] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(String(each)) ?? [];
    if (whole === undefined) {
      throw new RangeError(`${each} is no number of points. Give one such as 8, "8" or "-0.5".`);
    }
    const more = Math.max(places, decimals.length);
    const own = BigInt(whole + decimals) * 10n ** BigInt(more - decimals.length);
    units = units * 10n ** BigInt(more - places) + (sign ? -own : own);
    places = more;
  }
  return decimal(units, places);
}

/**
 * Return a number of units as a decimal text, without zeros at its end.
 * @param {bigint} units
 * @param {number} places How many decimals a unit has.
 */
export function decimal(units, places) {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const decimals = digits.slice(digits.length - places).replace(/0+$/, "");
  return (units < 0n ? "-" : "") + whole + (decimals ? `.${decimals}` : "");
}
