/** What stands in one round at a table: its games, penalties and totals, and who confirmed it. */

import { hasPoints } from "./table-books.js";
import { judged, SubjectList } from "./table-standing.js";

/**
 * @typedef {import("./table-books.js").Book} Book
 * @typedef {import("./table-books.js").GameOutcome} GameOutcome
 * @typedef {import("./table-standing.js").Subject} Subject
 * @typedef {import("./table-standing.js").Entry} Entry
 * @typedef {import("./table-standing.js").StandingAnswer} StandingAnswer
 * @typedef {import("./table-standing.js").SubjectState} SubjectState
 *
 * @typedef {{
 *   person: number, games: number, mahjongs: number, pointsCenti: number | null
 * }} Total
 *
 * What stands in a round. It is whole if nothing is left to decide and as many games stand as were
 * planned; `stands` are the ids by which somebody confirms it. `penaltiesLeftOut` are so many that
 * nobody looks at them.
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
 * @property {number} penaltiesLeftOut
 *
 * Under which rule book a round is played, how many games are planned, and who sits there.
 * @typedef {{ book: Book, planned: number, people: readonly number[] }} Under
 */

const PENALTIES_MAX = 20;
const PENALTIES_LOOKED_AT_MAX = 100;

/** The entries about one round, in the order of their places. */
export class RoundList {
  /** @type {number} */
  #number;
  /** @type {Under} */
  #under;
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** What each is about, and comes to. @type {Map<string, { about: string, key: string }>} */
  #judged = new Map();
  /** @type {Map<string, SubjectList>} */
  #subjects = new Map();
  #penalties = 0;
  /** @type {Set<string>} */
  #leftOut = new Set();
  /** By phone, since each confirms for those who told it so. @type {Map<number, Entry>} */
  #right = new Map();
  /** @type {RoundState | null} */
  #state = null;

  /**
   * @param {number} number
   * @param {Under} under
   */
  constructor(number, under) {
    this.#number = number;
    this.#under = under;
  }

  /** Whether no game and no penalty of the round was ever entered. */
  get isEmpty() {
    return this.#entries.size === 0;
  }

