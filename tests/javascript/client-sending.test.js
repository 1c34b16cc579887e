import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { Mahjic } from "../../clients/js/client.js";
import { BadRequest, MahjicError, NoAnswer, Refused, TooBusy } from "../../clients/js/errors.js";

const KEY = "mjk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

/** Run a server while a test runs, and return its address. */
async function served(context, answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

function answerWith(status, headers = {}, body = "{}") {
  return (_, response) => response.writeHead(status, headers).end(body);
}

test("a key goes to no other server, whoever sends it there", async (context) => {
  const came = [];
  const other = await served(context, (request, response) => {
    came.push(request.headers);
    response.end('{"player_id":"MJ-7K3Q9XZM"}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await served(context, answerWith(status, { location: `${other}/v1/sources` }));
    const withKey = new Mahjic({ url, key: KEY });
    await assert.rejects(withKey.listSources(), (fault) => fault.status === status);
    await assert.rejects(withKey.submitSession({}), (fault) => fault instanceof Refused);
    assert.deepEqual(came, []);
    // Whoever has no key has nothing to lose.
    await new Mahjic({ url }).listSources();
    assert.equal(came.pop().authorization, undefined);
  }
});

test("a player who was merged is found on the same server, with the key", async (context) => {
  const came = [];
  const url = await served(context, (request, response) => {
    came.push([request.url, request.headers.authorization]);
    if (request.url.includes("MJ-0000001Y")) {
      response.writeHead(308, { location: "/v1/players/MJ-7K3Q9XZM?min_seq=7" }).end();
    } else response.end('{"player_id":"MJ-7K3Q9XZM"}');
  });
  for (const key of [KEY, undefined]) {
    const mahjic = new Mahjic(key ? { url, key } : { url });
    assert.equal((await mahjic.getPlayer("MJ-0000001Y", { min_seq: 7 })).player_id, "MJ-7K3Q9XZM");
    const authorization = key && `Bearer ${key}`;
    assert.deepEqual(came.splice(0), [
      ["/v1/players/MJ-0000001Y?min_seq=7", authorization],
      ["/v1/players/MJ-7K3Q9XZM?min_seq=7", authorization],
    ]);
  }
});

test("where a browser hides where a page has moved, it is followed without the key", async () => {
  const came = [];
  const fetch = async (_, { redirect, headers }) => {
    came.push([redirect, headers.has("authorization")]);
    if (redirect === "follow") return new Response("{}");
    return Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  };
  await new Mahjic({ url: "http://mahjic.test", key: KEY, fetch }).getPlayer("MJ-0000001Y");
  assert.deepEqual(came, [
    ["manual", true],
    ["follow", false],
  ]);
});

test("what has a body follows nowhere, also where a browser hides where to", async (context) => {
  const came = [];
  const other = await served(context, (request, response) => {
    came.push(request.method);
    response.end("{}");
  });
  const score = { games: "Ann Bea Cy Di", players: { Ann: "ann@example.com" } };
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await served(context, answerWith(status, { location: `${other}/v1/games` }));
    await assert.rejects(new Mahjic({ url }).scoreGames("hong-kong", score), BadRequest);
  }
  assert.deepEqual(came, []);
  const asked = [];
  const fetch = async (_, { method, redirect }) => {
    asked.push([method, redirect]);
    return Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  };
  for (const key of [KEY, undefined]) {
    const mahjic = new Mahjic({ url: "http://mahjic.test", fetch, ...(key && { key }) });
    const sent = [mahjic.scoreGames("hong-kong", score), mahjic.submitBatch([{}])];
    for (const each of sent) {
      await assert.rejects(each, (fault) => fault.constructor === MahjicError);
    }
  }
  assert.deepEqual(asked, Array(4).fill(["POST", "manual"]));
});

test("what a proxy says in a shape of its own is told by its status", async (context) => {
  const mistake = { pointer: "/a", code: "b", message: "Correct it." };
  const body = JSON.stringify({
    detail: 7,
    code: [],
    errors: ["upstream", null, { message: "No." }, mistake],
  });
  const url = await served(context, answerWith(500, {}, body));
  await assert.rejects(new Mahjic({ url }).listSources(), (fault) => {
    assert.ok(fault instanceof TooBusy);
    assert.deepEqual([fault.code, fault.mistakes], ["", [mistake]]);
    assert.equal(fault.message, "Mahjic answered with status 500.\n/a: Correct it.");
    return true;
  });
});

test("nothing that shows the client or its faults shows the key", async (context) => {
  const url = await served(context, answerWith(403, {}, '{"code":"forbidden","detail":"No."}'));
  const away = "http://127.0.0.1:1";
  const patience = { triesMax: 1 };
  const shown = [];
  for (const mahjic of [url, away].map((each) => new Mahjic({ url: each, key: KEY, patience }))) {
    shown.push(mahjic, `${mahjic}`);
    const fault = await mahjic.listSessions().catch((each) => each);
    assert.ok(fault instanceof Refused || fault instanceof NoAnswer);
    shown.push(fault, fault.stack);
  }
  for (const wrong of [`${KEY}\n`, `${KEY} `, `${KEY}é`]) {
    assert.throws(
      () => new Mahjic({ url, key: wrong }),
      (fault) => fault instanceof TypeError && shown.push(fault, fault.stack) > 0,
    );
  }
  for (const each of shown) {
    const deep = inspect(each, { depth: 9, showHidden: true, getters: true });
    assert.ok(!`${deep}${JSON.stringify(each)}${each}`.includes(KEY.slice(4)));
  }
});

test("what is no address of a server is refused at once", () => {
  for (const url of [
    "",
    "mahjic.org",
    "ftp://mahjic.org",
    "https://a:b@mahjic.org/",
    "http://a/?b",
  ]) {
    assert.throws(() => new Mahjic({ url }), TypeError, url);
  }
});

test("an id that would change the address is refused", async () => {
  const fetch = () => assert.fail("It was sent.");
  const mahjic = new Mahjic({ url: "http://mahjic.test", fetch });
  for (const id of ["", ".", ".."]) await assert.rejects(mahjic.getPlayer(id), TypeError);
});

test("a call ends when its signal says so, while it is sent and while it waits", async (context) => {
  const reason = new Error("No longer needed.");
  const stop = new AbortController();
  let asked = 0;
  const silent = await served(context, () => stop.abort(reason));
  const { signal } = stop;
  await assert.rejects(
    new Mahjic({ url: silent }).listSources({ signal }),
    (each) => each === reason,
  );
  await assert.rejects(
    new Mahjic({ url: silent }).listSources({ signal }),
    (each) => each === reason,
  );
  const later = new AbortController();
  const busy = await served(context, (_, response) => {
    asked += 1;
    response.writeHead(503, { "retry-after": "60" }).end(() => later.abort(reason));
  });
  const waiting = new Mahjic({ url: busy }).listSources({ signal: later.signal });
  await assert.rejects(waiting, (each) => each === reason);
  assert.equal(asked, 1);
  const halfway = new AbortController();
  const slow = await served(context, (_, response) => {
    response.writeHead(200).write('{"sources":', () => halfway.abort(reason));
  });
  const reading = new Mahjic({ url: slow }).listSources({ signal: halfway.signal });
  await assert.rejects(reading, (each) => each === reason);
});

test("a server that falls silent is as good as lost", async (context) => {
  let asked = 0;
  const url = await served(context, (_, response) => {
    asked += 1;
    if (asked === 2) response.writeHead(200).write("{");
    if (asked === 3) response.end('{"sources":[]}');
  });
  const patience = { waitSFirst: 0.001 };
  const mahjic = new Mahjic({ url, patience, silenceSMax: 0.2 });
  assert.deepEqual(await mahjic.listSources(), { sources: [] });
  const once = new Mahjic({ url, patience: { triesMax: 1 }, silenceSMax: 0.2 });
  await assert.rejects(once.listSources(), /Mahjic does not answer: silent for 0.2 s/);
});

test("each call has a key of its own, the same for all its tries", async () => {
  const keys = [];
  const fetch = async (_, { headers }) => {
    keys.push(headers.get("idempotency-key"));
    return new Response("{}", { status: keys.length % 2 ? 503 : 201 });
  };
  const mahjic = new Mahjic({ url: "http://mahjic.test", fetch, patience: { waitSFirst: 0 } });
  await mahjic.submitSession({});
  await mahjic.voidSession("ses_1", { reason: "other" });
  await mahjic.submitSession({ idempotencyKey: "my own" });
  assert.deepEqual(
    [keys[0] === keys[1], keys[2] === keys[3], keys[0] === keys[2]],
    [true, true, false],
  );
  assert.match(keys[0], /^[0-9a-f]{32}$/);
  assert.deepEqual(keys.slice(4), ["my own", "my own"]);
});

test("lines that are not rated yet are sent again as they were, unless a wait is set", async () => {
  const bodies = [];
  const fetch = async (_, { body }) => {
    bodies.push(body);
    const statuses = bodies.length === 1 ? [201, 202] : [200];
    return new Response(statuses.map((status) => `{"status":${status}}\n`).join(""));
  };
  const patience = { waitSFirst: 0 };
  const mahjic = new Mahjic({ url: "http://mahjic.test", fetch, patience });
  const statuses = async (options) =>
    (await mahjic.submitBatch([{}, {}], options)).map(({ line, status }) => [line, status]);
  assert.deepEqual(await statuses(), [
    [1, 201],
    [2, 200],
  ]);
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0].split("\n")[1], bodies[1].trim());
  bodies.length = 0;
  assert.deepEqual(await statuses({ wait: 0 }), [
    [1, 201],
    [2, 202],
  ]);
  assert.equal(bodies.length, 1);
});

