/** Works out what stands for one game or penalty; a look takes no longer for what came before. */

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
 * What stands for a game or a penalty. Those answers that can count come first, in the order since
 * when they stand; at most 10 are told of `answerCount`.
 * @typedef {object} SubjectState
 * @property {Subject} about
 * @property {"counts" | "two_answers" | "not_counted" | "taken_back"} status
 * @property {GameOutcome | null} outcome
 * @property {readonly StandingAnswer[]} answers
 * @property {number} answerCount
 *
 * What an entry comes to: null if nothing was played, or if it can't count, as `whyNot` says. Those
 * with the same key are equal in what counts.
 * @typedef {{ outcome: GameOutcome | null, whyNot: string, key: string }} JudgedEntry
 *
 * The entries that stand and come to the same, and how many each phone has among them.
 * @typedef {object} Answer
 * @property {JudgedEntry} comesTo
 * @property {Map<string, Entry>} entries
 * @property {Map<number, number>} byPhone
 */

const ANSWERS_TOLD_MAX = 10;
const NO_SEATS = "Nobody has a seat at this table in this round. Set the seats, and it counts.";

/** The entries about one game or penalty, in the order of their places. */
export class SubjectList {
  /** @type {Subject} */
  #about;
  /** @type {Map<string, Answer>} */
  #standing = new Map();
  /** @type {Set<string>} */
  #replaced = new Set();
  /** Those that can count, in the order since when they stand. @type {Map<string, Answer>} */
  #able = new Map();
  /** The others. @type {Map<string, Answer>} */
  #unable = new Map();
  /** @type {SubjectState | null} */
  #state = null;

  /** @param {Subject} about */
  constructor(about) {
    this.#about = about;
  }

  /**
   * Take in the next entry, which nobody has seen before.
   * @param {Entry} entry
   * @param {JudgedEntry} comesTo
   */
  add(entry, comesTo) {
    this.#state = null;
    // An entry that replaces itself would be nothing at all.
    for (const replaced of entry.replaces.filter((id) => id !== entry.id)) {
      this.#replaced.add(replaced);
      this.#remove(replaced);
    }
    if (this.#replaced.has(entry.id)) return;
    const answers = this.#like(comesTo);
    const answer = answers.get(comesTo.key) ?? { comesTo, entries: new Map(), byPhone: new Map() };
    answers.set(comesTo.key, answer);
    answer.entries.set(entry.id, entry);
    answer.byPhone.set(entry.device, (answer.byPhone.get(entry.device) ?? 0) + 1);
    this.#standing.set(entry.id, answer);
  }

  /** Return what stands. */
  state() {
    if (this.#state === null) {
      const status = this.#status();
      const answers = this.#told();
      const outcome = status === "counts" ? (answers[0]?.outcome ?? null) : null;
      const answerCount = this.#able.size + this.#unable.size;
      this.#state = { about: this.#about, status, outcome, answers, answerCount };
    }
    return this.#state;
  }

  /** @param {string} id */
  #remove(id) {
    const answer = this.#standing.get(id);
    const entry = answer?.entries.get(id);
    if (answer === undefined || entry === undefined) return;
    this.#standing.delete(id);
    answer.entries.delete(id);
    const left = (answer.byPhone.get(entry.device) ?? 0) - 1;
    if (left) answer.byPhone.set(entry.device, left);
    else answer.byPhone.delete(entry.device);
    if (answer.entries.size === 0) this.#like(answer.comesTo).delete(answer.comesTo.key);
  }

  /** @param {JudgedEntry} comesTo */
  #like({ whyNot }) {
    return whyNot ? this.#unable : this.#able;
  }

  #status() {
    if (this.#able.size > 1) return "two_answers";
    const [only] = this.#able.values();
    if (only !== undefined) return only.comesTo.outcome === null ? "taken_back" : "counts";
    return this.#unable.size ? "not_counted" : "taken_back";
  }

  /** @returns {StandingAnswer[]} */
  #told() {
    const able = first(this.#able.values(), ANSWERS_TOLD_MAX);
    const unable = first(this.#unable.values(), ANSWERS_TOLD_MAX - able.length);
    return [...able, ...unable].map(({ comesTo, entries, byPhone }) => ({
      outcome: comesTo.outcome,
      entries: first(entries.values(), ANSWERS_TOLD_MAX),
      count: entries.size,
      phones: byPhone.size,
      whyNot: comesTo.whyNot,
    }));
  }
}

/**
 * Return what an entry about a game or a penalty comes to for those who sit there.
 * @param {Entry} entry
 * @param {Book} book
 * @param {readonly number[]} people
 * @returns {JudgedEntry}
 */
export function judged(entry, book, people) {
  if (entry.content === null) return comingTo(null, "");
  try {
    return comingTo(outcomeOfEntry(entry, book, people), "");
  } catch (fault) {
    if (fault instanceof NotCounted) return comingTo(null, fault.message);
    throw fault;
  }
}

/**
 * @param {GameOutcome | null} outcome
 * @param {string} whyNot
 */
function comingTo(outcome, whyNot) {
  return { outcome, whyNot, key: JSON.stringify([outcome, whyNot]) };
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
 * Return the first of some, without looking at the others.
 * @template T
 * @param {Iterable<T>} all
 * @param {number} most
 */
function first(all, most) {
  /** @type {T[]} */
  const found = [];
  for (const each of all) {
    if (found.length === most) break;
    found.push(each);
  }
  return found;
}
