/** The banker rule book: who pays whom for one hand, and when a game is over. */
/** What everyone has when a game starts. */
export declare const BANKER_START_POINTS = 100;
export type BankerHand = {
    banker: number;
    winner: number;
    /**
     * Who discarded the winning tile; without it the winner drew it.
     */
    by?: number;
    /**
     * A hand without open melds.
     */
    isStandup?: boolean;
    /**
     * A private in-between.
     */
    isInBetween?: boolean;
};
/**
 * A hand that was won. Seats are 0 to 3, in any order that you keep to.
 * @typedef {object} BankerHand
 * @property {number} banker
 * @property {number} winner
 * @property {number} [by] Who discarded the winning tile; without it the winner drew it.
 * @property {boolean} [isStandup] A hand without open melds.
 * @property {boolean} [isInBetween] A private in-between.
 */
/**
 * Return what each of the four seats gets for a won hand; the four numbers sum to zero.
 *
 * A drawn hand moves nothing.
 * @param {BankerHand} hand
 * @returns {number[]}
 * @throws {AgainstTheRules}
 */
export declare function settleBanker({ banker, winner, by, isStandup, isInBetween }: BankerHand): number[];
/**
 * Return whether a game has ended: someone is below 0; with 0 the game goes on.
 * @param {readonly number[]} points
 */
export declare function isBankerGameOver(points: readonly number[]): boolean;
