/** The two ratings of each player over many rounds: everyone's, and that of Verified players. */
export type Result = {
    player: string;
    mahjongs: number;
    /**
     * Hundredths of a point; 0 if left out. Social games ignore it.
     */
    pointsCenti?: number;
};
export type Standing = {
    ratingCenti: number;
    games: number;
};
export type Moved = {
    before: Standing;
    after: Standing;
    /**
     * What the round added, or took if negative.
     */
    changeCenti: number;
};
export type Rated = {
    player: string;
    mahjic: Moved;
    verified: Moved;
};
export type GameType = import("./formula.js").GameType;
export type Formula = import("./formula.js").Formula;
export type Pool = Map<string, Standing>;
/**
 * What one player did in a round. `player` is any name of yours, or `BOB` for an empty seat.
 * @typedef {object} Result
 * @property {string} player
 * @property {number} mahjongs
 * @property {number} [pointsCenti] Hundredths of a point; 0 if left out. Social games ignore it.
 */
/**
 * A rating and the games it stands on.
 * @typedef {object} Standing
 * @property {number} ratingCenti
 * @property {number} games
 */
/**
 * One of a player's two ratings before and after a round.
 * @typedef {object} Moved
 * @property {Standing} before
 * @property {Standing} after
 * @property {number} changeCenti What the round added, or took if negative.
 */
/**
 * What a round did to one player in both pools.
 * @typedef {object} Rated
 * @property {string} player
 * @property {Moved} mahjic
 * @property {Moved} verified
 */
/** @typedef {import("./formula.js").GameType} GameType */
/** @typedef {import("./formula.js").Formula} Formula */
/** @typedef {Map<string, Standing>} Pool */
/** Everyone's ratings, to which rounds are added in the order in which Mahjic recorded them. */
export declare class Ratings {
    #private;
    /** @param {{ formula?: Formula }} [options] */
    constructor({ formula }?: {
        formula?: Formula;
    });
    /**
     * Return a player's rating among everyone.
     * @param {string} player
     * @returns {Standing}
     */
    mahjic(player: string): Standing;
    /**
     * Return a player's rating among Verified players.
     * @param {string} player
     * @returns {Standing}
     */
    verified(player: string): Standing;
    /**
     * Count a player as Verified from now on.
     * @param {string} player
     * @throws {RangeError} for Bob.
     */
    verify(player: string): void;
    /**
     * Count a player as not Verified from now on; the verified rating stays as it is.
     * @param {string} player
     */
    endVerification(player: string): void;
    /**
     * Rate a round, and return what it did to each player, in the order given.
     * @param {readonly Result[]} results
     * @param {{ gameType: GameType, gamesPlayed: number }} round
     * @returns {Rated[]}
     * @throws {RangeError} if someone sits twice, and as `rate` does; nothing has changed then.
     */
    play(results: readonly Result[], round: {
        gameType: GameType;
        gamesPlayed: number;
    }): Rated[];
}
