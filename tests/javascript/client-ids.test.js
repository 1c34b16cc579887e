import assert from "node:assert/strict";
import { test } from "node:test";
import { isMahjicId, MistypedId, readMahjicId } from "../../clients/js/ids.js";

test("an ID is read as people type it", () => {
  assert.equal(readMahjicId(" mj-7k3q9xzm "), "MJ-7K3Q9XZM");
  assert.equal(readMahjicId("mj-oOo0oOLy"), "MJ-0000001Y");
  assert.equal(readMahjicId("mj-ooooooiy"), "MJ-0000001Y");
  assert.equal(readMahjicId("an-7k3q9xzm"), "AN-7K3Q9XZM");
});

test("every single wrong character is found", () => {
  const body = "7K3Q9XZM";
  for (let place = 0; place < body.length; place++) {
    for (const other of "0123456789ABCDEFGHJKMNPQRSTVWXYZU") {
      const typed = `MJ-${body.slice(0, place)}${other}${body.slice(place + 1)}`;
      assert.equal(isMahjicId(typed), typed === `MJ-${body}`, typed);
    }
  }
});

test("what is no ID at all is told apart", () => {
  for (const typed of ["", "MJ", "MJ-", "XX-7K3Q9XZM", "MJ7K3Q9XZM", "MJ-7K3Q9XZ", "MJ-ooooooıy"]) {
    assert.throws(() => readMahjicId(typed), MistypedId, typed);
  }
});
