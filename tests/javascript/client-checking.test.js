import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign, webcrypto } from "node:crypto";
import { test } from "node:test";
import { checkPlayer } from "../../clients/js/checking.js";

globalThis.crypto ??= webcrypto; // Node 18 has it under this name only.

const HOST = "mahjic.example";
const URL_OF_IT = `https://${HOST}`;
const WHO = "MJ-7K3Q9XZM";
const OTHER = "MJ-0000001Y";

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const each of parts) hash.update(each);
  return hash.digest();
};
const leafHash = (entry) => sha256(Buffer.from([0]), entry);
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const base64 = (data) => Buffer.from(data).toString("base64");

/** A key that signs notes, as the definitions say: kind 1 of a log, 4 of a witness. */
function noteKey(name, kind) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const data = Buffer.concat([Buffer.from([kind]), raw]);
  const id = sha256(`${name}\n`, data).subarray(0, 4);
  return {
    text: `${name}+${id.toString("hex")}+${base64(data)}`,
    line(text) {
      const time = Buffer.alloc(kind === 4 ? 8 : 0);
      if (kind === 4) time.writeBigUInt64BE(1770000000n);
      const signed = kind === 4 ? `cosignature/v1\ntime 1770000000\n${text}` : text;
      const made = Buffer.concat([id, time, sign(null, Buffer.from(signed), privateKey)]);
      return `\u2014 ${name} ${base64(made)}\n`;
    },
  };
}

/** A log of some leaves, of which one is proved; five leaves, so that a node goes up as it is. */
function logOf(name, entries, witness) {
  const key = noteKey(`${HOST}/${name}`, 1);
  const [a, b, c, d, e] = entries.map(leafHash);
  const root = nodeHash(nodeHash(nodeHash(a, b), nodeHash(c, d)), e);
  const text = `${HOST}/${name}\n5\n${base64(root)}\n`;
  const note = `${text}\n${key.line(text)}${witness.line(text)}`;
  const proofs = [
    [b, nodeHash(c, d), e],
    null,
    null,
    null,
    [nodeHash(nodeHash(a, b), nodeHash(c, d))],
  ];
  return {
    key,
    note,
    proof: (index) => proofs[index].map(base64),
    leaf: (index) => base64([a, b, c, d, e][index]),
  };
}

// Two newcomers, one game to nothing: 32 * (1 - 0.5) for the winner.
const LINE = {
  player_id: OTHER,
  player: OTHER,
  rating_before: 1500,
  expected: 0.5,
  actual: 1,
  k: 32,
  points_bonus: 0,
  pair_gain: 16,
  pair_gain_nano: 16_000_000_000,
};
const WHY = {
  type: "round",
  change_id: `${WHO}.5.1`,
  fact_seq: 5,
  played_as: null,
  session_id: "ses_1",
  round_number: 1,
  games_played: 1,
  mahjongs: 1,
  points: null,
  formula: "mahjic-elo/1",
  mahjic: {
    counted: true,
    rating_before: 1500,
    games_before: 0,
    lines: [LINE],
    sum_nano: 16_000_000_000,
    divided_by: 1,
    rounding_nano: 0,
    rating_change: 16,
    rating_after: 1516,
  },
  verified: {
    counted: false,
    rating_before: 1500,
    games_before: 0,
    lines: [],
    sum_nano: 0,
    divided_by: 1,
    rounding_nano: 0,
    rating_change: 0,
    rating_after: 1500,
  },
};
const FACT = JSON.stringify({ id: "5", data: { session_id: "ses_1" } });
const ROUND = {
  players: [WHO, OTHER],
  games_played: 1,
  mahjongs: [1, 0],
  rating_before: [150000, 150000],
  rating_change: [1600, -1600],
  games_before: [0, 0],
  verified_rating_before: [150000, 150000],
  verified_rating_change: [0, 0],
  verified_games_before: [0, 0],
};
const VERDICT = JSON.stringify({
  id: "5.1",
  data: { fact_seq: 5, fact_chain: "", session_id: "ses_1", rounds: [ROUND] },
});

