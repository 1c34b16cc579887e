/**
 * The American rules: what one game by the card of the year brings each player, in whole numbers.
 *
 * There are two ways to count, each a table of numbers that a club may set: by payment, as the
 * National Mah Jongg League has it, and by tournament points, as organizers publish them.
 */
export type PaymentRules = {
    way: "payment";
    discarder: number;
    /**
     * Each of the other two, off a discard.
     */
    others: number;
    /**
     * Each of the three.
     */
    selfPicked: number;
    /**
     * Multiplies all of it.
     */
    noJokers: number;
    /**
     * Who misnamed the tile; the others pay nothing.
     */
    misnamed: number;
};
export type TournamentRules = {
    way: "tournament";
    selfPicked: number;
    noJokers: number;
    exposed0: number;
    exposed1: number;
    exposed2: number;
    /**
     * Two exposures, one of them a quint.
     */
    exposed2Quint: number;
    /**
     * Three or more.
     */
    exposed3: number;
    misnamed: number;
    /**
     * For each living hand.
     */
    wallGame: number;
};
export type WinningHand = {
    /**
     * As on the card: 20 to 100, in steps of 5.
     */
    value: number;
    hasNoJokers?: boolean;
    isSinglesAndPairs?: boolean;
    /**
     * 0 to 4.
     */
    exposures?: number;
    /**
     * Whether one of the exposures is a quint.
     */
    hasQuint?: boolean;
};
export type WallGame = {
    kind: "wall";
    dead?: readonly number[];
};
export type SelfPicked = {
    kind: "self_picked";
    winner: number;
    hand: WinningHand;
    dead?: readonly number[];
};
export type Discarded = {
    kind: "discard";
    winner: number;
    hand: WinningHand;
    by: number;
    isMisnamed?: boolean;
    dead?: readonly number[];
};
export type AmericanGame = WallGame | SelfPicked | Discarded;
export type SetPayment = {
    way: "payment";
} & Readonly<Partial<PaymentRules>>;
export type SetTournament = {
    way: "tournament";
} & Readonly<Partial<TournamentRules>>;
export type AmericanRules = SetPayment | SetTournament;
/** @type {Readonly<PaymentRules>} */
export declare const PAYMENT: Readonly<PaymentRules>;
/** @type {Readonly<TournamentRules>} */
export declare const TOURNAMENT: Readonly<TournamentRules>;
/**
 * Return what each of the four seats gets. By payment, the four sum to zero.
 * @param {AmericanGame} game Seats are 0 to 3.
 * @param {AmericanRules} [rules] By payment if left out. Numbers that are left out are the
 *   published ones: `{ way: "tournament", exposed2Quint: 25 }`.
 * @returns {number[]}
 * @throws {AgainstTheRules}
 * @throws {RangeError} for a kind of game, or a way to count, that there is none of.
 */
export declare function settleAmerican(game: AmericanGame, rules?: AmericanRules): number[];
