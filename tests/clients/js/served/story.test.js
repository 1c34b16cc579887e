import assert from "node:assert/strict";
import { test } from "node:test";
import { BadRequest, Conflict, NotAllowed, NotFound } from "../../../../clients/js/index.js";
import { all, aNight, anyone, auditor, club, operator } from "./club.js";

test("a night is tried, submitted, looked up, corrected and voided", async () => {
  const night = aNight("ada", "bo");
  const trial = await club.submitSession({ ...night, dry_run: true });
  assert.deepEqual([trial.status, trial.session_id], ["dry_run", null]);
  const told = await club.submitSession({ ...night, idempotencyKey: "ada and bo" });
  assert.equal(told.status, "rated");
  // K is 32 for newcomers, and a win half expected: 16 points.
  assert.deepEqual(
    told.results.map((each) => each.rating_after),
    [1516, 1484],
  );
  const again = await club.submitSession({ ...night, idempotencyKey: "ada and bo" });
  assert.equal(again.session_id, told.session_id);
  const stored = await club.getSession(told.session_id, { min_seq: told.seq });
  assert.equal(stored.session_id, told.session_id);
  const better = aNight("bo", "ada", { reason: "wrong_result" });
  const corrected = await club.correctSession(told.session_id, better);
  assert.deepEqual(
    corrected.results.map((each) => each.rating_after),
    [1516, 1484],
  );
  const voided = await club.voidSession(corrected.session_id, { reason: "test_entry" });
  assert.equal(voided.effect.players_moved, 2);
});

test("what is refused says all that is wrong, and a private page is as good as none", async () => {
  const wrong = aNight("ada", "bo", { game_type: "golf", session_date: "soon" });
  await assert.rejects(club.submitSession(wrong), (fault) => {
    assert.ok(fault instanceof BadRequest);
    assert.equal(fault.code, "claim_refused");
    assert.deepEqual(fault.mistakes.map((each) => each.pointer).sort(), [
      "/game_type",
      "/session_date",
    ]);
    return true;
  });
  await assert.rejects(anyone.submitSession(aNight("ada", "bo")), NotAllowed);
  await assert.rejects(anyone.getPlayer("MJ-7K3Q9XZM"), NotFound);
  const { session_id } = await club.submitSession(aNight("cleo", "dan"));
  await club.correctSession(session_id, aNight("dan", "cleo"));
  await assert.rejects(club.correctSession(session_id, aNight("dan", "eve")), Conflict);
});

test("lists come whole, however small their pages", async () => {
  const nights = ["fay", "gus", "hal"].map((loser) => aNight("uma", loser));
  const told = [];
  for (const night of nights) told.push(await club.submitSession(night));
  const min_seq = told.at(-1).seq;
  const uma = told[0].results[0].player_id;
  const listed = await all(club.sessions({ player: uma, limit: 2, min_seq }));
  assert.deepEqual(
    listed.map((each) => each.session_id).sort(),
    told.map((each) => each.session_id).sort(),
  );
  const history = await all(anyone.history(uma, { limit: 1, min_seq }));
  assert.equal(history.length, 3);
  const why = await anyone.getChange(uma, history[0].change_id);
  assert.equal(why.type, "round");
  assert.deepEqual(await all(anyone.changedRounds(uma, history[0].change_id)), []);
  const voided = await club.voidSession(told[0].session_id, { reason: "not_played" });
  const [correction] = await all(anyone.history(uma, { min_seq: voided.seq }));
  assert.equal(correction.type, "correction");
  const rounds = await all(anyone.changedRounds(uma, correction.change_id, { limit: 1 }));
  // What was voided is one of them, and the two after it.
  assert.equal(rounds.length, 3);
  const gus = told[1].results[1].player_id;
  for (const each of [uma, gus]) await operator.setVerification(each, { verified: true });
  const { seq } = await club.submitSession(aNight("gus", "uma"));
  const boards = { limit: 1, min_games: 0, min_seq: seq };
  for (const board of [anyone.leaderboard(boards), anyone.sourceLeaderboard("a-club", boards)]) {
    const ids = (await all(board)).map((each) => each.player_id);
    assert.ok(ids.includes(uma) && ids.includes(gus));
  }
});

test("a player who was merged is found, and brought back", async () => {
  const told = await club.submitSession(aNight("old-ivy", "joe"));
  const old = told.results[0].player_id;
  const { player_id: ivy } = await operator.registerPlayer({ email: "ivy@example.com" });
  const { seq } = await operator.mergePlayer(old, { into: ivy, note: "She has two addresses." });
  assert.equal((await anyone.getPlayer(old, { min_seq: seq })).player_id, ivy);
  assert.equal((await club.getPlayer(old)).player_id, ivy);
  assert.equal((await all(club.history(old)))[0].type, "correction");
  const back = await operator.unmergePlayer(old, {});
  assert.equal((await anyone.getPlayer(old, { min_seq: back.seq })).player_id, old);
});

