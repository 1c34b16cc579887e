/** The Hong Kong rules: what each player gets out of one game, exactly. */

import { AgainstTheRules, checkSeat, decimal, SEATS } from "./rules.js";

/**
 * What a table has agreed on.
 * @typedef {object} HouseRules
 * @property {string} base Base points, a decimal with at most 12 digits on either side: `"0.5"`.
 * @property {number} maximumFaan 0 to 100.
 * @property {"half" | "full"} responsibility
 * @property {"half" | "spicy"} spiciness
 */

/**
 * A game: no one wins, someone claims a win and has none, the winner draws the last tile (a
 * guarantor, if there is one, pays for the others), or takes what seat `by` discards.
 * @typedef {{ kind: "draw" }} Draw
 * @typedef {{ kind: "false_win", by: number }} FalseWin
 * @typedef {{ kind: "self_draw", winner: number, faan: number, guarantor?: number }} SelfDraw
 * @typedef {{
 *   kind: "discard", winner: number, faan: number, by: number, isGuaranteed?: boolean
 * }} Discard
 * @typedef {Draw | FalseWin | SelfDraw | Discard} HongKongResult
 */

const KINDS = ["draw", "false_win", "self_draw", "discard"];
const SPICE_BEGINS_FAAN = 4;
const FAAN_MAX = 100;

/** @type {Readonly<HouseRules>} */
export const HOUSE_RULES = Object.freeze({
  base: "1",
  maximumFaan: 13,
  responsibility: "full",
  spiciness: "half",
});

/**
 * Return what each seat gets, as exact decimals: `["16", "-4", "-4", "-8"]`. The four sum to zero.
 * @param {HongKongResult} result Seats are 0 to 3.
 * @param {Readonly<Partial<HouseRules>>} [rules] Those of HOUSE_RULES that are left out hold.
 * @returns {string[]}
 * @throws {AgainstTheRules}
 * @throws {RangeError} for rules of the house that there are none of.
 */
export function settleHongKong(result, rules = {}) {
  const house = { ...HOUSE_RULES, ...rules };
  const base = readBase(house);
  checkResult(result, house);
  const faan = "faan" in result ? result.faan : house.maximumFaan;
  const portion = base.units * multiplier(faan, house.spiciness);
  return halfPortions(result, house).map((halves) =>
    // Half a portion may need one more decimal than the base has.
    decimal(BigInt(halves) * portion * 5n, base.places + 1),
  );
}

/**
 * Return how many half portions each seat gets.
 * @param {HongKongResult} result
 * @param {HouseRules} house
 * @returns {number[]}
 */
function halfPortions(result, house) {
  const seats = Array.from({ length: SEATS }, (_, seat) => seat);
  switch (result.kind) {
    case "draw":
      return seats.map(() => 0);
    case "false_win":
      return seats.map((seat) => (seat === result.by ? -18 : 6));
    case "self_draw": {
      const { winner, guarantor } = result;
      if (guarantor !== undefined) return paidByOne(winner, guarantor, 6);
      return seats.map((seat) => (seat === winner ? 6 : -2));
    }
    case "discard": {
      const { winner, by, isGuaranteed = false } = result;
      if (house.responsibility === "full" || isGuaranteed) return paidByOne(winner, by, 4);
      return seats.map((seat) => (seat === winner ? 4 : seat === by ? -2 : -1));
    }
  }
}

/**
 * @param {number} winner
 * @param {number} payer
 * @param {number} halves
 */
function paidByOne(winner, payer, halves) {
  return [0, 1, 2, 3].map((seat) => (seat === winner ? halves : seat === payer ? -halves : 0));
}

/**
 * Return by how much the base points rise: it doubles with each faan. Half-spicy it does so with
 * every second one above 4, and the odd ones between have the mean of their neighbors.
 * @param {number} faan
 * @param {"half" | "spicy"} spiciness
 */
function multiplier(faan, spiciness) {
  if (spiciness === "spicy" || faan <= SPICE_BEGINS_FAAN) return 1n << BigInt(faan);
  const pairs = Math.floor((faan - SPICE_BEGINS_FAAN) / 2);
  const below = 1n << BigInt(SPICE_BEGINS_FAAN + pairs);
  return (faan - SPICE_BEGINS_FAAN) % 2 ? (below * 3n) / 2n : below;
}

/** @param {HouseRules} house */
function readBase({ base, maximumFaan, responsibility, spiciness }) {
  const [, whole, decimals = ""] = /^([0-9]{1,12})(?:\.([0-9]{1,12}))?$/.exec(base) ?? [];
  if (whole === undefined) {
    throw new RangeError(`The base is ${base}. Give a text such as "0.5", "1" or "2".`);
  }
  if (!Number.isInteger(maximumFaan) || maximumFaan < 0 || maximumFaan > FAAN_MAX) {
    throw new RangeError(`The maximum faan is ${maximumFaan}. Give 0 to ${FAAN_MAX}.`);
  }
  if (responsibility !== "half" && responsibility !== "full") {
    throw new RangeError(`The responsibility is ${responsibility}. Give "half" or "full".`);
  }
  if (spiciness !== "half" && spiciness !== "spicy") {
    throw new RangeError(`The spiciness is ${spiciness}. Give "half" or "spicy".`);
  }
  return { units: BigInt(whole + decimals), places: decimals.length };
}

/**
 * @param {HongKongResult} result
 * @param {HouseRules} house
 */
function checkResult(result, house) {
  if (!KINDS.includes(result.kind)) {
    throw new RangeError(`The kind of game is ${result.kind}. Give one of ${KINDS.join(", ")}.`);
  }
  if (result.kind === "draw") return;
  if (result.kind === "false_win") {
    checkSeat("player who claims falsely", result.by);
    return;
  }
  checkSeat("winner", result.winner);
  if (!Number.isInteger(result.faan) || result.faan < 0) {
    throw new RangeError(`The faan are ${result.faan}. Give a whole number from 0.`);
  }
  if (result.faan > house.maximumFaan) {
    throw new AgainstTheRules(
      "faan_over_maximum",
      `A win of ${result.faan} faan is above the maximum (M=${house.maximumFaan}).`,
    );
  }
  checkBlamed(result);
}

/** @param {SelfDraw | Discard} result */
function checkBlamed(result) {
  const [role, seat] =
    result.kind === "discard" ? ["discarder", result.by] : ["guarantor", result.guarantor];
  if (seat === undefined) return;
  checkSeat(role, seat);
  if (seat === result.winner) {
    throw new AgainstTheRules(
      "winner_as_discarder",
      `The winner is also the ${role}; no one pays for their own win.`,
    );
  }
}
