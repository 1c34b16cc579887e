/** What a hand that did not win is worth under Wright-Patterson: points, doubles, rounding. */

import { tilesOf } from "./hands.js";
import { countsOf, DRAGONS, inOrder, isHonor, isTerminal } from "./tiles.js";

/** @typedef {import("./tiles.js").Tile} Tile */
/** @typedef {import("./tiles.js").Flower} Flower */
/** @typedef {import("./hands.js").Hand} Hand */

/**
 * One line of a score: what it is for, and its points or doubles.
 * @typedef {{ what: string, number: number }} Counted
 */

/**
 * The score of a hand, and the lines that make it.
 * @typedef {{ score: number, points: Counted[], doubles: Counted[] }} HandValue
 */

/**
 * The Pungs, Kongs and pairs of a hand: `sets` has each Pung and Kong once, by its tile.
 * @typedef {{ sets: Tile[], pairs: Tile[], concealedPungs: number }} Sets
 */

const PUNGS = ["open Pung"];
const KONGS = ["open Kong", "added Kong", "concealed Kong"];
const OPEN = ["open Pung", "open Kong", "added Kong"];
// Of an open Kong three tiles were concealed; an added one grew from a Pung that was called.
const LIKE_CONCEALED_PUNGS = ["open Kong", "concealed Kong"];
/** @type {Record<string, Counted>} */
const READY = {
  limit: { what: "Ready on Limit Hand", number: 1 },
  "double-limit": { what: "Ready on Double Limit Hand", number: 2 },
  "triple-limit": { what: "Ready on Triple Limit Hand", number: 3 },
};

/**
 * Return what a hand is worth to a player in the seat of a wind.
 * @param {Hand} hand
 * @param {number} seat The wind of the seat: 1 to 4 for East, South, West, North.
 * @param {number} prevailing The prevailing wind, likewise.
 * @returns {HandValue}
 */
export function valueOfHand(hand, seat, prevailing) {
  const sets = setsOf(hand);
  const points = pointsOf(hand, sets, seat, prevailing);
  const doubles = doublesOf(hand, sets, seat, prevailing);
  const total = sumOf(points);
  // "If a hand totals 2 points at this stage", it has none.
  const base = total === 2 ? 0 : total;
  return { score: nearestTen(base * 2 ** sumOf(doubles)), points, doubles };
}

/** @param {number} number A 5 at the end goes upward. */
function nearestTen(number) {
  return Math.floor((number + 5) / 10) * 10;
}

/** @param {readonly Counted[]} lines */
function sumOf(lines) {
  return lines.reduce((sum, line) => sum + line.number, 0);
}

/**
 * @param {Hand} hand
 * @returns {Sets}
 */
function setsOf(hand) {
  const tiles = new Map(hand.concealed.map((tile) => [tile.text, tile]));
  const counts = countsOf(hand.concealed);
  const concealed = [...tiles.values()].filter((tile) => (counts.get(tile.text) ?? 0) >= 3);
  const declared = hand.declared.filter(({ kind }) => [...PUNGS, ...KONGS].includes(kind));
  const firsts = declared.flatMap((each) => each.tiles.slice(0, 1));
  const sets = new Map([...concealed, ...firsts].map((tile) => [tile.text, tile]));
  return {
    sets: inOrder(sets.values()),
    pairs: inOrder([...tiles.values()].filter((tile) => counts.get(tile.text) === 2)),
    concealedPungs:
      concealed.length + declared.filter((each) => LIKE_CONCEALED_PUNGS.includes(each.kind)).length,
  };
}

/**
 * @param {Hand} hand
 * @param {Sets} sets
 * @param {number} seat
 * @param {number} prevailing
 * @returns {Counted[]}
 */
function pointsOf(hand, sets, seat, prevailing) {
  /** @type {Counted[]} */
  const lines = [];
  const counts = countsOf(hand.concealed);
  for (const tile of sets.sets) {
    if ((counts.get(tile.text) ?? 0) >= 3) {
      lines.push({ what: `concealed Pung of ${tile.text}`, number: setPoints(tile, false) });
    }
  }
  for (const { kind, tiles } of hand.declared) {
    const tile = tiles[0];
    if (tile === undefined || ![...PUNGS, ...KONGS].includes(kind)) continue;
    const closed = setPoints(tile, KONGS.includes(kind));
    // "This point amount is halved if the Pung/Kong is open."
    lines.push({
      what: `${kind} of ${tile.text}`,
      number: OPEN.includes(kind) ? closed / 2 : closed,
    });
  }
  for (const tile of sets.pairs) {
    // A wind that is seat wind and prevailing wind has 4.
    const number = timesCounted(tile, seat, prevailing);
    if (number) lines.push({ what: `pair of ${tile.text}`, number: 2 * number });
  }
  for (const flower of flowersInOrder(hand.flowers)) {
    lines.push({ what: `flower ${flower.text}`, number: 4 });
  }
  return lines;
}

