import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expectedNano, expectedTable, rate } from "../../clients/js/formula.js";
import { Ratings } from "../../clients/js/history.js";
import { rateHistory, rateOriginal } from "./vectors.js";

// From docs/rating.md.
const TABLE_SHA256 = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150";

const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
const level = (pointsCenti) => ({ ratingCenti: 150000, games: 0, mahjongs: 1, pointsCenti });

test("the table of expected scores is the published one", () => {
  const table = expectedTable();
  const bytes = Buffer.alloc(4 * table.length);
  table.forEach((score, at) => {
    bytes.writeInt32BE(score, 4 * at);
  });
  assert.equal(createHash("sha256").update(bytes).digest("hex"), TABLE_SHA256);
});

test("an expected score and the opponent's make one win, at any distance", () => {
  assert.deepEqual([0, 10000, -10000].map(expectedNano), [500000000, 640065000, 359935000]);
  assert.deepEqual([372042, 9e9, -372042, -9e9].map(expectedNano), [1e9, 1e9, 0, 0]);
});

test("the original implementation's rounds come out as it rated them", () => {
  assert.deepEqual(rateOriginal(vectors("original_elo.json")), { rounds: 200, wrong: [] });
});

test("a history in both pools comes out as on record", () => {
  assert.deepEqual(rateHistory(vectors("rating_history.json")), { rounds: 400, wrong: [] });
});

test("half a hundredth goes to the even one", () => {
  // A lead of 0.25 points is worth 0.005.
  assert.deepEqual(rate([level(25), level(0)], "league"), [0, 0]);
  assert.deepEqual(rate([level(75), level(0)], "league"), [2, -2]);
  assert.deepEqual(rate([level(75), level(0)], "social"), [0, 0]);
});

test("what Mahjic does not rate is refused", () => {
  const seat = level(0);
  for (const [seats, gameType] of [
    [[seat], "social"],
    [[1, 2, 3, 4, 5].map(level), "social"],
    [[seat, seat], "social"],
    [[seat, level(0.5)], "league"],
    [[seat, { ...seat, games: -1 }], "social"],
    [[seat, { ...seat, ratingCenti: Number.NaN }], "social"],
    [[seat, level(0)], "friendly"],
  ]) {
    assert.throws(() => rate(seats, gameType), RangeError);
  }
});

test("the scaled formula takes the average", () => {
  // The example of docs/rating.md.
  const seats = [
    { ratingCenti: 160000, games: 0, mahjongs: 2 },
    { ratingCenti: 155000, games: 0, mahjongs: 2 },
    { ratingCenti: 150000, games: 0, mahjongs: 1 },
    { ratingCenti: 145000, games: 0, mahjongs: 0 },
  ];
  const scaled = { formula: "mahjic-elo/2-scaled" };
  assert.deepEqual(rate(seats, "social", scaled), [624, 917, -384, -1157]);
  assert.throws(() => rate(seats, "social", { formula: "elo" }), RangeError);
});

test("a refused round changes nothing, and Bob is never Verified", () => {
  const ratings = new Ratings();
  const round = { gameType: "social", gamesPlayed: 1 };
  for (const players of [["ada", "ada"], ["ada"]]) {
    const results = players.map((player, place) => ({ player, mahjongs: place }));
    assert.throws(() => ratings.play(results, round), RangeError);
  }
  assert.deepEqual(ratings.mahjic("ada"), { ratingCenti: 150000, games: 0 });
  assert.throws(() => ratings.verify("BOB"), RangeError);
});
