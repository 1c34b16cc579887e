/** What a game at a table brings each person under the rule book of the night, in hundredths. */

import { settleAmerican } from "./american.js";
import { settleBanker } from "./banker.js";
import { settleHongKong } from "./hong-kong.js";
import { AgainstTheRules } from "./rules.js";

/**
 * The rule book as it is kept with a night: its name, and what a club has set.
 * @typedef {{ name: string, [setting: string]: string | number }} Book
 * @typedef {{ winner: number | null, [said: string]: any }} GameContent
 *
 * What a game comes to: who won, and each seat's points, if the book has any. Two entries that come
 * to the same are equal in what counts.
 * @typedef {{ winner: number | null, pointsCenti: readonly number[] | null }} GameOutcome
 */

const CENTI = 100;
const SEATS = 4;
const BASE_PLACES = 2;

/** What an entry says can't be counted: it doesn't fit the seats or the rule book. */
export class NotCounted extends Error {
  name = "NotCounted";
}

/** @param {Book} book */
export function hasPoints(book) {
  return book.name !== "who";
}

/**
 * Return what a game comes to for the people who sit there, in the order of the seats.
 * @param {GameContent} content
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {GameOutcome}
 * @throws {NotCounted} with what to do.
 */
export function outcomeOf(content, book, people) {
  const { winner } = content;
  if (winner !== null) seatOf(people, winner);
  if (book.name === "who") return { winner, pointsCenti: null };
  if (book.name === "points") return { winner, pointsCenti: typedPoints(content, people) };
  if (people.length !== SEATS) {
    throw new NotCounted("This rule book is for four people. Enter the points, or just who won.");
  }
  try {
    const points = settled(content, book, people);
    return { winner, pointsCenti: points.map(centiOf) };
  } catch (fault) {
    if (fault instanceof AgainstTheRules) throw new NotCounted(fault.message);
    throw fault;
  }
}

/**
 * Return points in hundredths; nothing lost is 0, and not -0.
 * @param {number | string} points
 */
function centiOf(points) {
  return Math.round(Number(points) * CENTI) || 0;
}

/**
 * @param {GameContent} content
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {readonly (number | string)[]}
 */
function settled(content, book, people) {
  switch (book.name) {
    case "american":
      return settleAmerican(americanGame(content, people), americanRules(book));
    case "hong-kong":
      return settleHongKong(hongKongGame(content, book, people), houseRules(book));
    case "banker": {
      if (content.winner === null) return [0, 0, 0, 0];
      const by = content.by === undefined ? undefined : seatOf(people, content.by);
      return settleBanker({
        banker: seatOf(people, said(content, "banker", "who was banker")),
        winner: seatOf(people, content.winner),
        ...(by === undefined ? {} : { by }),
        isStandup: content.standup ?? false,
        isInBetween: content.in_between ?? false,
      });
    }
    default:
      throw new RangeError(`There is no rule book ${book.name}.`);
  }
}

/**
 * @param {GameContent} content
 * @param {readonly number[]} people
 * @returns {import("./american.js").AmericanGame}
 */
function americanGame(content, people) {
  /** @type {number[]} */
  const dead = (content.dead ?? []).map((/** @type {number} */ each) => seatOf(people, each));
  if (content.winner === null) return { kind: "wall", dead };
  const winner = seatOf(people, content.winner);
  const hand = {
    value: said(content, "value", "the value of the hand"),
    hasNoJokers: content.no_jokers ?? false,
    isSinglesAndPairs: content.singles ?? false,
    exposures: content.exposures ?? 0,
    hasQuint: content.quint ?? false,
  };
  if (content.by === undefined) return { kind: "self_picked", winner, hand, dead };
  const by = seatOf(people, content.by);
  return { kind: "discard", winner, hand, by, isMisnamed: content.misnamed ?? false, dead };
}

/**
 * @param {Book} book
 * @returns {import("./american.js").AmericanRules}
 */
function americanRules({ name: _, ...set }) {
  const rules = Object.fromEntries(Object.entries(set).map(([key, each]) => [camel(key), each]));
  return /** @type {any} */ (rules);
}

/** @param {string} name */
function camel(name) {
  return name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/**
 * @param {Book} book
 * @returns {import("./hong-kong.js").HouseRules}
 */
function houseRules(book) {
  const centi = String(book.base_centi ?? CENTI).padStart(BASE_PLACES + 1, "0");
  return {
    base: `${centi.slice(0, -BASE_PLACES)}.${centi.slice(-BASE_PLACES)}`,
    maximumFaan: faanMax(book),
    responsibility: book.responsibility === "half" ? "half" : "full",
    spiciness: book.spiciness === "spicy" ? "spicy" : "half",
  };
}

/** @param {Book} book */
function faanMax(book) {
  return Number(book.maximum_faan ?? 13);
}

/**
 * @param {GameContent} content
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {import("./hong-kong.js").HongKongResult}
 */
function hongKongGame(content, book, people) {
  const { false_win: falseWin, by, guarantor } = content;
  if (content.winner === null) {
    if (falseWin === undefined) return { kind: "draw" };
    return { kind: "false_win", by: seatOf(people, falseWin) };
  }
  if (falseWin !== undefined) {
    throw new NotCounted("Nobody wins a game that ends with a false win. Enter one or the other.");
  }
  const winner = seatOf(people, content.winner);
  const faan = said(content, "faan", "the faan");
  if (faan > faanMax(book)) {
    throw new NotCounted(`A win has at most ${faanMax(book)} faan here.`);
  }
  if (by === content.winner || guarantor === content.winner) {
    throw new NotCounted("The winner pays nobody. Say who else did.");
  }
  if (by === undefined) {
    const paysAll = guarantor === undefined ? {} : { guarantor: seatOf(people, guarantor) };
    return { kind: "self_draw", winner, faan, ...paysAll };
  }
  const isGuaranteed = content.guaranteed ?? false;
  return { kind: "discard", winner, faan, by: seatOf(people, by), isGuaranteed };
}

/**
 * @param {GameContent} content
 * @param {readonly number[]} people
 */
function typedPoints(content, people) {
  /** @type {Map<number, number>} */
  const points = new Map(content.points ?? []);
  if (points.size !== people.length || !people.every((person) => points.has(person))) {
    throw new NotCounted("Enter the points of everybody who sits there, and of nobody else.");
  }
  return people.map((person) => points.get(person) ?? 0);
}

/**
 * @param {readonly number[]} people
 * @param {number} person
 */
function seatOf(people, person) {
  const seat = people.indexOf(person);
  if (seat < 0) throw new NotCounted("Somebody is named who doesn't sit here in this round.");
  return seat;
}

/**
 * @param {GameContent} content
 * @param {string} name
 * @param {string} what
 * @returns {number}
 */
function said(content, name, what) {
  const number = content[name];
  if (number === undefined) {
    throw new NotCounted(`The entry doesn't say ${what}. Enter the game again.`);
  }
  return number;
}
