/** The two ratings of each player over many rounds: everyone's, and that of Verified players. */

import { rate, START_CENTI } from "./formula.js";

const BOB = "BOB";
const VERIFIED_MIN = 2;

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
export class Ratings {
  /** @type {Formula | undefined} */
  #formula;
  /** @type {Pool} */
  #mahjic = new Map();
  /** @type {Pool} */
  #verified = new Map();
  /** @type {Set<string>} */
  #verifiedNow = new Set();

  /** @param {{ formula?: Formula }} [options] */
  constructor({ formula } = {}) {
    this.#formula = formula;
  }

  /**
   * Return a player's rating among everyone.
   * @param {string} player
   * @returns {Standing}
   */
  mahjic(player) {
    return standingIn(this.#mahjic, player);
  }

  /**
   * Return a player's rating among Verified players.
   * @param {string} player
   * @returns {Standing}
   */
  verified(player) {
    return standingIn(this.#verified, player);
  }

  /**
   * Count a player as Verified from now on.
   * @param {string} player
   * @throws {RangeError} for Bob.
   */
  verify(player) {
    if (player === BOB) throw new RangeError("Bob is imaginary, and never Verified.");
    this.#verifiedNow.add(player);
  }

  /**
   * Count a player as not Verified from now on; the verified rating stays as it is.
   * @param {string} player
   */
  endVerification(player) {
    this.#verifiedNow.delete(player);
  }

  /**
   * Rate a round, and return what it did to each player, in the order given.
   * @param {readonly Result[]} results
   * @param {{ gameType: GameType, gamesPlayed: number }} round
   * @returns {Rated[]}
   * @throws {RangeError} if someone sits twice, and as `rate` does; nothing has changed then.
   */
  play(results, round) {
    if (new Set(results.map(({ player }) => player)).size < results.length) {
      throw new RangeError("Somebody sits at this table twice. Give each player once.");
    }
    const among = results.filter(({ player }) => this.#verifiedNow.has(player));
    const ofAll = this.#moves(this.#mahjic, results, round);
    const ofVerified =
      among.length >= VERIFIED_MIN ? this.#moves(this.#verified, among, round) : new Map();
    return results.map(({ player }) => {
      const asItWas = movedTo(this.verified(player), this.verified(player));
      const mahjic = ofAll.get(player) ?? asItWas;
      const verified = ofVerified.get(player) ?? asItWas;
      this.#mahjic.set(player, mahjic.after);
      this.#verified.set(player, verified.after);
      return { player, mahjic, verified };
    });
  }

  /**
   * Return how a round moves its players in one pool. Bob counts, and never moves.
   * @param {Pool} pool
   * @param {readonly Result[]} results
   * @param {{ gameType: GameType, gamesPlayed: number }} round
   * @returns {Map<string, Moved>}
   */
  #moves(pool, results, { gameType, gamesPlayed }) {
    const seats = results.map(({ player, mahjongs, pointsCenti = 0 }) => ({
      ...standingIn(pool, player),
      mahjongs,
      pointsCenti,
    }));
    const changes = rate(seats, gameType, this.#formula ? { formula: this.#formula } : {});
    return new Map(
      results.map(({ player }, place) => {
        const before = standingIn(pool, player);
        const ratingCenti = before.ratingCenti + (changes[place] ?? 0);
        const after = { ratingCenti, games: before.games + gamesPlayed };
        return [player, movedTo(before, player === BOB ? before : after)];
      }),
    );
  }
}

/**
 * @param {Pool} pool
 * @param {string} player
 */
function standingIn(pool, player) {
  return { ...(pool.get(player) ?? { ratingCenti: START_CENTI, games: 0 }) };
}

/**
 * @param {Standing} before
 * @param {Standing} after
 */
function movedTo(before, after) {
  return { before, after, changeCenti: after.ratingCenti - before.ratingCenti };
}
