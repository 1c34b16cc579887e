/** What the rule books share: the four seats, refusals with their codes, and exact sums. */
export declare const SEATS = 4;
/** A game, hand or round that the rule book does not allow: `code` names the rule. */
export declare class AgainstTheRules extends Error {
    code: string;
    name: string;
    /**
     * @param {string} code As Mahjic lists them under "Mistakes in scores".
     * @param {string} message What is wrong, and what to do.
     */
    constructor(code: string, message: string);
}
/**
 * Refuse seats that are not at the table.
 * @param {string} role
 * @param {number} seat
 */
export declare function checkSeat(role: string, seat: number): void;
/** @param {number} seat */
export declare function isSeat(seat: number): boolean;
/**
 * Return what each seat gets, 0 for those that are not told.
 * @param {ReadonlyMap<number, number>} points
 * @returns {number[]}
 */
export declare function bySeat(points: ReadonlyMap<number, number>): number[];
/**
 * Return the seats of those who did not win.
 * @param {number} winner
 */
export declare function othersThan(winner: number): number[];
/**
 * Return a word as a message quotes it; only the beginning of a very long one.
 * @param {string} word
 */
export declare function short(word: string): string;
export type Points = number | string;
/** A number of points, or a text with its decimals: `"-0.5"`. @typedef {number | string} Points */
/**
 * Return the exact sum of points, as a text.
 * @param {Iterable<Points>} points
 * @returns {string}
 * @throws {RangeError} if one of them is no decimal number.
 */
export declare function sumOfPoints(points: Iterable<Points>): string;
/**
 * Return a number of units as a decimal text, without zeros at its end.
 * @param {bigint} units
 * @param {number} places How many decimals a unit has.
 */
export declare function decimal(units: bigint, places: number): string;
