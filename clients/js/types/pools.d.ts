/** Moves people's standings by one round, in both pools: everyone's, and the Verified players'. */
export type Standing = {
    ratingCenti: number;
    games: number;
    verifiedRatingCenti: number;
    verifiedGames: number;
};
export type Player = {
    /**
     * Before the round.
     */
    standing?: Standing;
    /**
     * Whether they are Verified now.
     */
    isVerified?: boolean;
    mahjongs: number;
    pointsCenti?: number;
};
export type GameType = import("./formula.js").GameType;
/**
 * What somebody has come to in both pools.
 * @typedef {object} Standing
 * @property {number} ratingCenti
 * @property {number} games
 * @property {number} verifiedRatingCenti
 * @property {number} verifiedGames
 */
/**
 * One person at the table; without a standing it is Bob, who fills an empty seat and never moves.
 * @typedef {object} Player
 * @property {Standing} [standing] Before the round.
 * @property {boolean} [isVerified] Whether they are Verified now.
 * @property {number} mahjongs
 * @property {number} [pointsCenti]
 */
/** @typedef {import("./formula.js").GameType} GameType */
/**
 * Return the standing of somebody before their first round.
 * @returns {Standing}
 */
export declare function newcomer(): Standing;
/**
 * Return everybody's standing after a round, in the order given, and null for Bob.
 *
 * The verified pool is rated as if only the Verified players had been there, if they are two or
 * more; otherwise nothing moves there, and no games count.
 * @param {readonly Player[]} players
 * @param {GameType} gameType
 * @param {number} gamesPlayed
 * @returns {(Standing | null)[]}
 */
export declare function rateBothPools(players: readonly Player[], gameType: GameType, gamesPlayed: number): (Standing | null)[];
