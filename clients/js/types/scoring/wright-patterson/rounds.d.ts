/**
 * How a round of Wright-Patterson moves points, pots and the dealership, until the game is over.
 *
 * Four players put the same into the pots each time, so that they can always be split evenly, and
 * all points are whole numbers.
 */
export type PlayedRound = import("./checks.js").PlayedRound;
export type Win = import("./checks.js").Win;
export type Table = {
    points: readonly number[];
    flowerPot: number;
    wallPot: number;
    east: number;
    passes: number;
    isOver: boolean;
};
/**
 * Return the table of a new game; seat 0 is East.
 * @returns {Table}
 */
export declare function newGame(): Table;
/**
 * Return the state of the game after a round; points and pots sum to 40,000.
 * @param {Table} table
 * @param {PlayedRound} played
 * @returns {Table}
 * @throws {AgainstTheRules} when the round cannot have been, or the game is over.
 */
export declare function play(table: Table, played: PlayedRound): Table;
/**
 * Return the state of a game that ends here: what is left in the pots is split evenly.
 * @param {Table} table
 * @returns {Table}
 */
export declare function endGame(table: Table): Table;
/**
 * Return the score of each hand that did not win, by seat; it is not doubled for East.
 * @param {Table} table
 * @param {PlayedRound} played
 * @returns {Map<number, number>}
 */
export declare function scoresOf(table: Table, played: PlayedRound): Map<number, number>;
