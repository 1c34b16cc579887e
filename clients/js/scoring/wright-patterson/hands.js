/** A hand that did not win, as its tiles are on the rack and in front of it. */

import { AgainstTheRules, short } from "../rules.js";
import { BOUQUETS, COPIES, countsOf, inOrder, isFlower, readTiles, SUITS } from "./tiles.js";

/** @typedef {import("./tiles.js").Tile} Tile */
/** @typedef {import("./tiles.js").Flower} Flower */

/**
 * The sets that a player can declare.
 * @typedef {"open Kong" | "added Kong" | "concealed Kong"} KongKind
 * @typedef {"Chow" | "Mixed Chow" | "open Pung" | KongKind} SetKind
 */

/**
 * A set that was called or declared, with its three or four tiles in order.
 * @typedef {{ kind: SetKind, tiles: readonly Tile[] }} DeclaredSet
 */

/**
 * The limit hand that a player is one tile away from; only the players can tell.
 * @typedef {"no" | "limit" | "double-limit" | "triple-limit"} Ready
 */

/**
 * The tiles of a player who did not win; `concealed` are those that were never declared.
 * @typedef {object} Hand
 * @property {readonly Tile[]} concealed
 * @property {readonly DeclaredSet[]} declared
 * @property {readonly Flower[]} flowers
 * @property {Ready} ready
 */

const TILES = 13; // A Kong counts as three of them.

/**
 * Return the hand that is written in words of tiles.
 *
 * `[234c]` is a Chow, `[1c2d3b]` a Mixed Chow, `[EEE]` a Pung and `[EEEE]` a Kong that was called,
 * `[EEE+E]` a Kong by adding to a Pung, `(EEEE)` a concealed Kong; without brackets, tiles that
 * were never declared.
 * @param {Iterable<string>} words None is empty.
 * @param {Ready} [ready]
 * @returns {Hand}
 * @throws {AgainstTheRules} when a word or the hand is impossible.
 */
export function readHand(words, ready = "no") {
  /** @type {Tile[]} */
  const concealed = [];
  /** @type {DeclaredSet[]} */
  const declared = [];
  /** @type {Flower[]} */
  const flowers = [];
  for (const word of words) {
    if (word.startsWith("[") || word.startsWith("(")) {
      declared.push(readSet(word));
      continue;
    }
    for (const tile of readTiles(word)) {
      if (isFlower(tile)) flowers.push(tile);
      else concealed.push(tile);
    }
  }
  const hand = { concealed, declared, flowers, ready };
  checkHand(hand);
  return hand;
}

/**
 * Return all tiles of a hand but flowers and seasons.
 * @param {Hand} hand
 */
export function tilesOf(hand) {
  return [...hand.concealed, ...hand.declared.flatMap((each) => each.tiles)];
}

/**
 * Refuse more of a tile than the four that exist.
 * @param {Iterable<Tile>} tiles
 */
export function checkCopies(tiles) {
  const [tile, count] = mostOf(tiles);
  if (count > COPIES) {
    throw new AgainstTheRules(
      "five_of_a_tile",
      `${tile} is there ${count} times; there are only ${COPIES} of it.`,
    );
  }
}

/**
 * Refuse a flower or season that is there twice.
 * @param {Iterable<Flower>} flowers
 */
export function checkSingle(flowers) {
  const [flower, count] = mostOf(flowers);
  if (count > 1) {
    throw new AgainstTheRules(
      "flower_twice",
      `${flower} is there ${count} times; there is only one of it.`,
    );
  }
}

/** @param {Hand} hand */
function checkHand(hand) {
  const count = hand.concealed.length + 3 * hand.declared.length;
  if (count !== TILES) {
    throw new AgainstTheRules(
      "wrong_count",
      `The hand has ${count} tiles, counting a Kong as three; a hand that did not win has ` +
        `${TILES}, plus its flowers.`,
    );
  }
  checkCopies(tilesOf(hand));
  checkSingle(hand.flowers);
  for (const bouquet of BOUQUETS) {
    if (hand.flowers.filter((flower) => flower.bouquet === bouquet).length === COPIES) {
      throw new AgainstTheRules(
        "undeclared_bouquet",
        `All four ${bouquet} make a bouquet, which is paid and discarded at once; write a ` +
          "`bouquet` line instead.",
      );
    }
  }
}

/**
 * Return the first that is there most often, and how often.
 * @param {Iterable<{ text: string }>} named
 * @returns {[string, number]}
 */
function mostOf(named) {
  /** @type {[string, number]} */
  let most = ["", 0];
  for (const each of countsOf(named)) if (each[1] > most[1]) most = each;
  return most;
}

/**
 * Return the set that a word in brackets is.
 * @param {string} word
 * @returns {DeclaredSet}
 */
function readSet(word) {
  const isCalled = word.startsWith("[");
  if (word.length < 2 || !word.endsWith(isCalled ? "]" : ")")) {
    throw new AgainstTheRules("open_bracket", `\`${short(word)}\` is missing its closing bracket.`);
  }
  const inside = word.slice(1, -1);
  const at = inside.indexOf("+");
  const isAdded = at >= 0;
  const tiles = withoutFlowers(word, isAdded ? inside.slice(0, at) : inside);
  const more = withoutFlowers(word, isAdded ? inside.slice(at + 1) : "");
  const kind = kindOf(tiles, more, { isCalled, isAdded });
  if (kind === null) {
    throw new AgainstTheRules(
      "no_set",
      `\`${short(word)}\` is not a set. A Chow is [234c], a Mixed Chow [1c2d3b], a Pung [EEE], a ` +
        "Kong [EEEE] if called, [EEE+E] if added to a Pung, (EEEE) if concealed.",
    );
  }
  return { kind, tiles: [...inOrder(tiles), ...more] };
}

/**
 * @param {string} word
 * @param {string} text
 */
function withoutFlowers(word, text) {
  /** @type {Tile[]} */
  const tiles = [];
  for (const tile of readTiles(text)) {
    if (isFlower(tile)) {
      throw new AgainstTheRules(
        "no_set",
        `\`${short(word)}\` has a flower or season in it; write those without brackets.`,
      );
    }
    tiles.push(tile);
  }
  return tiles;
}

/**
 * @param {readonly Tile[]} tiles
 * @param {readonly Tile[]} more
 * @param {{ isCalled: boolean, isAdded: boolean }} brackets
 * @returns {SetKind | null}
 */
function kindOf(tiles, more, { isCalled, isAdded }) {
  if (!isCalled) return isKong(tiles) && !isAdded ? "concealed Kong" : null;
  if (!isAdded) return calledKind(tiles);
  const isWhole = tiles.length === 3 && more.length === 1 && isKong([...tiles, ...more]);
  return isWhole ? "added Kong" : null;
}

/**
 * @param {readonly Tile[]} tiles
 * @returns {SetKind | null}
 */
function calledKind(tiles) {
  if (isKong(tiles)) return "open Kong";
  if (tiles.length !== 3) return null;
  if (countsOf(tiles).size === 1) return "open Pung";
  const ranks = tiles.map((tile) => tile.rank).sort((one, other) => one - other);
  const least = ranks[0] ?? 0;
  const isARow = ranks.every((rank, place) => rank === least + place);
  const kinds = new Set(tiles.map((tile) => tile.kind));
  if (!isARow || ![...kinds].every((kind) => SUITS.includes(kind))) return null;
  if (kinds.size === 1) return "Chow";
  return kinds.size === 3 ? "Mixed Chow" : null;
}

/** @param {readonly Tile[]} tiles */
function isKong(tiles) {
  return tiles.length === 4 && countsOf(tiles).size === 1;
}
