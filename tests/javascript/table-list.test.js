import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TableReplay } from "../../services/site/static/table-list.js";

const { cases } = JSON.parse(
  readFileSync(new URL("../vectors/tables.json", import.meta.url), "utf8"),
);

function setupOf({ book, games, seats, counts_to }) {
  const numbered = (object) =>
    new Map(Object.entries(object).map(([key, to]) => [Number(key), to]));
  return { book, games, seats: numbered(seats), countsTo: numbered(counts_to) };
}

function told(rounds) {
  const subject = ({ about, status, outcome, answerCount, answers }) => ({
    which: about.which,
    status,
    outcome: outcome && { winner: outcome.winner, points_centi: outcome.pointsCenti },
    answer_count: answerCount,
    answers: answers.map(({ entries, count, phones, whyNot }) => [
      entries.map(({ id }) => id),
      count,
      phones,
      whyNot,
    ]),
  });
  const plain = rounds.map((each) => ({
    round: each.round,
    games: each.games.map(subject),
    penalties: each.penalties.map(subject),
    totals: each.totals.map(({ person, games, mahjongs, pointsCenti }) => [
      person,
      games,
      mahjongs,
      pointsCenti,
    ]),
    played: each.played,
    wall_games: each.wallGames,
    questions: each.questions.map(({ about }) => about.which),
    is_whole: each.isWhole,
    stands: each.stands,
    confirmed: each.confirmed,
    penalties_left_out: each.penaltiesLeftOut,
  }));
  return JSON.parse(JSON.stringify(plain));
}

test("every list comes out as in Python", () => {
  assert.ok(cases.length > 50);
  for (const each of cases) {
    const table = new TableReplay(setupOf(each), each.entries);
    assert.deepEqual(told(table.rounds()), each.expected);
    assert.equal(table.lastPlace, each.entries.length);
  }
});

test("a list that is replayed entry by entry, and looked at in between, comes out the same", () => {
  for (const each of cases) {
    const table = new TableReplay(setupOf(each));
    for (const entry of each.entries) {
      table.add(entry);
      table.rounds();
    }
    assert.deepEqual(told(table.rounds()), each.expected);
  }
});

test("a list that is replayed before the seats and the rule book are set comes out the same", () => {
  for (const each of cases) {
    const { countsTo, ...setup } = setupOf(each);
    const table = new TableReplay({ book: { name: "who" }, games: 1, seats: new Map(), countsTo });
    for (const [place, entry] of each.entries.entries()) {
      if (place === 5) table.withSetup(setup);
      table.add(entry);
      table.rounds();
    }
    table.withSetup(setup);
    assert.deepEqual(told(table.rounds()), each.expected);
  }
});

test("a round about which nothing came is not worked out again", () => {
  const setup = {
    ...setupOf(cases[0]),
    seats: new Map([
      [1, [1, 2, 3, 4]],
      [2, [1, 2, 3, 4]],
    ]),
  };
  const table = new TableReplay(setup);
  const about = (round, game) => ({ about: { game: [round, game] }, replaces: [], device: 1 });
  table.add({ id: "a", count: 1, content: { winner: 1 }, ...about(1, 1) });
  const [first, second] = table.rounds();
  table.add({ id: "b", count: 2, content: { winner: 2 }, ...about(2, 1) });
  table.withSetup({ ...setup });
  assert.equal(table.round(1), first);
  assert.notEqual(table.round(2), second);
  assert.equal(table.round(2).played, 1);
});

test("a list that comes out otherwise is found", () => {
  const [first] = cases;
  const table = new TableReplay(setupOf(first), first.entries.slice(0, 2));
  assert.notDeepEqual(told(table.rounds()), first.expected);
});
