/**
 * How a round of Wright-Patterson moves points, pots and the dealership, until the game is over.
 *
 * Four players put the same into the pots each time, so that they can always be split evenly, and
 * all points are whole numbers.
 */

import { AgainstTheRules, bySeat, othersThan, SEATS } from "../rules.js";
import { checkRound, checkWorth, TRIPLE_LIMIT } from "./checks.js";
import { valueOfHand } from "./value.js";

/** @typedef {import("./checks.js").PlayedRound} PlayedRound */
/** @typedef {import("./checks.js").Win} Win */

/**
 * The state of a game: points by seat, what is in the pots, who is East, passes so far.
 * @typedef {object} Table
 * @property {readonly number[]} points
 * @property {number} flowerPot
 * @property {number} wallPot
 * @property {number} east
 * @property {number} passes
 * @property {boolean} isOver
 */

const START_POINTS = 10_000;
const STAKE = 50; // What each player puts into a pot.
const BOUQUET = 500; // What each other player pays for one.
const LIMIT = 500; // Of a payment for a difference, doubled where East pays or is paid.
const PASSES = 8; // The game ends after the dealership has passed eight times.

/**
 * Return the table of a new game; seat 0 is East.
 * @returns {Table}
 */
export function newGame() {
  return {
    points: Array.from({ length: SEATS }, () => START_POINTS),
    flowerPot: 0,
    wallPot: 0,
    east: 0,
    passes: 0,
    isOver: false,
  };
}

/**
 * Return the state of the game after a round; points and pots sum to 40,000.
 * @param {Table} table
 * @param {PlayedRound} played
 * @returns {Table}
 * @throws {AgainstTheRules} when the round cannot have been, or the game is over.
 */
export function play(table, played) {
  checkWorth(played);
  checkTable(table, played);
  checkRound(played);
  let now = putInFlowers(table, played);
  for (const [seat] of played.bouquets ?? []) {
    now = moved(now, paid(othersThan(seat).map((other) => [other, seat, BOUQUET])));
  }
  if (played.win === null) {
    return { ...moved(now, [-STAKE, -STAKE, -STAKE, -STAKE]), wallPot: now.wallPot + 4 * STAKE };
  }
  now = moved(now, winPayments(played.win, now.east));
  now = moved(now, differencePayments(scoresOf(now, played), now.east));
  // The Wall Pot goes to the next player who declares Mah Jongg.
  now = { ...moved(now, bySeat(new Map([[played.win.by, now.wallPot]]))), wallPot: 0 };
  return passDealership(now, played.win.by);
}

/**
 * Return the state of a game that ends here: what is left in the pots is split evenly.
 * @param {Table} table
 * @returns {Table}
 */
export function endGame(table) {
  const part = (table.flowerPot + table.wallPot) / SEATS;
  return { ...moved(table, [part, part, part, part]), flowerPot: 0, wallPot: 0, isOver: true };
}

/**
 * Return the score of each hand that did not win, by seat; it is not doubled for East.
 * @param {Table} table
 * @param {PlayedRound} played
 * @returns {Map<number, number>}
 */
export function scoresOf(table, played) {
  return new Map(
    (played.hands ?? []).map(([seat, hand]) => {
      const wind = ((seat - table.east + SEATS) % SEATS) + 1;
      return [seat, valueOfHand(hand, wind, played.prevailing).score];
    }),
  );
}

/**
 * @param {Win} win
 * @param {number} east
 */
function winPayments(win, east) {
  const worth = typeof win.worth === "number" ? win.worth : TRIPLE_LIMIT;
  return paid(
    othersThan(win.by).map((loser) => [loser, win.by, worth * times(loser, win.by, east)]),
  );
}

/**
 * Return what each player pays each higher-scoring player, within the limits.
 * @param {ReadonlyMap<number, number>} scores
 * @param {number} east
 */
function differencePayments(scores, east) {
  const seats = [...scores];
  return paid(
    seats.flatMap(([payer, lower]) =>
      seats
        .filter(([, higher]) => higher > lower)
        .map(([payee, higher]) => {
          const difference = Math.min(higher - lower, LIMIT);
          return /** @type {[number, number, number]} */ ([
            payer,
            payee,
            difference * times(payer, payee, east),
          ]);
        }),
    ),
  );
}

/**
 * Return 2 where East takes part, who always pays and receives double, limits too.
 * @param {number} payer
 * @param {number} payee
 * @param {number} east
 */
function times(payer, payee, east) {
  return east === payer || east === payee ? 2 : 1;
}

/**
 * @param {Table} table
 * @param {PlayedRound} played
 * @returns {Table}
 */
function putInFlowers(table, played) {
  let now = table;
  if (played.areFlowersDeclared === false) {
    const stakes = [-STAKE, -STAKE, -STAKE, -STAKE];
    now = { ...moved(now, stakes), flowerPot: now.flowerPot + 4 * STAKE };
  }
  const first = played.firstFlower ?? null;
  if (first === null) return now;
  return { ...moved(now, bySeat(new Map([[first, now.flowerPot]]))), flowerPot: 0 };
}

/**
 * Pass the dealership only if someone other than East wins; the eighth pass ends the game.
 * @param {Table} table
 * @param {number} winner
 * @returns {Table}
 */
function passDealership(table, winner) {
  if (winner === table.east) return table;
  const passed = { ...table, east: (table.east + 1) % SEATS, passes: table.passes + 1 };
  return passed.passes === PASSES ? endGame(passed) : passed;
}

/**
 * Return what payments (payer, payee, points) make together.
 * @param {readonly [number, number, number][]} payments
 */
function paid(payments) {
  /** @type {Map<number, number>} */
  const changes = new Map();
  for (const [payer, payee, points] of payments) {
    changes.set(payer, (changes.get(payer) ?? 0) - points);
    changes.set(payee, (changes.get(payee) ?? 0) + points);
  }
  return bySeat(changes);
}

/**
 * @param {Table} table
 * @param {readonly number[]} changes
 * @returns {Table}
 */
function moved(table, changes) {
  return { ...table, points: table.points.map((had, seat) => had + (changes[seat] ?? 0)) };
}

/**
 * @param {Table} table
 * @param {PlayedRound} played
 */
function checkTable(table, { win }) {
  if (table.isOver) {
    throw new AgainstTheRules(
      "game_over",
      "The game is over; write the four names again, East first, to start another game.",
    );
  }
  if (win === null) return;
  const isEast = win.by === table.east;
  if (win.worth === "charleston" && !isEast) {
    throw new AgainstTheRules(
      "not_east",
      "Only East can win immediately after the Charleston, but someone else did.",
    );
  }
  if (win.worth === "first-discard" && isEast) {
    throw new AgainstTheRules("own_discard", "East cannot win off East's own first discard.");
  }
}