/** Everything that a service answers about one player, by path; tests alter it. */
function service() {
  const witness = noteKey("witness.example", 4);
  const salt = sha256("a salt");
  const hidden = sha256("chain values");
  const others = ["one", "two", "three", "four"].map((each) => sha256(each));
  const logs = {
    facts: logOf("facts", [...others, sha256(salt, FACT, hidden)], witness),
    verdicts: logOf("verdicts", [sha256(salt, VERDICT, hidden), ...others], witness),
  };
  const proved = (log, seq, body) => ({
    log,
    seq,
    leaf_hash: logs[log].leaf(seq - 1),
    proof: logs[log].proof(seq - 1),
    record: { body, salt: base64(salt), chains_hash: base64(hidden) },
    withheld: null,
  });
  const change = {
    change_id: WHY.change_id,
    why: structuredClone(WHY),
    fact_seq: 5,
    verdict_seq: 1,
  };
  return {
    keys: `log ${logs.facts.key.text}\nlog ${logs.verdicts.key.text}\nwitness w1 ${witness.text} https://w\n`,
    profile: { player_id: WHO, rating: 1516, games: 1, verified_rating: 1500, verified_games: 0 },
    page: {
      player_id: WHO,
      checkpoints: { facts: logs.facts.note, verdicts: logs.verdicts.note },
      changes: [change],
      records: {
        facts: [proved("facts", 5, FACT)],
        verdicts: [proved("verdicts", 1, VERDICT)],
      },
      next_cursor: null,
    },
  };
}

const check = ({ keys, profile, page }) =>
  checkPlayer(WHO, {
    url: `${URL_OF_IT}/`,
    fetch: async (address) => {
      if (address === `${URL_OF_IT}/log/keys`) return new Response(keys);
      const told = address.includes("/proofs?") ? page : profile;
      return new Response(JSON.stringify(told));
    },
  });

test("a player holds whose changes add up and are on the log", async () => {
  const checked = await check(service());
  assert.deepEqual(checked.wrong, []);
  assert.ok(checked.holds);
  assert.deepEqual([checked.changes, checked.recordsShown, checked.recordsWithheld], [1, 2, 0]);
  assert.deepEqual(checked.checkpoints.facts.cosignedBy, ["witness.example"]);
});

test("a record that is withheld is proved all the same", async () => {
  const one = service();
  one.page.records.facts[0].record = null;
  const checked = await check(one);
  assert.ok(checked.holds);
  assert.deepEqual([checked.recordsShown, checked.recordsWithheld], [1, 1]);
});

const flipped = (text) => {
  const data = Buffer.from(text, "base64");
  data[5] ^= 1;
  return base64(data);
};
const ALTERED = {
  "the fact": ({ fact }) => {
    fact.record.body = fact.record.body.replace("ses_1", "ses_2");
  },
  "the verdict": ({ verdict }) => {
    verdict.record.body = verdict.record.body.replace("1600", "1700");
  },
  "a salt": ({ fact }) => {
    fact.record.salt = flipped(fact.record.salt);
  },
  chains_hash: ({ verdict }) => {
    verdict.record.chains_hash = flipped(verdict.record.chains_hash);
  },
  "a leaf": ({ fact }) => {
    fact.leaf_hash = flipped(fact.leaf_hash);
  },
  "a proof": ({ verdict }) => {
    verdict.proof[1] = flipped(verdict.proof[1]);
  },
  "a proof that is cut": ({ verdict }) => {
    verdict.proof.pop();
  },
  "a proof that is longer": ({ fact }) => {
    fact.proof.push(fact.proof[0]);
  },
  "a number": ({ fact }) => {
    fact.seq = 4;
  },
  "a member that is missing": ({ fact }) => {
    delete fact.proof;
  },
  "the expected score": ({ why }) => {
    why.mahjic.lines[0].expected = 0.51;
  },
  k: ({ why }) => {
    why.mahjic.lines[0].k = 24;
  },
  "the sum": ({ why }) => {
    why.mahjic.sum_nano += 1;
  },
  "the rating after": ({ why }) => {
    why.mahjic.rating_after = 1517;
  },
  "a bonus in a social game": ({ why }) => {
    why.mahjic.lines[0].points_bonus = 1;
  },
  "the formula": ({ why }) => {
    why.formula = "mahjic-elo/9";
  },
  "the games that were won": ({ why }) => {
    why.mahjongs = 0;
  },
  "the id of the change": ({ change }) => {
    change.change_id = `${WHO}.5.2`;
  },
  "the id within the reason": ({ why }) => {
    why.change_id = `${WHO}.5.2`;
  },
  "who played": ({ why }) => {
    why.played_as = OTHER;
  },
  "the games before": ({ why }) => {
    why.mahjic.games_before = 1;
  },
  "the rounding": ({ why }) => {
    why.mahjic.rounding_nano = 1;
  },
  "the lines": ({ why }) => {
    why.mahjic.lines.push({ ...LINE, actual: 0.5, pair_gain: 0, pair_gain_nano: 0 });
  },
  "a third decimal": ({ why }) => {
    why.mahjic.rating_before = 1500.001;
  },
  "a bonus beyond what there is": ({ why }) => {
    why.points = 10;
    why.mahjic.lines[0].points_bonus = 6;
    why.mahjic.lines[0].pair_gain = 22;
    why.mahjic.lines[0].pair_gain_nano = 22_000_000_000;
    why.mahjic.sum_nano = 22_000_000_000;
  },
  "the place of a record": ({ verdict }) => {
    verdict.seq = 1.5;
  },
  "the record that is named": ({ change }) => {
    change.verdict_seq = 2;
  },
};