test("a line or a call whose key is left empty gets one", async () => {
  const bodies = [];
  const fetch = async (_, { headers, body }) => {
    bodies.push(body ?? "", headers.get("idempotency-key"));
    return new Response('{"status":201}\n'.repeat(4));
  };
  const mahjic = new Mahjic({ url: "http://mahjic.test", fetch });
  const keys = [undefined, null, "", "my own"];
  await mahjic.submitBatch(keys.map((idempotency_key) => ({ idempotency_key })));
  const sent = bodies[0].trim().split("\n");
  const told = sent.map((line) => JSON.parse(line).idempotency_key);
  assert.deepEqual(
    told.map((each) => each.replace(/^[0-9a-f]{32}/, "made")),
    ["made-1", "made-2", "made-3", "my own"],
  );
  for (const idempotencyKey of keys.slice(0, 3)) {
    await mahjic.submitSession({ idempotencyKey }).catch(() => {});
    assert.match(bodies.at(-1), /^[0-9a-f]{32}$/);
  }
});

for (const body of ["", "1", "null", "[1]\n", "<h1>It works!</h1>\n", '{"a":'.repeat(100_000)]) {
  test(`an answer of ${body.slice(0, 9).trim() || "nothing"} is not Mahjic's`, async () => {
    await assertStrange(body, [
      (mahjic) => mahjic.listSources(),
      (mahjic) => mahjic.submitSession({}),
      (mahjic) => mahjic.forgetPlayer("MJ-7K3Q9XZM"),
      (mahjic) => mahjic.history("MJ-7K3Q9XZM").next(),
      (mahjic) => mahjic.sessions().next(),
      (mahjic) => mahjic.events().next(),
      (mahjic) => mahjic.listFacts(),
      (mahjic) => mahjic.facts().next(),
    ]);
  });
}

test("a list that is none is not Mahjic's", async () => {
  await assertStrange('{"sessions":7,"events":7,"next_after":7}', [
    (mahjic) => mahjic.sessions().next(),
    (mahjic) => mahjic.events().next(),
  ]);
});

async function assertStrange(body, asks) {
  const fetch = async () => new Response(body);
  const mahjic = new Mahjic({ url: "http://mahjic.test", fetch });
  for (const ask of asks) {
    await assert.rejects(ask(mahjic), (fault) => {
      assert.equal(fault.constructor, MahjicError);
      assert.match(fault.message, /Is this the address of Mahjic\?/);
      return true;
    });
  }
}
