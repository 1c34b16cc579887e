/**
 * Replays the list of a table, as the service does: all that have seen the same list show the same.
 *
 * What stands for a game is each entry about it that no other entry about it replaces, in whatever
 * order they came. What can't count is told, and holds up nothing.
 */

import { RoundList } from "./table-rounds.js";

/**
 * @typedef {import("./table-standing.js").Entry} Entry
 *
 * What the service has set for a table: the people of each round in the order of their seats, how
 * many games a round should have, and the last count that counts of each phone that was removed.
 * @typedef {object} TableSetup
 * @property {import("./table-books.js").Book} book
 * @property {number} games
 * @property {ReadonlyMap<number, readonly number[]>} seats
 * @property {ReadonlyMap<number, number>} countsTo
 */

/** The list of a table as far as it has been replayed. */
export class TableReplay {
  /** How many entries have been replayed: the place of the last one. */
  lastPlace = 0;
  /** @type {TableSetup} */
  #setup;
  /** @type {Set<string>} */
  #ids = new Set();
  /** @type {Map<number, RoundList>} */
  #rounds = new Map();

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
    const [round] = Object.values(entry.about).flat();
    this.#kept(round).add(entry);
  }

  /**
   * Go on under other seats or another rule book; only rounds for which something is different are
   * replayed again. If other phones count, the whole list has to be.
   * @param {Omit<TableSetup, "countsTo">} setup
   */
  withSetup(setup) {
    this.#setup = { ...setup, countsTo: this.#setup.countsTo };
    for (const [number, kept] of this.#rounds) {
      this.#rounds.set(number, kept.under(this.#under(number)));
    }
  }

  /** Return what stands in all rounds that have seats or entries, in order. */
  rounds() {
    const entered = [...this.#rounds].flatMap(([number, kept]) => (kept.isEmpty ? [] : number));
    const numbers = new Set([...this.#setup.seats.keys(), ...entered]);
    return [...numbers].sort((one, other) => one - other).map((each) => this.round(each));
  }

  /**
   * Return what stands in a round.
   * @param {number} number
   */
  round(number) {
    return this.#kept(number).state();
  }

  /** @param {number} number */
  #kept(number) {
    const there = this.#rounds.get(number);
    if (there !== undefined) return there;
    const made = new RoundList(number, this.#under(number));
    this.#rounds.set(number, made);
    return made;
  }

  /** @param {number} number */
  #under(number) {
    const { book, games, seats } = this.#setup;
    return { book, planned: games, people: seats.get(number) ?? [] };
  }
}
