import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { answered, batch, PATIENCE, settled, settledBatch } from "../../clients/js/trying.js";

// The client for Python is held to the same cases.
const { clock, chance, cases } = JSON.parse(
  readFileSync(new URL("../clients/trying.json", import.meta.url), "utf8"),
);
const ASK = {
  answered,
  settled,
  batch: (request, line, patience, lines) => batch(request, lines, line, patience),
  settled_batch: (request, line, patience, lines) => settledBatch(request, lines, line, patience),
};

for (const { name, ask, comes, lines, waits, sent, ends } of cases) {
  test(name, async () => {
    const line = new WrittenLine(comes);
    const patience = { ...PATIENCE, clock: () => clock, chance: () => chance };
    const request = { method: "POST", path: "/asked", query: {}, headers: {}, content: undefined };
    const told = await ASK[ask](request, line, patience, lines).then(tell, tellError);
    assert.deepEqual(told, ends);
    assert.deepEqual(line.waits, waits);
    assert.deepEqual(line.ahead, []);
    if (sent) assert.deepEqual(line.sent, sent);
  });
}

/** A line on which what comes is written down. */
class WrittenLine {
  constructor(comes) {
    this.ahead = [...comes];
    this.waits = [];
    this.sent = [];
  }

  send = async ({ path, content }) => {
    this.sent.push(content ?? path);
    const { lost, status, headers, json, text, is_cut, moved_to } = this.ahead.shift();
    if (lost) return { why: lost };
    const body = new TextEncoder().encode(text ?? (json ? JSON.stringify(json) : ""));
    return {
      status,
      headers: new Headers(headers),
      content: body,
      isCut: is_cut ?? false,
      movedTo: moved_to,
    };
  };

  wait = async (seconds) => {
    this.waits.push(seconds);
  };
}

function tell(came) {
  return Array.isArray(came)
    ? { lines: came.map((each) => [each.line, each.status]) }
    : { status: came.status };
}

function tellError({ name, status, code }) {
  return status === undefined ? { error: name } : { error: name, status, code };
}