  /**
   * Take in the next entry, which nobody has seen before.
   * @param {Entry} entry
   */
  add(entry) {
    this.#state = null;
    const about = subjectOf(entry);
    if (about.kind === "right") {
      this.#right.set(entry.device, entry);
      return;
    }
    this.#entries.set(entry.id, entry);
    const subject = this.#subject(about);
    if (subject === undefined) {
      this.#leftOut.add(keyOf(about));
      return;
    }
    const comesTo = judged(entry, this.#under.book, this.#under.people);
    this.#judged.set(entry.id, { about: keyOf(about), key: comesTo.key });
    subject.add(entry, comesTo);
  }

  /**
   * Return the same entries under other seats or another rule book.
   * @param {Under} under
   * @returns {RoundList}
   */
  under(under) {
    if (JSON.stringify(under) === JSON.stringify(this.#under)) return this;
    const other = new RoundList(this.#number, under);
    for (const entry of [...this.#entries.values(), ...this.#right.values()]) other.add(entry);
    return other;
  }

  /** Return what stands. */
  state() {
    this.#state ??= this.#worked();
    return this.#state;
  }

  /** @returns {RoundState} */
  #worked() {
    const { book, planned, people } = this.#under;
    const told = Array.from(this.#subjects.values(), (each) => each.state());
    const games = told
      .filter(({ about }) => about.kind === "game")
      .sort((one, other) => Number(one.about.which) - Number(other.about.which));
    const penalties = limited(told.filter(({ about }) => about.kind === "penalty"));
    const outcomes = games.flatMap(({ outcome }) => outcome ?? []);
    const lost = penalties.flatMap(({ outcome }) => outcome ?? []);
    const all = [...games, ...penalties];
    const questions = all.filter(({ status }) => status === "two_answers");
    return {
      round: this.#number,
      people,
      planned,
      games,
      penalties,
      totals: totalsOf(book, people, outcomes, lost),
      played: outcomes.length,
      wallGames: outcomes.filter(({ winner }) => winner === null).length,
      questions,
      isWhole: questions.length === 0 && outcomes.length >= planned,
      stands: all.flatMap(({ status, answers }) => (status === "counts" ? [idOf(answers)] : [])),
      confirmed: questions.length ? [] : this.#confirmed(all),
      penaltiesLeftOut: this.#leftOut.size,
    };
  }

  /**
   * Return the list of a subject, undefined if it is one penalty too many to look at.
   * @param {Subject} about
   */
  #subject(about) {
    const key = keyOf(about);
    const there = this.#subjects.get(key);
    if (there !== undefined) return there;
    if (about.kind === "penalty") {
      if (this.#penalties === PENALTIES_LOOKED_AT_MAX) return undefined;
      this.#penalties += 1;
    }
    const made = new SubjectList(about);
    this.#subjects.set(key, made);
    return made;
  }

  /**
   * Return for whom somebody said that just this is right, in the order of the seats.
   * @param {readonly SubjectState[]} all
   */
  #confirmed(all) {
    /** @type {Map<string, string | undefined>} */
    const now = new Map();
    for (const { status, about, answers } of all) {
      if (status === "counts") now.set(keyOf(about), this.#judged.get(idOf(answers))?.key);
    }
    if (now.size === 0) return [];
    /** @type {Set<number>} */
    const confirmed = new Set();
    for (const { content } of this.#right.values()) {
      if (content === null || !this.#names(content.stands, now)) continue;
      for (const person of content.for) confirmed.add(person);
    }
    return this.#under.people.filter((person) => confirmed.has(person));
  }

  /**
   * Tell whether these entries come to all that counts now, and to nothing else.
   * @param {readonly string[]} ids
   * @param {ReadonlyMap<string, string | undefined>} now
   */
  #names(ids, now) {
    /** @type {Set<string>} */
    const named = new Set();
    for (const id of ids) {
      const said = this.#judged.get(id);
      if (said === undefined || now.get(said.about) !== said.key) return false;
      named.add(said.about);
    }
    return named.size === now.size;
  }
}

/**
 * Return the penalties; no more of them count, or are asked about, than a round may have.
 * @param {readonly SubjectState[]} penalties
 * @returns {SubjectState[]}
 */
function limited(penalties) {
  let room = PENALTIES_MAX;
  return penalties.map((each) => {
    if (each.status !== "counts" && each.status !== "two_answers") return each;
    if (room > 0) {
      room -= 1;
      return each;
    }
    const whyNot = `A round has at most ${PENALTIES_MAX} penalties.`;
    const answers = each.answers.map((said) => ({ ...said, outcome: null, whyNot }));
    return { ...each, status: "not_counted", outcome: null, answers };
  });
}

/**
 * @param {Book} book
 * @param {readonly number[]} people
 * @param {readonly GameOutcome[]} outcomes
 * @param {readonly GameOutcome[]} lost
 * @returns {Total[]}
 */
function totalsOf(book, people, outcomes, lost) {
  const all = [...outcomes, ...lost];
  return people.map((person, seat) => ({
    person,
    games: outcomes.length,
    mahjongs: outcomes.filter(({ winner }) => winner === person).length,
    pointsCenti: hasPoints(book)
      ? all.reduce((sum, { pointsCenti }) => sum + (pointsCenti?.[seat] ?? 0), 0)
      : null,
  }));
}

/** @param {readonly StandingAnswer[]} answers */
function idOf(answers) {
  return answers[0]?.entries[0]?.id ?? "";
}

/** @param {Subject} subject */
function keyOf({ kind, which }) {
  return `${kind} ${which}`;
}

/**
 * @param {Entry} entry
 * @returns {Subject}
 */
function subjectOf({ about }) {
  if ("right" in about) return { kind: "right", round: about.right, which: 0 };
  const kind = "game" in about ? "game" : "penalty";
  const [round, which] = "game" in about ? about.game : about.penalty;
  return { kind, round, which };
}