/**
 * Return the points of a set that is not open.
 * @param {Tile} tile
 * @param {boolean} isKong
 */
function setPoints(tile, isKong) {
  if (isHonor(tile) || isTerminal(tile)) return isKong ? 32 : 8;
  return isKong ? 16 : 4;
}

/**
 * Return the lines of doubles; a line and those indented below it in the rule book do not stack.
 * @param {Hand} hand
 * @param {Sets} sets
 * @param {number} seat
 * @param {number} prevailing
 * @returns {Counted[]}
 */
function doublesOf(hand, sets, seat, prevailing) {
  /** @type {Counted[]} */
  const lines = [];
  for (const { number, text } of flowersInOrder(hand.flowers)) {
    const times = timesOfWind(number, seat, prevailing);
    if (times) lines.push({ what: `Own/Prevailing Flower ${text}`, number: times });
  }
  for (const tile of sets.sets) {
    const times = timesCounted(tile, seat, prevailing);
    if (times) lines.push({ what: `Triplet of ${tile.text}`, number: times });
  }
  lines.push(...threeDragons(sets), ...wholeHand(hand));
  if (sets.concealedPungs >= 4) lines.push({ what: "Four Concealed Pungs", number: 2 });
  else if (sets.concealedPungs === 3) lines.push({ what: "Three Concealed Pungs", number: 1 });
  const ready = READY[hand.ready];
  if (ready !== undefined) lines.push(ready);
  return lines;
}

/**
 * @param {Sets} sets
 * @returns {Counted[]}
 */
function threeDragons(sets) {
  const triplets = sets.sets.filter((tile) => tile.kind === "dragon").length;
  const pairs = sets.pairs.filter((tile) => tile.kind === "dragon").length;
  if (triplets === DRAGONS.length) return [{ what: "Big Three Dragons", number: 4 }];
  if (triplets === 2 && pairs === 1) return [{ what: "Little Three Dragons", number: 3 }];
  return [];
}

/**
 * Return the doubles for the tiles that the whole hand is made of.
 * @param {Hand} hand
 * @returns {Counted[]}
 */
function wholeHand(hand) {
  const tiles = tilesOf(hand);
  const suits = new Set(tiles.filter((tile) => !isHonor(tile)).map((tile) => tile.kind));
  const hasHonors = tiles.some(isHonor);
  // "Does not stack with Half-Flush", nor with Terminals and Honours, above it in the list.
  if (suits.size === 0) return [{ what: "All Honors", number: 3 }];
  /** @type {Counted[]} */
  const lines = [];
  if (suits.size === 1) {
    lines.push(hasHonors ? { what: "Half-Flush", number: 1 } : { what: "Full Flush", number: 3 });
  }
  if (tiles.every((tile) => isHonor(tile) || isTerminal(tile))) {
    lines.push(
      hasHonors
        ? { what: "Terminals and Honours", number: 1 }
        : { what: "All Terminals", number: 3 },
    );
  }
  return lines;
}

/**
 * Return how often a tile counts: a dragon once, a wind as seat wind and as prevailing wind.
 * @param {Tile} tile
 * @param {number} seat
 * @param {number} prevailing
 */
function timesCounted(tile, seat, prevailing) {
  if (tile.kind === "dragon") return 1;
  return tile.kind === "wind" ? timesOfWind(tile.rank, seat, prevailing) : 0;
}

/**
 * @param {number} wind
 * @param {number} seat
 * @param {number} prevailing
 */
function timesOfWind(wind, seat, prevailing) {
  return [seat, prevailing].filter((each) => each === wind).length;
}

/** @param {readonly Flower[]} flowers */
function flowersInOrder(flowers) {
  return [...flowers].sort((one, other) => {
    if (one.bouquet !== other.bouquet) return one.bouquet < other.bouquet ? -1 : 1;
    return one.number - other.number;
  });
}
