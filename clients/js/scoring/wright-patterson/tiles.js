/**
 * The 144 tiles of Wright-Patterson, and the short notation in which a hand is written down.
 *
 * `123c` Craks, `55d` Dots, `789b` Bams, `E` `S` `W` `N` winds, `R` `G` `P` the red, green and
 * white (plain) dragon, `14f` flowers, `2s` seasons.
 */

import { AgainstTheRules, short } from "../rules.js";

/** @typedef {"c" | "d" | "b" | "wind" | "dragon"} TileKind */

/**
 * A tile of a suit (`rank` 1 to 9), a wind (1 to 4: East, South, West, North) or a dragon (1 to 3).
 * @typedef {{ kind: TileKind, rank: number, text: string }} Tile
 */

/**
 * A flower or a season; its number is that of its wind.
 * @typedef {{ bouquet: Bouquet, number: number, text: string }} Flower
 */

/** @typedef {"flowers" | "seasons"} Bouquet */

export const COPIES = 4; // Of every tile but the flowers and seasons, of which there is one each.
export const SUITS = ["c", "d", "b"];
export const DRAGONS = "RGP";
export const WINDS = "ESWN";
/** @type {readonly Bouquet[]} */
export const BOUQUETS = ["flowers", "seasons"];
const RUN = /([0-9]+)([A-Za-z]?)|([ESWNRGP])/y;

/**
 * Return the tiles that a word names, in its order.
 * @param {string} word
 * @returns {(Tile | Flower)[]}
 * @throws {AgainstTheRules} if one does not exist.
 */
export function readTiles(word) {
  const tiles = [];
  let place = 0;
  while (place < word.length) {
    RUN.lastIndex = place;
    const run = RUN.exec(word);
    if (run === null) {
      const odd = String.fromCodePoint(word.codePointAt(place) ?? 0);
      throw new AgainstTheRules(
        "unknown_tile",
        `\`${odd}\` in \`${short(word)}\` is not the start of a tile; write digits and c, d, b, f ` +
          "or s, or one of E S W N R G P.",
      );
    }
    const [whole, ranks = "", mark = "", honor] = run;
    if (honor !== undefined) tiles.push(windOrDragon(honor));
    else for (const rank of ranks) tiles.push(ranked(Number(rank), mark, word));
    place += whole.length;
  }
  return tiles;
}

/**
 * Return whether it is a flower or a season.
 * @param {Tile | Flower} tile
 * @returns {tile is Flower}
 */
export function isFlower(tile) {
  return "bouquet" in tile;
}

/** @param {Tile} tile */
export function isHonor(tile) {
  return !SUITS.includes(tile.kind);
}

/**
 * Return whether it is a one or a nine of a suit.
 * @param {Tile} tile
 */
export function isTerminal(tile) {
  return !isHonor(tile) && (tile.rank === 1 || tile.rank === 9);
}

/**
 * Return tiles in order: by the names of their kinds, then by rank.
 * @param {Iterable<Tile>} tiles
 */
export function inOrder(tiles) {
  return [...tiles].sort((one, other) => {
    if (one.kind !== other.kind) return one.kind < other.kind ? -1 : 1;
    return one.rank - other.rank;
  });
}

/**
 * Return each of some texts with how often it is there, in order of first appearance.
 * @param {Iterable<{ text: string }>} named
 */
export function countsOf(named) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { text } of named) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * @param {string} letter One of E S W N R G P.
 * @returns {Tile}
 */
function windOrDragon(letter) {
  const wind = WINDS.indexOf(letter);
  if (wind >= 0) return { kind: "wind", rank: wind + 1, text: letter };
  return { kind: "dragon", rank: DRAGONS.indexOf(letter) + 1, text: letter };
}

/**
 * @param {number} rank
 * @param {string} mark
 * @param {string} word
 * @returns {Tile | Flower}
 */
function ranked(rank, mark, word) {
  const text = `${rank}${mark}`;
  if ((mark === "f" || mark === "s") && rank >= 1 && rank <= 4) {
    return { bouquet: mark === "f" ? "flowers" : "seasons", number: rank, text };
  }
  if ((mark === "c" || mark === "d" || mark === "b") && rank >= 1) {
    return { kind: mark, rank, text };
  }
  throw new AgainstTheRules(
    "unknown_tile",
    `There is no tile \`${text}\` (in \`${short(word)}\`); suits are 1 to 9 followed by c, d or ` +
      "b, flowers (f) and seasons (s) 1 to 4.",
  );
}
