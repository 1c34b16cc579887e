/** Rates all rounds of tests/vectors, in Node as in a browser, and tells what came out otherwise. */

import { rate } from "../../clients/js/formula.js";
import { newcomer, rateBothPools } from "../../clients/js/pools.js";

/** Return how many rounds of original_elo.json were rated, and those with other changes. */
export function rateOriginal({ vectors }) {
  const wrong = vectors.filter(({ players, points_bonus, changes }) => {
    const seats = players.map(({ rating, games_before, mahjongs, points = 0 }) => ({
      ratingCenti: Math.round(rating * 100),
      games: games_before,
      mahjongs,
      pointsCenti: Math.round(points * 100),
    }));
    const found = rate(seats, points_bonus ? "league" : "social");
    return String(found) !== String(changes.map((change) => Math.round(change * 100)));
  });
  return { rounds: vectors.length, wrong: wrong.map(({ name }) => name) };
}

/** Return how many rounds of rating_history.json were rated, and the steps with other numbers. */
export function rateHistory({ steps }) {
  const standings = new Map();
  const verified = new Set();
  const wrong = [];
  let rounds = 0;
  steps.forEach((step, at) => {
    if (step.op === "verify") verified.add(step.player);
    else if (step.op === "unverify") verified.delete(step.player);
    else {
      rounds += 1;
      const moved = moveAll(step, standings, verified);
      if (JSON.stringify(moved) !== JSON.stringify(step.expect.map(numbersOf))) wrong.push(at);
    }
  });
  return { rounds, wrong };
}

function moveAll({ players, game_type, games_played }, standings, verified) {
  const before = players.map(({ player }) => standings.get(player) ?? newcomer());
  const seats = players.map(({ player, mahjongs, points_centi = 0 }, place) => ({
    ...(player === "BOB" ? {} : { standing: before[place] }),
    isVerified: verified.has(player),
    mahjongs,
    pointsCenti: points_centi,
  }));
  const after = rateBothPools(seats, game_type, games_played);
  return players.map(({ player }, place) => {
    const was = before[place];
    const is = after[place] ?? was;
    if (player !== "BOB") standings.set(player, is);
    return [
      [was.ratingCenti, is.ratingCenti - was.ratingCenti, is.ratingCenti, is.games],
      [
        was.verifiedRatingCenti,
        is.verifiedRatingCenti - was.verifiedRatingCenti,
        is.verifiedRatingCenti,
        is.verifiedGames,
      ],
    ];
  });
}

function numbersOf(expect) {
  return ["", "verified_"].map((pool) => [
    expect[`${pool}rating_before`],
    expect[`${pool}rating_change`],
    expect[`${pool}rating_after`],
    expect[pool ? "verified_games_total" : "games_total"],
  ]);
}