test("a score sheet goes down and up, as CSV and as a workbook", async () => {
  const told = await club.submitSession(aNight("kim", "lea", { session_date: "2026-02-01" }));
  const csv = await club.getSessionSheetCsv(told.session_id);
  const text = new TextDecoder().decode(csv);
  assert.match(text, /kim@example.com/);
  const workbook = await club.getSessionSheetXlsx(told.session_id);
  for (const file of [csv, text, workbook, workbook.buffer, new Blob([workbook])]) {
    const trial = await club.submitSheet({ file, dry_run: true, allow_duplicate: true });
    assert.equal(trial.claim.rounds.length, 1);
  }
  const other = text.replaceAll("lea@", "mia@");
  const corrected = await club.correctSessionWithSheet(told.session_id, { file: other });
  assert.notEqual(corrected.session_id, told.session_id);
  assert.ok((await anyone.getSheetTemplateXlsx()).length > 1000);
  assert.ok((await anyone.getSheetTemplateCsv()).length > 50);
  await assert.rejects(club.submitSheet({ file: "no sheet" }), BadRequest);
});

test("events come one by one, also those that happen while they are waited for", async () => {
  const first = await club.submitSession(aNight("nan", "oda"));
  const seen = [];
  let second;
  for await (const event of club.events({ limit: 1 })) {
    seen.push(event.data.session_id);
    if (event.data.session_id === first.session_id) {
      second = club.submitSession(aNight("oda", "pat"));
    }
    if (second && event.data.session_id === (await second).session_id) break;
  }
  const firstAt = seen.indexOf(first.session_id);
  assert.ok(firstAt >= 0);
  assert.ok(seen.indexOf((await second).session_id) > firstAt);
});

test("a batch answers each line, in the order in which they were sent", async () => {
  async function* lines() {
    for (let number = 1; number <= 1200; number++) {
      yield number === 1100
        ? { session_date: "2026-01-31" }
        : aNight("quin", "rae", { allow_duplicate: true });
    }
  }
  const told = await club.submitBatch(lines(), { wait: 0 });
  assert.deepEqual(
    told.map((each) => each.line),
    [...Array(1200).keys()].map((at) => at + 1),
  );
  const refused = told.filter((each) => each.status >= 300);
  assert.deepEqual(
    refused.map((each) => [each.line, each.problem.code]),
    [[1100, "claim_refused"]],
  );
  const ids = new Set(told.flatMap((each) => each.session?.session_id ?? []));
  assert.equal(ids.size, 1199);
});

test("games counted by hand make a session, and people are found by what they were called", async () => {
  const games = "2026-01-31\nM=8\nR=half\nAnn Bea Cy Di\n3 - - d\n- - - -\n";
  const players = Object.fromEntries(
    ["Ann", "Bea", "Cy", "Di"].map((name) => [name, `${name.toLowerCase()}@example.com`]),
  );
  const scored = await anyone.scoreGames("hong-kong", { games, players, session: true });
  const told = await club.submitSession(scored.sessions[0]);
  assert.deepEqual(
    told.results.map((each) => each.games_played_total),
    [2, 2, 2, 2],
  );
  await assert.rejects(anyone.scoreGames("hong-kong", { games: `${games}?` }), BadRequest);
  await club.submitSession(aNight("sue", "tom"));
  const { people } = await club.lookUpPeople({ who: "sue@example.com" });
  assert.equal(people.length, 1);
  const found = await club.lookUpPeople({ player_ids: [people[0].player_id] });
  assert.equal(found.people.length, 1);
});

test("operators and auditors have their routes", async () => {
  const { player_id } = await operator.registerPlayer({ email: "vic@example.com" });
  assert.equal((await operator.setPrivacy(player_id, { privacy: "private" })).privacy, "private");
  assert.equal(await operator.forgetPlayer(player_id), undefined);
  assert.deepEqual(await all(operator.disputes()), []);
  assert.deepEqual(await all(operator.wrongAddresses()), []);
  await assert.rejects(operator.answerDispute({ number: 1, answer: "Sorry." }), NotFound);
  const night = await club.submitSession(aNight("wes", "xia"));
  const session_ids = [night.session_id];
  const voids = await operator.voidSessions({ session_ids, reason: "other", note: "A test." });
  assert.equal(await operator.eraseNote(voids.fact_seq), undefined);
  const page = await auditor.listFacts({ limit: 2 });
  assert.equal(page.records.length, 2);
  assert.match(page.chain_after, /^[0-9a-f]{64}$/);
  const facts = await all(auditor.facts({ limit: 500 }));
  assert.deepEqual(facts.slice(0, 2), page.records);
  assert.ok((await all(auditor.verdicts({ from: 3 }))).length > 10);
  assert.ok(await anyone.getHealth());
  assert.ok(await anyone.getReadiness());
  assert.match(await anyone.getMetrics(), /^# HELP/m);
  assert.equal((await anyone.getFormula()).name, "mahjic-elo/1");
  assert.equal((await anyone.getSource("a-club")).slug, "a-club");
  assert.ok((await anyone.listSources()).sources.length > 0);
});
