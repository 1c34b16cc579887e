/**
 * The American rules: what one game by the card of the year brings each player, in whole numbers.
 *
 * There are two ways to count, each a table of numbers that a club may set: by payment, as the
 * National Mah Jongg League has it, and by tournament points, as organizers publish them.
 */

import { AgainstTheRules, bySeat, checkSeat, othersThan } from "./rules.js";

/**
 * How many times the value of the hand each player pays the winner.
 * @typedef {object} PaymentRules
 * @property {"payment"} way
 * @property {number} discarder
 * @property {number} others Each of the other two, off a discard.
 * @property {number} selfPicked Each of the three.
 * @property {number} noJokers Multiplies all of it.
 * @property {number} misnamed Who misnamed the tile; the others pay nothing.
 */

/**
 * What is added to the value for the winner, and what a discarder loses by the winner's exposures.
 * @typedef {object} TournamentRules
 * @property {"tournament"} way
 * @property {number} selfPicked
 * @property {number} noJokers
 * @property {number} exposed0
 * @property {number} exposed1
 * @property {number} exposed2
 * @property {number} exposed2Quint Two exposures, one of them a quint.
 * @property {number} exposed3 Three or more.
 * @property {number} misnamed
 * @property {number} wallGame For each living hand.
 */

/**
 * The hand of the winner.
 * @typedef {object} WinningHand
 * @property {number} value As on the card: 20 to 100, in steps of 5.
 * @property {boolean} [hasNoJokers]
 * @property {boolean} [isSinglesAndPairs]
 * @property {number} [exposures] 0 to 4.
 * @property {boolean} [hasQuint] Whether one of the exposures is a quint.
 */

/**
 * A game: no one wins, the winner picks the last tile, or claims what seat `by` discards. `dead`
 * are the seats with dead hands.
 * @typedef {{ kind: "wall", dead?: readonly number[] }} WallGame
 * @typedef {{
 *   kind: "self_picked", winner: number, hand: WinningHand, dead?: readonly number[]
 * }} SelfPicked
 * @typedef {{
 *   kind: "discard", winner: number, hand: WinningHand, by: number, isMisnamed?: boolean,
 *   dead?: readonly number[]
 * }} Discarded
 * @typedef {WallGame | SelfPicked | Discarded} AmericanGame
 */

/**
 * A way to count, with the numbers that a club has set.
 * @typedef {{ way: "payment" } & Readonly<Partial<PaymentRules>>} SetPayment
 * @typedef {{ way: "tournament" } & Readonly<Partial<TournamentRules>>} SetTournament
 * @typedef {SetPayment | SetTournament} AmericanRules
 */

const KINDS = ["wall", "self_picked", "discard"];
const VALUE_MIN = 20;
const VALUE_MAX = 100;
const VALUE_STEP = 5;
const EXPOSURES_MAX = 4; // A hand has 14 tiles, and an exposure at least three.

/** @type {Readonly<PaymentRules>} */
export const PAYMENT = Object.freeze({
  way: "payment",
  discarder: 2,
  others: 1,
  selfPicked: 2,
  noJokers: 2,
  misnamed: 4,
});

/** @type {Readonly<TournamentRules>} */
export const TOURNAMENT = Object.freeze({
  way: "tournament",
  selfPicked: 10,
  noJokers: 20,
  exposed0: 10,
  exposed1: 10,
  exposed2: 20,
  exposed2Quint: 20,
  exposed3: 25,
  misnamed: 25,
  wallGame: 10,
});

/**
 * Return what each of the four seats gets. By payment, the four sum to zero.
 * @param {AmericanGame} game Seats are 0 to 3.
 * @param {AmericanRules} [rules] By payment if left out. Numbers that are left out are the
 *   published ones: `{ way: "tournament", exposed2Quint: 25 }`.
 * @returns {number[]}
 * @throws {AgainstTheRules}
 * @throws {RangeError} for a kind of game, or a way to count, that there is none of.
 */
export function settleAmerican(game, rules = PAYMENT) {
  if (!KINDS.includes(game.kind)) {
    throw new RangeError(`The kind of game is ${game.kind}. Give one of ${KINDS.join(", ")}.`);
  }
  if (game.kind !== "wall") checkHand(game.hand);
  checkSeats(game);
  switch (rules.way) {
    case "payment":
      return byPayment(game, { ...PAYMENT, ...rules });
    case "tournament":
      return byPoints(game, { ...TOURNAMENT, ...rules });
    default:
      throw new RangeError('A way to count is "payment" or "tournament". Give one of them.');
  }
}

/**
 * @param {AmericanGame} game
 * @param {PaymentRules} rules
 */
