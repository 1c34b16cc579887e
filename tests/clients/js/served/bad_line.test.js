import assert from "node:assert/strict";
import { test } from "node:test";
import { all, aNight, auditor, club, hurried } from "./club.js";

const SESSIONS = 1000;
const AT_ONCE = 8;
const mahjic = hurried(process.env.BAD_URL);
// Only the key of a request tells one of these from a repeat of another.
const night = aNight("ada", "bo", { allow_duplicate: true });

test("a thousand sessions are on record once each, sent one by one", async () => {
  const ids = [];
  let ahead = SESSIONS;
  async function send() {
    while (ahead-- > 0) ids.push((await mahjic.submitSession(night)).session_id);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  assert.equal(new Set(ids).size, SESSIONS);
  assert.equal(await recorded(), SESSIONS);
});

test("a thousand sessions are on record once each, sent as a batch", async () => {
  const lines = Array.from({ length: SESSIONS }, () => night);
  const told = await mahjic.submitBatch(lines);
  assert.deepEqual(
    told.map(({ line }) => line),
    lines.map((_, at) => at + 1),
  );
  assert.ok(told.every(({ status }) => status < 300));
  assert.equal(new Set(told.map(({ session }) => session.session_id)).size, SESSIONS);
  assert.equal(await recorded(), 2 * SESSIONS);
});

test("lists come whole over the same line", async () => {
  const listed = await all(mahjic.sessions({ limit: 100 }));
  assert.equal(new Set(listed.map(({ session_id }) => session_id)).size, 2 * SESSIONS);
  assert.equal((await club.submitSession(aNight("cy", "di"))).status, "rated");
});

async function recorded() {
  const facts = await all(auditor.facts({ limit: 10_000 }));
  return facts.filter((fact) => JSON.parse(fact).type.startsWith("session-submitted")).length;
}
