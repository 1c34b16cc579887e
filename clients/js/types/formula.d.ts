/**
 * How one round moves the ratings of the people at the table, to the last digit.
 *
 * Whole numbers only. Ratings, changes and points are in centi (hundredths of a point), everything
 * between them in nano (billionths); all of it stays below 2^53, so that numbers hold it exactly.
 */
export type Seat = {
    /**
     * Hundredths of a point: 150000 is 1500.00.
     */
    ratingCenti: number;
    /**
     * The games played before this round.
     */
    games: number;
    mahjongs: number;
    /**
     * Hundredths of a point; 0 if left out. Social games ignore it.
     */
    pointsCenti?: number;
};
export type GameType = "social" | "league" | "tournament";
export type Formula = "mahjic-elo/1" | "mahjic-elo/2-scaled";
/**
 * One person at the table: rating and games before the round, then the result.
 * @typedef {object} Seat
 * @property {number} ratingCenti Hundredths of a point: 150000 is 1500.00.
 * @property {number} games The games played before this round.
 * @property {number} mahjongs
 * @property {number} [pointsCenti] Hundredths of a point; 0 if left out. Social games ignore it.
 */
/** @typedef {"social" | "league" | "tournament"} GameType */
/** @typedef {"mahjic-elo/1" | "mahjic-elo/2-scaled"} Formula */
export declare const START_CENTI = 150000;
/**
 * Return each seat's rating change in centi, in the order given.
 *
 * Everybody is compared with everyone else as they stood before the round. Bob, who fills an empty
 * seat, is a seat at 150000 with 0 games whose change is left aside.
 * @param {readonly Seat[]} seats Two to four.
 * @param {GameType} gameType Points count in leagues and tournaments only.
 * @param {{ formula?: Formula }} [options] Another formula than mahjic-elo/1.
 * @returns {number[]}
 * @throws {RangeError} if the seats, the game type or the formula are not ones of Mahjic's.
 */
export declare function rate(seats: readonly Seat[], gameType: GameType, { formula }?: {
    formula?: Formula;
}): number[];
/**
 * Return how often a player should win, in nano, who is rated this much above the opponent.
 *
 * The first call builds the table of the curve, which takes a fraction of a second.
 * @param {number} aheadCenti
 * @returns {number}
 */
export declare function expectedNano(aheadCenti: number): number;
/**
 * Return the expected scores for a lead of 0, 1, 2 ... centi, up to the first sure win.
 * @returns {Int32Array}
 */
export declare function expectedTable(): Int32Array;
/**
 * Return how strongly one comparison moves a player with so many games before the round.
 * @param {number} games
 * @returns {number}
 */
export declare function kFactor(games: number): number;
/**
 * Return the nearest whole centi; between two, the even one, so that no side is favored.
 * @param {number} sumNano
 * @param {number} nanoPerCenti
 * @returns {number}
 */
export declare function roundHalfEven(sumNano: number, nanoPerCenti: number): number;
