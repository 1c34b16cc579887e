/** A hand that did not win, as its tiles are on the rack and in front of it. */
export type Tile = import("./tiles.js").Tile;
export type Flower = import("./tiles.js").Flower;
export type KongKind = "open Kong" | "added Kong" | "concealed Kong";
export type SetKind = "Chow" | "Mixed Chow" | "open Pung" | KongKind;
export type DeclaredSet = {
    kind: SetKind;
    tiles: readonly Tile[];
};
export type Ready = "no" | "limit" | "double-limit" | "triple-limit";
export type Hand = {
    concealed: readonly Tile[];
    declared: readonly DeclaredSet[];
    flowers: readonly Flower[];
    ready: Ready;
};
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
export declare function readHand(words: Iterable<string>, ready?: Ready): Hand;
/**
 * Return all tiles of a hand but flowers and seasons.
 * @param {Hand} hand
 */
export declare function tilesOf(hand: Hand): import("./tiles.js").Tile[];
/**
 * Refuse more of a tile than the four that exist.
 * @param {Iterable<Tile>} tiles
 */
export declare function checkCopies(tiles: Iterable<Tile>): void;
/**
 * Refuse a flower or season that is there twice.
 * @param {Iterable<Flower>} flowers
 */
export declare function checkSingle(flowers: Iterable<Flower>): void;
