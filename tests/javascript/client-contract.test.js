import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Mahjic } from "../../clients/js/client.js";

const { paths, components } = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
);
const OPTION_OF = { Prefer: "wait", "Idempotency-Key": "idempotencyKey" };

const routes = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, entry]) => ({ method: method.toUpperCase(), path, entry })),
);

for (const { method, path, entry } of routes) {
  test(`${entry.operationId} asks for all that is documented`, async () => {
    const { fetch, asked } = recorder();
    const mahjic = new Mahjic({ url: "http://mahjic.test/at/", key: "mjk_secret", fetch });
    const { parts, query, fields, headers, isSheet } = documented(entry);
    const options = Object.fromEntries(
      [...query, ...fields, ...headers.map((name) => OPTION_OF[name])].map((name) => [name, 7]),
    );
    if (isSheet) options.file = "a,b\n";
    const values = parts.map((name) => `a ${name}/é`);
    const name = camel(entry.operationId);
    if (name === "submitBatch") await mahjic.submitBatch([{ a: 1 }], options);
    else await mahjic[name](...values, options);
    const { url, init } = asked[0];
    assert.equal(init.method, method);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, part) => encodeURIComponent(`a ${part}/é`));
    assert.equal(url.pathname, `/at${filled}`);
    const inQuery = query.filter((each) => !fields.includes(each));
    assert.deepEqual([...url.searchParams.keys()].sort(), inQuery.sort());
    assert.equal(init.headers.get("authorization"), "Bearer mjk_secret");
    assert.equal(init.headers.get("prefer"), headers.includes("Prefer") ? "wait=7" : null);
    assert.equal(init.headers.has("idempotency-key"), headers.includes("Idempotency-Key"));
    const taken = Object.keys(entry.requestBody?.content ?? { none: {} });
    const type = init.headers.get("content-type") ?? "none";
    assert.ok(taken.includes(type), `${type} is not of ${taken}`);
    if (type === "application/json") {
      assert.deepEqual(Object.keys(JSON.parse(init.body)).sort(), fields.sort());
    }
  });
}

test("every method that asks is a documented one, or goes through what one lists", () => {
  const documentedNames = routes.map(({ entry }) => camel(entry.operationId));
  const names = [Mahjic, Object.getPrototypeOf(Mahjic)].flatMap((each) =>
    Object.getOwnPropertyNames(each.prototype),
  );
  const others = names.filter((name) => !documentedNames.includes(name)).sort();
  const lists = ["changeProofs", "changedRounds", "disputes", "facts", "factSalts", "history"];
  const boards = ["leaderboard", "regionLeaderboard", "sourceLeaderboard"];
  const more = ["sessions", "verdicts", "verdictSalts", "wrongAddresses", ...boards];
  const classes = ["constructor", "constructor"];
  assert.deepEqual(others, [...lists, ...more, ...classes, "batch", "events"].sort());
});

/** Return a fetch that answers everything with the same, and what it was asked. */
function recorder() {
  const asked = [];
  const fetch = async (url, init) => {
    asked.push({ url, init });
    const isBatch = url.pathname.endsWith("/batch");
    return new Response(isBatch ? '{"line":1,"status":201}\n' : "{}", {
      headers: { "mahjic-log-id": "a-log" },
    });
  };
  return { fetch, asked };
}

function documented({ parameters = [], requestBody }) {
  const named = (place) => parameters.filter((each) => each.in === place).map((each) => each.name);
  const content = requestBody?.content ?? {};
  const { schema } = content["application/json"] ?? {};
  const body = schema?.$ref ? components.schemas[schema.$ref.split("/").at(-1)] : schema;
  return {
    parts: named("path"),
    query: named("query"),
    headers: named("header"),
    fields: Object.keys(body?.properties ?? {}),
    isSheet: "text/csv" in content,
  };
}

function camel(id) {
  return id.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}
