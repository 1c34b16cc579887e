import assert from "node:assert/strict";
import { test } from "node:test";
import { slotAt, spotOf, wordsOf } from "../../services/site/static/chart.js";

const SCALE = { left: 50, top: 28, right: 650, bottom: 292, low: 1400, high: 1800, slots: 4 };
const ADA = { name: "Ada", rating: "1753", moved: "up 21" };
const BEA = { name: "Bea", rating: "1490", moved: "" };

test("a rating stands in the box of its chart", () => {
  assert.deepEqual(spotOf(SCALE, 0, 1800), { x: 50, y: 28 });
  assert.deepEqual(spotOf(SCALE, 3, 1400), { x: 650, y: 292 });
  assert.deepEqual(spotOf(SCALE, 1, 1600), { x: 250, y: 160 });
});

test("the only rating stands at the right, as the chart draws it", () => {
  assert.equal(spotOf({ ...SCALE, slots: 1 }, 0, 1600).x, 650);
});

test("a finger finds the nearest session, and never one beyond the ends", () => {
  assert.deepEqual(
    [-99, 50, 149, 151, 650, 9999].map((x) => slotAt(SCALE, x)),
    [0, 0, 0, 1, 3, 3],
  );
});

test("a row is told as people would say it", () => {
  assert.equal(wordsOf("Jan 31, 2026", [ADA], "", false), "Jan 31, 2026: 1753, up 21");
  assert.equal(
    wordsOf("Jan 31, 2026", [ADA, BEA], "Correction", true),
    "Jan 31, 2026: Ada 1753, up 21; Bea 1490. Correction",
  );
});
