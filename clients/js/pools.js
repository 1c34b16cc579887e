/** Moves people's standings by one round, in both pools: everyone's, and the Verified players'. */

import { rate, START_CENTI } from "./formula.js";

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
export function newcomer() {
  return {
    ratingCenti: START_CENTI,
    games: 0,
    verifiedRatingCenti: START_CENTI,
    verifiedGames: 0,
  };
}

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
export function rateBothPools(players, gameType, gamesPlayed) {
  const changes = rate(
    players.map(({ standing, ...result }) => seatOf(standing, result)),
    gameType,
  );
  const after = players.map(({ standing }, place) =>
    standing
      ? {
          ...standing,
          ratingCenti: standing.ratingCenti + (changes[place] ?? 0),
          games: standing.games + gamesPlayed,
        }
      : null,
  );
  moveVerified(players, after, gameType, gamesPlayed);
  return after;
}

/**
 * @param {readonly Player[]} players
 * @param {(Standing | null)[]} after
 * @param {GameType} gameType
 * @param {number} gamesPlayed
 */
function moveVerified(players, after, gameType, gamesPlayed) {
  const counted = players.flatMap(({ standing, isVerified, ...result }, place) => {
    const moved = after[place];
    if (!isVerified || !standing || !moved) return [];
    const verified = { ratingCenti: standing.verifiedRatingCenti, games: standing.verifiedGames };
    return [{ moved, seat: seatOf(verified, result) }];
  });
  if (counted.length < 2) return;
  const changes = rate(
    counted.map(({ seat }) => seat),
    gameType,
  );
  counted.forEach(({ moved }, at) => {
    moved.verifiedRatingCenti += changes[at] ?? 0;
    moved.verifiedGames += gamesPlayed;
  });
}

/**
 * @param {{ ratingCenti: number, games: number } | undefined} standing
 * @param {{ mahjongs: number, pointsCenti?: number }} result
 */
function seatOf(standing, { mahjongs, pointsCenti = 0 }) {
  const { ratingCenti, games } = standing ?? newcomer();
  return { ratingCenti, games, mahjongs, pointsCenti };
}
