import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  AgainstTheRules,
  BANKER_START_POINTS,
  beginWrightPatterson,
  isBankerGameOver,
  PAYMENT,
  playWrightPatterson,
  readHand,
  settleAmerican,
  settleBanker,
  settleHongKong,
  sumOfPoints,
  TOURNAMENT,
} from "../../clients/js/scoring.js";
import { scoreAll } from "./scored.js";

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/scoring.json", import.meta.url), "utf8"),
);
const code = (score) => {
  try {
    score();
  } catch (fault) {
    if (fault instanceof AgainstTheRules) return fault.code;
    throw fault;
  }
  return undefined;
};

test("every case comes out as in Python, refusals included", () => {
  const { counts, wrong } = scoreAll(vectors);
  assert.deepEqual(wrong, []);
  assert.ok(Object.values(counts).every((count) => count > 20));
});

test("a case that comes out otherwise is found", () => {
  const [first] = vectors.banker;
  const { wrong } = scoreAll({ banker: [{ ...first, expected: [12, -4, -4, -3] }] });
  assert.deepEqual(wrong[0].found, [12, -4, -4, -4]);
});

test("a club's own numbers take the place of the published ones", () => {
  const game = {
    kind: "discard",
    winner: 0,
    by: 1,
    hand: { value: 45, exposures: 2, hasQuint: true },
  };
  assert.deepEqual(settleAmerican(game, TOURNAMENT), [45, -20, 0, 0]);
  assert.deepEqual(settleAmerican(game, { ...TOURNAMENT, exposed2Quint: 25 }), [45, -25, 0, 0]);
  assert.deepEqual(settleAmerican(game, { ...PAYMENT, discarder: 4 }), [270, -180, -45, -45]);
  // Numbers that are left out are the published ones.
  assert.deepEqual(settleAmerican(game, { way: "tournament", misnamed: 0 }), [45, -20, 0, 0]);
  assert.deepEqual(settleAmerican(game, { way: "payment", others: 0 }), [90, -90, 0, 0]);
  assert.throws(() => {
    TOURNAMENT.wallGame = 0;
  }, TypeError);
});

test("points add up exactly, in numbers and texts", () => {
  assert.equal(sumOfPoints([]), "0");
  assert.equal(sumOfPoints(["0.1", "0.2"]), "0.3");
  assert.equal(sumOfPoints([16, "-4", "-4.5", 0.5]), "8");
  assert.equal(sumOfPoints(["-0.05", "-0.05"]), "-0.1");
  assert.equal(sumOfPoints(["12345678901234567890.5", "-0.5"]), "12345678901234567890");
  assert.throws(() => sumOfPoints(["1e5"]), RangeError);
  assert.throws(() => sumOfPoints([Number.NaN]), RangeError);
});

test("what only a program can get wrong is refused too", () => {
  const won = { kind: "self_draw", winner: 0, faan: 3 };
  for (const rules of [
    { base: "1e2" },
    { base: ".5" },
    { maximumFaan: 101 },
    { responsibility: "none" },
    { spiciness: "mild" },
  ]) {
    assert.throws(() => settleHongKong(won, rules), RangeError);
  }
  assert.throws(() => settleHongKong({ ...won, faan: 1.5 }), RangeError);
  assert.throws(() => settleHongKong({ ...won, kind: "robbed" }), RangeError);
  assert.throws(() => settleAmerican({ kind: "draw" }), RangeError);
  assert.throws(() => settleAmerican({ kind: "wall" }, { way: "points" }), RangeError);
  assert.equal(
    code(() => settleHongKong({ ...won, faan: 14 })),
    "faan_over_maximum",
  );
  assert.equal(
    code(() => settleHongKong({ ...won, guarantor: 0 })),
    "winner_as_discarder",
  );
  assert.equal(
    code(() => settleHongKong({ kind: "false_win", by: 4 })),
    "unknown_player",
  );
  assert.equal(
    code(() => settleBanker({ banker: 0, winner: 0.5 })),
    "unknown_player",
  );
  const hand = readHand(["13579d", "24689b", "123c"]);
  const hands = [
    [1, hand],
    [2, hand],
    [3, hand],
    [3, hand],
  ];
  const round = { prevailing: 1, win: { by: 0, worth: 50 }, hands };
  assert.equal(
    code(() => playWrightPatterson(beginWrightPatterson(), round)),
    "line_twice",
  );
});

test("a game under the banker rule book ends below 0, and at 0 it goes on", () => {
  assert.equal(isBankerGameOver([BANKER_START_POINTS, 300, 0, 0]), false);
  assert.equal(isBankerGameOver([BANKER_START_POINTS, 301, -1, 0]), true);
});