for (const [what, alter] of Object.entries(ALTERED)) {
  test(`${what} cannot be altered`, async () => {
    const one = service();
    const [fact] = one.page.records.facts;
    const [verdict] = one.page.records.verdicts;
    const [change] = one.page.changes;
    alter({ fact, verdict, change, why: change.why });
    const checked = await check(one);
    assert.ok(!checked.holds);
    assert.ok(checked.wrong.every(({ where }) => where.startsWith(WHO) || where.startsWith(OTHER)));
  });
}

/** A second change of the player, of which no record is shown, in front of the first. */
function secondOf(one) {
  const [first] = one.page.changes;
  const second = structuredClone(first);
  second.fact_seq = second.why.fact_seq = 6;
  second.change_id = second.why.change_id = `${WHO}.6.1`;
  return second;
}

test("a change that is told twice is found, and one out of its order", async () => {
  const twice = service();
  twice.page.changes.push(twice.page.changes[0]);
  assert.ok(
    (await check(twice)).wrong.some(({ what }) => what === "The change is told more than once."),
  );
  const swapped = service();
  swapped.page.changes.push(secondOf(swapped));
  const { wrong } = await check(swapped);
  assert.ok(wrong.some(({ what }) => what.includes("not in the order of")));
});

test("a line of a witness that is too short is told", async () => {
  const one = service();
  const { facts } = one.page.checkpoints;
  const line = facts.slice(facts.indexOf("\u2014 witness"));
  const [dash, name, signature] = line.trim().split(" ");
  const short = base64(Buffer.from(signature, "base64").subarray(0, 9));
  one.page.checkpoints.facts = facts.replace(line, `${dash} ${name} ${short}\n`);
  const { wrong } = await check(one);
  assert.ok(wrong.some(({ what }) => what === "The line of witness.example is too short."));
});

test("games are held from change to change, and to the profile", async () => {
  const one = service();
  one.profile.games = 2;
  const { wrong } = await check(one);
  assert.deepEqual(wrong, [
    { where: `${WHO}, mahjic`, what: "The games after all changes is 1, and must be 2." },
  ]);
});

test("changes without end are given up", async () => {
  const one = service();
  one.page.changes = [];
  one.page.next_cursor = "more & more";
  const { wrong } = await check(one);
  assert.ok(wrong.some(({ what }) => what === "Changes are listed without end."));
});

test("another player than the one who was asked for is named", async () => {
  const one = service();
  one.profile.player_id = OTHER;
  const checked = await check(one);
  assert.equal(checked.playerId, OTHER);
  assert.ok(
    checked.wrong.some(({ what }) => what === `player_id is ${WHO}, and must be ${OTHER}.`),
  );
});

for (const [what, alter] of Object.entries({
  "a key that is none": (keys) => keys.replace(/\+[0-9a-f]{8}\+/u, "+00000000+"),
  "logs of another name": (keys) => keys.replaceAll(HOST, "other.example"),
  "a log without a key": (keys) => keys.replace(/^log .*\n/u, ""),
  "a witness as a log": (keys) => keys.replace("witness w1", "log"),
  nothing: () => "",
})) {
  test(`${what} among the keys is told`, async () => {
    const one = service();
    one.keys = alter(one.keys);
    const { holds, wrong } = await check(one);
    assert.ok(!holds);
    assert.equal(wrong[0].where, "/log/keys");
  });
}

test("a check that cannot ask says nothing of what holds", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  await assert.rejects(checkPlayer(WHO, { url: URL_OF_IT, fetch }), TypeError);
});

test("a change that is left out is missed in the sum", async () => {
  const one = service();
  one.page.changes = [];
  const { wrong } = await check(one);
  assert.equal(wrong.length, 1);
  assert.equal(wrong[0].where, `${WHO}, mahjic`);
});

test("no byte of a checkpoint can be altered", async () => {
  const { page } = service();
  for (let place = 0; place < page.checkpoints.facts.length; place += 5) {
    const one = service();
    const note = one.page.checkpoints.facts;
    const other = note[place] === "A" ? "B" : "A";
    one.page.checkpoints.facts = note.slice(0, place) + other + note.slice(place + 1);
    const checked = await check(one);
    // Whoever is not known may have signed anything.
    const isOfWitness = place >= note.indexOf("\u2014 witness");
    assert.ok(!checked.holds || isOfWitness, `${place}: ${note[place]}`);
  }
});

test("another key is not the one that signed", async () => {
  const one = service();
  one.keys = service().keys;
  const { wrong } = await check(one);
  assert.ok(wrong.some(({ where }) => where === "checkpoint of the facts"));
});
