/**
 * Replays the list of a table, as the service does: all that have seen the same list show the same.
 *
 * What stands for a game is each entry about it that no other entry about it replaces, in whatever
 * order they came. What can't count is told, and holds up nothing.
 */

import { keyOf, roundOf, subjectOf } from "./table-rounds.js";

/**
 * @typedef {import("./table-rounds.js").Entry} Entry
 * @typedef {import("./table-rounds.js").Subject} Subject
 * @typedef {import("./table-rounds.js").RoundState} RoundState
 *
 * What the service has set for a table: the people of each round in the order of their seats, how
 * many games a round should have, and the last count that counts of each phone that was removed.
 * @typedef {object} TableSetup
 * @property {import("./table-rounds.js").Book} book
 * @property {number} games
 * @property {ReadonlyMap<number, readonly number[]>} seats
 * @property {ReadonlyMap<number, number>} countsTo
 *
 * @typedef {{ subject: Subject, entries: Map<string, Entry>, replaced: Set<string> }} About
 */

/** The list of a table as far as it has been replayed. */
export class TableReplay {
  /** How many entries have been replayed: the place of the last one. */
  lastPlace = 0;
  /** @type {TableSetup} */
  #setup;
  /** @type {Set<string>} */
  #ids = new Set();
  /** @type {Map<number, Map<string, About>>} */
  #about = new Map();
  /** @type {Map<number, Map<number, Entry>>} */
  #right = new Map();
  /** @type {Map<string, Entry>} */
  #named = new Map();
  /** @type {Map<number, RoundState>} */
  #states = new Map();

  /**
   * @param {TableSetup} setup
   * @param {Iterable<Entry>} [entries]
   */
  constructor(setup, entries = []) {
    this.#setup = setup;
    for (const entry of entries) this.add(entry);
  }

  /**
   * Replay the entry at the next place of the list.
   * @param {Entry} entry
   */
  add(entry) {
    this.lastPlace += 1;
    const last = this.#setup.countsTo.get(entry.device);
    if (this.#ids.has(entry.id) || (last !== undefined && entry.count > last)) return;
    this.#ids.add(entry.id);
    const subject = subjectOf(entry);
    this.#states.delete(subject.round);
    if (subject.kind === "right") {
      kept(this.#right, subject.round, () => new Map()).set(entry.device, entry);
      return;
    }
    this.#named.set(entry.id, entry);
    const subjects = kept(this.#about, subject.round, () => new Map());
    const about = kept(subjects, keyOf(subject), () => ({
      subject,
      entries: new Map(),
      replaced: new Set(),
    }));
    // An entry that replaces itself would be nothing at all.
    for (const replaced of entry.replaces.filter((id) => id !== entry.id)) {
      about.replaced.add(replaced);
      about.entries.delete(replaced);
    }
    if (!about.replaced.has(entry.id)) about.entries.set(entry.id, entry);
  }

  /** Return what stands in all rounds that have seats or entries, in order. */
  rounds() {
    const numbers = new Set([...this.#setup.seats.keys(), ...this.#about.keys()]);
    return [...numbers].sort((one, other) => one - other).map((each) => this.round(each));
  }

  /**
   * Return what stands in a round.
   * @param {number} number
   */
  round(number) {
    return kept(this.#states, number, () => {
      const { book, games, seats } = this.#setup;
      const subjects = [...(this.#about.get(number)?.values() ?? [])];
      return roundOf(
        number,
        book,
        games,
        seats.get(number) ?? [],
        subjects.map(({ subject, entries }) => [subject, [...entries.values()]]),
        this.#right.get(number)?.values() ?? [],
        this.#named,
      );
    });
  }
}

/**
 * Return what a map has, or make it.
 * @template K, V
 * @param {Map<K, V>} map
 * @param {K} key
 * @param {() => V} make
 * @returns {V}
 */
function kept(map, key, make) {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}
