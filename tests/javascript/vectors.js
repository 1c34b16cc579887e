/** Rates all rounds of tests/vectors, in Node as in a browser, and tells what came out otherwise. */

import { rate } from "../../clients/js/formula.js";
import { Ratings } from "../../clients/js/history.js";

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
  const ratings = new Ratings();
  const wrong = [];
  let rounds = 0;
  steps.forEach((step, at) => {
    if (step.op === "verify") ratings.verify(step.player);
    else if (step.op === "unverify") ratings.endVerification(step.player);
    else {
      rounds += 1;
      const found = played(ratings, step).map(told);
      if (JSON.stringify(found) !== JSON.stringify(step.expect.map(numbersOf))) wrong.push(at);
    }
  });
  return { rounds, wrong };
}

function played(ratings, { players, game_type, games_played }) {
  const results = players.map(({ player, mahjongs, points_centi = 0 }) => ({
    player,
    mahjongs,
    pointsCenti: points_centi,
  }));
  return ratings.play(results, { gameType: game_type, gamesPlayed: games_played });
}

function told({ mahjic, verified }) {
  return [mahjic, verified].map(({ before, after, changeCenti }) => [
    before.ratingCenti,
    changeCenti,
    after.ratingCenti,
    after.games,
  ]);
}

function numbersOf(expect) {
  return ["", "verified_"].map((pool) => [
    expect[`${pool}rating_before`],
    expect[`${pool}rating_change`],
    expect[`${pool}rating_after`],
    expect[`${pool}games_total`],
  ]);
}
