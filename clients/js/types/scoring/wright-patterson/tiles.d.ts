/**
 * The 144 tiles of Wright-Patterson, and the short notation in which a hand is written down.
 *
 * `123c` Craks, `55d` Dots, `789b` Bams, `E` `S` `W` `N` winds, `R` `G` `P` the red, green and
 * white (plain) dragon, `14f` flowers, `2s` seasons.
 */
export type TileKind = "c" | "d" | "b" | "wind" | "dragon";
export type Tile = {
    kind: TileKind;
    rank: number;
    text: string;
};
export type Flower = {
    bouquet: Bouquet;
    number: number;
    text: string;
};
export type Bouquet = "flowers" | "seasons";
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
export declare const COPIES = 4;
export declare const SUITS: string[];
export declare const DRAGONS = "RGP";
export declare const WINDS = "ESWN";
/** @type {readonly Bouquet[]} */
export declare const BOUQUETS: readonly Bouquet[];
/**
 * Return the tiles that a word names, in its order.
 * @param {string} word
 * @returns {(Tile | Flower)[]}
 * @throws {AgainstTheRules} if one does not exist.
 */
export declare function readTiles(word: string): (Tile | Flower)[];
/**
 * Return whether it is a flower or a season.
 * @param {Tile | Flower} tile
 * @returns {tile is Flower}
 */
export declare function isFlower(tile: Tile | Flower): tile is Flower;
/** @param {Tile} tile */
export declare function isHonor(tile: Tile): boolean;
/**
 * Return whether it is a one or a nine of a suit.
 * @param {Tile} tile
 */
export declare function isTerminal(tile: Tile): boolean;
/**
 * Return tiles in order: by the names of their kinds, then by rank.
 * @param {Iterable<Tile>} tiles
 */
export declare function inOrder(tiles: Iterable<Tile>): Tile[];
/**
 * Return each of some texts with how often it is there, in order of first appearance.
 * @param {Iterable<{ text: string }>} named
 */
export declare function countsOf(named: Iterable<{
    text: string;
}>): Map<string, number>;
