/** Refuses a round of Wright-Patterson that contradicts itself. */
export type Hand = import("./hands.js").Hand;
export type Bouquet = import("./tiles.js").Bouquet;
export type Win = {
    by: number;
    worth: number | "charleston" | "first-discard";
};
export type PlayedRound = {
    /**
     * The prevailing wind: 1 to 4 for East, South, West, North.
     */
    prevailing: number;
    win: Win | null;
    /**
     * Seat and hand of the three who did not win.
     */
    hands?: readonly [number, Hand][];
    /**
     * False if no one declared one in the go-around before
     * the Charleston.
     */
    areFlowersDeclared?: boolean;
    /**
     * Who first declared one after it.
     */
    firstFlower?: number | null;
    bouquets?: readonly [number, Bouquet][];
};
/** @typedef {import("./hands.js").Hand} Hand */
/** @typedef {import("./tiles.js").Bouquet} Bouquet */
/**
 * Seat `by` declares Mah Jongg with a hand that the table declares to be worth so many points, or
 * wins immediately after the Charleston, or off East's first discard: Triple Limit.
 * @typedef {{ by: number, worth: number | "charleston" | "first-discard" }} Win
 */
/**
 * What happened from one deal to the next; seats are 0 to 3, in the order of play.
 * @typedef {object} PlayedRound
 * @property {number} prevailing The prevailing wind: 1 to 4 for East, South, West, North.
 * @property {Win | null} win
 * @property {readonly [number, Hand][]} [hands] Seat and hand of the three who did not win.
 * @property {boolean} [areFlowersDeclared] False if no one declared one in the go-around before
 *   the Charleston.
 * @property {number | null} [firstFlower] Who first declared one after it.
 * @property {readonly [number, Bouquet][]} [bouquets]
 */
export declare const TRIPLE_LIMIT = 1500;
/**
 * @param {PlayedRound} played
 * @throws {AgainstTheRules}
 */
export declare function checkRound(played: PlayedRound): void;
/**
 * Refuse a hand that is worth nothing, or more than the highest limit of the rule book.
 * @param {PlayedRound} played
 * @throws {AgainstTheRules}
 */
export declare function checkWorth({ win }: PlayedRound): void;
