import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { readWebhook, WebhookError } from "../../clients/js/webhooks.js";

const NOW_S = 1731705121;
const BODY = '{"type":"session.rated","name":"Zoë"}';
const OLD = "whsec_b2xkIG9sZCBvbGQgb2xkIG9sZCE=";
const NEW = "whsec_bmV3IG5ldyBuZXcgbmV3IG5ldyE=";

function signature(secret, sentS, body = BODY) {
  const key = Buffer.from(secret.slice(6), "base64");
  return `v1,${createHmac("sha256", key).update(`msg_1.${sentS}.${body}`).digest("base64")}`;
}

function headers(changes = {}, sentS = NOW_S) {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(sentS),
    "webhook-signature": signature(OLD, sentS),
    ...changes,
  };
}

const refused = (secrets, given, body = BODY) =>
  assert.rejects(readWebhook(secrets, given, body, NOW_S), WebhookError);

test("the event comes back, whatever the headers and the body are held in", async () => {
  const event = JSON.parse(BODY);
  const bytes = new TextEncoder().encode(BODY);
  assert.deepEqual(await readWebhook([OLD], headers(), BODY, NOW_S), event);
  assert.deepEqual(await readWebhook(OLD, headers(), BODY, NOW_S), event);
  assert.deepEqual(await readWebhook([OLD], new Headers(headers()), bytes, NOW_S), event);
  const capitals = Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value]);
  assert.deepEqual(await readWebhook([OLD], Object.fromEntries(capitals), bytes, NOW_S), event);
});

test("any of several secrets and signatures may fit", async () => {
  const several = { "webhook-signature": `v1a,AAAA v1,short ${signature(NEW, NOW_S)}` };
  assert.ok(await readWebhook([OLD, NEW], headers(several), BODY, NOW_S));
  await refused([OLD], headers(several));
});

test("five minutes either way are allowed, and no second more", async () => {
  for (const sentS of [NOW_S - 300, NOW_S + 300]) {
    assert.ok(await readWebhook([OLD], headers({}, sentS), BODY, NOW_S));
  }
  await refused([OLD], headers({}, NOW_S - 301));
  await refused([OLD], headers({}, NOW_S + 301));
});

test("what was changed on the way is refused", async () => {
  await refused([OLD], headers(), `${BODY} `);
  await refused([OLD], headers({ "webhook-id": "msg_2" }));
  await refused([OLD], headers({ "webhook-timestamp": String(NOW_S + 1) }));
});

test("another version of signatures counts for nothing", async () => {
  const other = signature(OLD, NOW_S).replace("v1,", "v2,");
  await refused([OLD], headers({ "webhook-signature": other }));
});

test("a malformed delivery is refused, never another fault", async () => {
  for (const name of Object.keys(headers())) {
    for (const value of ["", " ", "é", "-1", "1e9", "v1,", ["a", "b"], undefined]) {
      await refused([OLD], headers({ [name]: value }));
    }
  }
  const text = { "webhook-signature": signature(OLD, NOW_S, "no JSON") };
  await refused([OLD], headers(text), "no JSON");
});

test("a secret that is none is a mistake of the program", async () => {
  for (const secret of ["", "whsec_", "whsec_*", "whsec_abc", OLD.slice(6)]) {
    await assert.rejects(readWebhook([OLD, secret], headers(), BODY, NOW_S), TypeError);
    await assert.rejects(readWebhook(secret, headers(), BODY, NOW_S), TypeError);
  }
  await assert.rejects(readWebhook([], headers(), BODY, NOW_S), TypeError);
});
