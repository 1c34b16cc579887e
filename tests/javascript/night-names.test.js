import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting, folded } from "../../services/site/static/night-names.js";

const BOB = "Bob, the imaginary player";
const NAMES = ["Alice B.", "Bo", "Carol", "Carola Mae", "Dan Bell", "Zoë"];

test("case, accents and spaces do not matter", () => {
  assert.equal(folded("  ZOË   de\tla  "), "zoe de la");
  assert.equal(folded("Ñandú"), folded("ñandu"));
});

for (const [typed, found] of [
  ["", []],
  ["a", ["Alice B."]],
  ["carol", ["Carol"]],
  ["caro", ["Carol", "Carola Mae"]],
  ["CAROLA", ["Carola Mae"]],
  ["mae", ["Carola Mae"]],
  ["bell", ["Dan Bell"]],
  ["b", ["Bo"]],
  ["zoe", ["Zoë"]],
  ["bob", [BOB]],
  ["bob, the", [BOB]],
  ["ell", []],
  ["x", []],
]) {
  test(`“${typed}” means ${found.length ? found : "nobody"}`, () => {
    assert.deepEqual(fitting(NAMES, BOB, /** @type {string} */ (typed)), found);
  });
}
