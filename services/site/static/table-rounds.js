/** What stands in one round at a table: its games, penalties and totals, and who confirmed it. */

import { hasPoints, NotCounted, outcomeOf } from "./table-books.js";

/**
 * @typedef {import("./table-books.js").Book} Book
 * @typedef {import("./table-books.js").GameOutcome} GameOutcome
 *
 * @typedef {{ kind: "game" | "penalty" | "right", round: number, which: number | string }} Subject
 *
 * An entry as it is kept; its content is null if it only takes back what it replaces.
 * @typedef {object} Entry
 * @property {string} id
 * @property {number} device
 * @property {number} count
 * @property {{ game: [number, number] } | { penalty: [number, string] } | { right: number }} about
 * @property {readonly string[]} replaces
 * @property {any} content
 *
 * One of the answers that stand, and the entries that say so: at most 10 of `count`. The outcome is
 * null if nothing was played, or if it can't count; then `whyNot` says why.
 * @typedef {object} StandingAnswer
 * @property {GameOutcome | null} outcome
 * @property {readonly Entry[]} entries
 * @property {number} count
 * @property {number} phones
 * @property {string} whyNot
 *
 * What stands for a game or a penalty. Those answers that can count come first.
 * @typedef {object} SubjectState
 * @property {Subject} about
 * @property {"counts" | "two_answers" | "not_counted" | "taken_back"} status
 * @property {GameOutcome | null} outcome
 * @property {readonly StandingAnswer[]} answers
 * @property {number} answerCount
 *
 * @typedef {{
 *   person: number, games: number, mahjongs: number, pointsCenti: number | null
 * }} Total
 *
 * What stands in a round. It is whole if nothing is left to decide and as many games stand as were
 * planned; `stands` are the ids by which somebody confirms it.
 * @typedef {object} RoundState
 * @property {number} round
 * @property {readonly number[]} people
 * @property {number} planned
 * @property {readonly SubjectState[]} games
 * @property {readonly SubjectState[]} penalties
 * @property {readonly Total[]} totals
 * @property {number} played
 * @property {number} wallGames
 * @property {readonly SubjectState[]} questions
 * @property {boolean} isWhole
 * @property {readonly string[]} stands
 * @property {readonly number[]} confirmed
 */

const ANSWERS_TOLD_MAX = 10;
const PENALTIES_MAX = 20;
const NO_SEATS = "Nobody has a seat at this table in this round. Set the seats, and it counts.";

/**
 * Return what an entry is about.
 * @param {Entry} entry
 * @returns {Subject}
 */
export function subjectOf({ about }) {
  if ("right" in about) return { kind: "right", round: about.right, which: 0 };
  const kind = "game" in about ? "game" : "penalty";
  const [round, which] = "game" in about ? about.game : about.penalty;
  return { kind, round, which };
}

/** @param {Subject} subject */
export function keyOf({ kind, which }) {
  return `${kind} ${which}`;
}

/**
 * Return what stands in a round.
 * @param {number} round
 * @param {Book} book
 * @param {number} planned
 * @param {readonly number[]} people
 * @param {Iterable<readonly [Subject, readonly Entry[]]>} standing What nothing replaces.
 * @param {Iterable<Entry>} right The last confirmation of each phone.
 * @param {ReadonlyMap<string, Entry>} named The entries of the list by their ids.
 * @returns {RoundState}
 */
export function roundOf(round, book, planned, people, standing, right, named) {
  const told = Array.from(standing, ([about, entries]) => stateOf(about, entries, book, people));
  const games = told
    .filter(({ about }) => about.kind === "game")
    .sort((one, other) => Number(one.about.which) - Number(other.about.which));
  const penalties = limited(told.filter(({ about }) => about.kind === "penalty"));
  const outcomes = games.flatMap(({ outcome }) => outcome ?? []);
  const all = [...games, ...penalties];
  const questions = all.filter(({ status }) => status === "two_answers");
  return {
    round,
    people,
    planned,
    games,
    penalties,
    totals: totalsOf(book, people, outcomes, penalties),
    played: outcomes.length,
    wallGames: outcomes.filter(({ winner }) => winner === null).length,
    questions,
    isWhole: questions.length === 0 && outcomes.length >= planned,
    stands: all.flatMap(({ status, answers }) =>
      status === "counts" ? (answers[0]?.entries[0]?.id ?? []) : [],
    ),
    confirmed: questions.length ? [] : confirmedBy(all, book, people, right, named),
  };
}

/**
 * @param {Subject} about
 * @param {readonly Entry[]} entries
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {SubjectState}
 */
