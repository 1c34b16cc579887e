/** A club at the service under test: its clients, and nights that nobody else has played. */

import { Mahjic } from "../../../../clients/js/index.js";

const { MAHJIC_URL: url, SOURCE_KEY, OPERATOR_KEY, AUDITOR_KEY } = process.env;

export const club = new Mahjic({ url, key: SOURCE_KEY });
export const operator = new Mahjic({ url, key: OPERATOR_KEY });
export const auditor = new Mahjic({ url, key: AUDITOR_KEY });
export const anyone = new Mahjic({ url });

/**
 * Return a client that tries often and never waits long, for a line on which much goes wrong.
 * @param {string} url
 */
export function hurried(url) {
  const patience = { triesMax: 60, waitSFirst: 0.002, waitSMax: 0.004 };
  return new Mahjic({ url, key: SOURCE_KEY, patience });
}

/** Return a night of two players, of whom the first wins. Only its key tells it from a repeat. */
export function aNight(winner, loser, more = {}) {
  const players = [winner, loser].map((name, place) => ({
    email: `${name}@example.com`,
    games_played: 4,
    mahjongs: place === 0 ? 3 : 1,
  }));
  return {
    session_date: "2026-01-31",
    game_type: "social",
    rounds: [{ players, wall_games: 0 }],
    ...more,
  };
}

/** Return all that an iterator yields. */
export async function all(rows) {
  const listed = [];
  for await (const row of rows) listed.push(row);
  return listed;
}
