/** The banker rule book: who pays whom for one hand, and when a game is over. */

import { AgainstTheRules, bySeat, checkSeat, othersThan } from "./rules.js";

/** What everyone has when a game starts. */
export const BANKER_START_POINTS = 100;

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
export function settleBanker({ banker, winner, by, isStandup = false, isInBetween = false }) {
  checkSeat("banker", banker);
  checkSeat("winner", winner);
  const bonus = (isStandup ? 2 : 1) * (isInBetween ? 2 : 1);
  const losers = othersThan(winner);
  /** @param {number} seat */
  const share = (seat) => (seat === banker || winner === banker ? 2 : 1);
  if (by === undefined) {
    return paidTo(
      winner,
      losers.map((seat) => [seat, 2 * share(seat) * bonus]),
    );
  }
  checkSeat("discarder", by);
  if (by === winner) {
    throw new AgainstTheRules(
      "winner_as_discarder",
      "The winner is also the discarder; no one wins off their own discard.",
    );
  }
  // The discarder pays double the own share, and the shares of the other two.
  const all = losers.reduce((sum, seat) => sum + share(seat), 0);
  return paidTo(winner, [[by, (all + share(by)) * bonus]]);
}

/**
 * Return whether a game has ended: someone is below 0; with 0 the game goes on.
 * @param {readonly number[]} points
 */
export function isBankerGameOver(points) {
  return points.some((each) => each < 0);
}

/**
 * @param {number} winner
 * @param {readonly [number, number][]} payments
 */
function paidTo(winner, payments) {
  const sum = payments.reduce((total, [, points]) => total + points, 0);
  /** @type {[number, number][]} */
  const lost = payments.map(([seat, points]) => [seat, -points]);
  return bySeat(new Map([...lost, [winner, sum]]));
}