function stateOf(about, entries, book, people) {
  /** @type {Map<string, { outcome: GameOutcome | null, whyNot: string, said: Entry[] }>} */
  const byAnswer = new Map();
  for (const entry of entries) {
    const { outcome, whyNot } = judged(entry, book, people);
    const key = JSON.stringify([outcome, whyNot]);
    const answer = byAnswer.get(key) ?? { outcome, whyNot, said: [] };
    answer.said.push(entry);
    byAnswer.set(key, answer);
  }
  const answers = [...byAnswer.values()]
    .map(({ outcome, whyNot, said }) => ({
      outcome,
      entries: said.slice(0, ANSWERS_TOLD_MAX),
      count: said.length,
      phones: new Set(said.map(({ device }) => device)).size,
      whyNot,
    }))
    .sort((one, other) => Number(one.whyNot !== "") - Number(other.whyNot !== ""));
  const able = answers.filter(({ whyNot }) => whyNot === "");
  const [first] = able;
  const status = statusOf(able.length, first?.outcome ?? null, answers.length);
  return {
    about,
    status,
    outcome: status === "counts" ? (first?.outcome ?? null) : null,
    answers: answers.slice(0, ANSWERS_TOLD_MAX),
    answerCount: answers.length,
  };
}

/**
 * @param {number} able
 * @param {GameOutcome | null} outcome
 * @param {number} all
 */
function statusOf(able, outcome, all) {
  if (able > 1) return "two_answers";
  if (able === 1) return outcome === null ? "taken_back" : "counts";
  return all ? "not_counted" : "taken_back";
}

/**
 * @param {Entry} entry
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {{ outcome: GameOutcome | null, whyNot: string }}
 */
function judged(entry, book, people) {
  if (entry.content === null) return { outcome: null, whyNot: "" };
  try {
    return { outcome: outcomeOfEntry(entry, book, people), whyNot: "" };
  } catch (fault) {
    if (fault instanceof NotCounted) return { outcome: null, whyNot: fault.message };
    throw fault;
  }
}

/**
 * @param {Entry} entry
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {GameOutcome}
 */
function outcomeOfEntry(entry, book, people) {
  if (people.length === 0) throw new NotCounted(NO_SEATS);
  if ("game" in entry.about) return outcomeOf(entry.content, book, people);
  const { person, points } = entry.content;
  if (!hasPoints(book)) {
    throw new NotCounted("There are no points tonight, so no penalties either.");
  }
  if (!people.includes(person)) {
    throw new NotCounted("The penalty is for somebody who doesn't sit here in this round.");
  }
  return { winner: null, pointsCenti: people.map((each) => (each === person ? points : 0)) };
}

/**
 * Return the penalties; of those that could count, no more count than a round may have.
 * @param {readonly SubjectState[]} penalties
 * @returns {SubjectState[]}
 */
function limited(penalties) {
  let room = PENALTIES_MAX;
  return penalties.map((each) => {
    const [first] = each.answers;
    if (each.status !== "counts" || first === undefined) return each;
    if (room > 0) {
      room -= 1;
      return each;
    }
    const whyNot = `A round has at most ${PENALTIES_MAX} penalties.`;
    const answers = [{ ...first, outcome: null, whyNot }];
    return { ...each, status: "not_counted", outcome: null, answers };
  });
}

/**
 * @param {Book} book
 * @param {readonly number[]} people
 * @param {readonly GameOutcome[]} outcomes
 * @param {readonly SubjectState[]} penalties
 * @returns {Total[]}
 */
function totalsOf(book, people, outcomes, penalties) {
  const all = [...outcomes, ...penalties.flatMap(({ outcome }) => outcome ?? [])];
  return people.map((person, seat) => ({
    person,
    games: outcomes.length,
    mahjongs: outcomes.filter(({ winner }) => winner === person).length,
    pointsCenti: hasPoints(book)
      ? all.reduce((sum, { pointsCenti }) => sum + (pointsCenti?.[seat] ?? 0), 0)
      : null,
  }));
}

/**
 * Return for whom somebody said that just this is right, in the order of the seats.
 * @param {readonly SubjectState[]} all
 * @param {Book} book
 * @param {readonly number[]} people
 * @param {Iterable<Entry>} right
 * @param {ReadonlyMap<string, Entry>} named
 */
function confirmedBy(all, book, people, right, named) {
  const now = new Map(
    all.flatMap(({ about, outcome }) =>
      outcome === null ? [] : [[keyOf(about), JSON.stringify(outcome)]],
    ),
  );
  if (now.size === 0) return [];
  /** @type {Set<number>} */
  const confirmed = new Set();
  for (const { about, content } of right) {
    if (content === null || !("right" in about)) continue;
    /** @type {(Entry | undefined)[]} */
    const said = content.stands.map((/** @type {string} */ id) => named.get(id));
    const isSo = said.every((each) => {
      if (each === undefined) return false;
      const subject = subjectOf(each);
      const stands = now.get(keyOf(subject));
      return (
        subject.round === about.right &&
        stands === JSON.stringify(judged(each, book, people).outcome)
      );
    });
    const subjects = new Set(said.map((each) => each && keyOf(subjectOf(each))));
    if (!isSo || subjects.size !== now.size) continue;
    for (const person of content.for) confirmed.add(person);
  }
  return people.filter((person) => confirmed.has(person));
}