function byPayment(game, rules) {
  if (game.kind === "wall") return bySeat(new Map());
  const worth = game.hand.value * (countsAsJokerless(game.hand) ? rules.noJokers : 1);
  const paid = new Map(timesPaid(game, rules).map(([seat, times]) => [seat, worth * times]));
  const sum = [...paid.values()].reduce((total, each) => total + each, 0);
  const lost = [...paid].map(([seat, each]) => /** @type {[number, number]} */ ([seat, 0 - each]));
  return bySeat(new Map([...lost, [game.winner, sum]]));
}

/**
 * @param {SelfPicked | Discarded} game
 * @param {PaymentRules} rules
 * @returns {[number, number][]} Who pays, and how many times the value.
 */
function timesPaid(game, rules) {
  if (game.kind === "self_picked") {
    return othersThan(game.winner).map((seat) => [seat, rules.selfPicked]);
  }
  if (game.isMisnamed) return [[game.by, rules.misnamed]];
  return othersThan(game.winner).map((seat) => [
    seat,
    seat === game.by ? rules.discarder : rules.others,
  ]);
}

/**
 * @param {AmericanGame} game
 * @param {TournamentRules} rules
 */
function byPoints(game, rules) {
  if (game.kind === "wall") {
    const living = [0, 1, 2, 3].filter((seat) => !game.dead?.includes(seat));
    return bySeat(new Map(living.map((seat) => [seat, rules.wallGame])));
  }
  const won = game.hand.value + (countsAsJokerless(game.hand) ? rules.noJokers : 0);
  if (game.kind === "self_picked") return bySeat(new Map([[game.winner, won + rules.selfPicked]]));
  const lost = game.isMisnamed ? rules.misnamed : lostByDiscarder(game.hand, rules);
  return bySeat(
    new Map([
      [game.winner, won],
      [game.by, 0 - lost],
    ]),
  );
}

/**
 * Return what a discard costs in a tournament: the more the winner had exposed, the more.
 * @param {WinningHand} hand
 * @param {TournamentRules} rules
 */
function lostByDiscarder({ exposures = 0, hasQuint = false }, rules) {
  if (exposures === 2) return hasQuint ? rules.exposed2Quint : rules.exposed2;
  if (exposures > 2) return rules.exposed3;
  return exposures ? rules.exposed1 : rules.exposed0;
}

/**
 * Return whether a hand is rewarded for it: singles and pairs never have jokers.
 * @param {WinningHand} hand
 */
function countsAsJokerless({ hasNoJokers = false, isSinglesAndPairs = false }) {
  return hasNoJokers && !isSinglesAndPairs;
}

/** @param {WinningHand} hand */
function checkHand({ value, isSinglesAndPairs = false, exposures = 0, hasQuint = false }) {
  const isOnACard = value >= VALUE_MIN && value <= VALUE_MAX && value % VALUE_STEP === 0;
  if (!isOnACard) {
    throw new AgainstTheRules(
      "no_such_value",
      `No hand on the card is worth ${value}; the values are ${VALUE_MIN} to ${VALUE_MAX}, in ` +
        `steps of ${VALUE_STEP}.`,
    );
  }
  if (!Number.isInteger(exposures) || exposures < 0 || exposures > EXPOSURES_MAX) {
    throw impossible(
      `A hand has at most ${EXPOSURES_MAX} exposures, but this one has ${exposures}. Count the ` +
        "groups that the winner had exposed.",
    );
  }
  if (isSinglesAndPairs && exposures) {
    throw impossible("A hand of singles and pairs has no exposures; leave out one or the other.");
  }
  if (hasQuint && !exposures) {
    throw impossible(
      "An exposed quint is one of the exposures; say how many there are, or leave the quint out.",
    );
  }
}

/** @param {string} message */
function impossible(message) {
  return new AgainstTheRules("impossible_hand", message);
}

/** @param {AmericanGame} game */
function checkSeats(game) {
  /** @type {[string, number][]} */
  const roles = game.kind === "wall" ? [] : [["winner", game.winner]];
  if (game.kind === "discard") roles.push(["discarder", game.by]);
  const dead = [...new Set(game.dead)].sort((one, other) => one - other);
  for (const [role, seat] of roles) checkSeat(role, seat);
  for (const seat of dead) checkSeat("player with a dead hand", seat);
  if (game.kind === "discard" && game.by === game.winner) {
    throw new AgainstTheRules(
      "winner_as_discarder",
      "The winner is also the discarder; no one wins off their own discard.",
    );
  }
  for (const [role, seat] of roles) {
    if (dead.includes(seat)) {
      throw new AgainstTheRules(
        "dead_hand_plays",
        `The ${role} has a dead hand; who is dead neither wins nor discards.`,
      );
    }
  }
}
