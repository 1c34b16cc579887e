/** Checks a player by the public log: each change from the numbers shown, and where it is proved. */

import { expectedNano, kFactor, roundHalfEven, START_CENTI } from "./formula.js";
import {
  checkLeaf,
  DoesNotHold,
  hashOf,
  isSame,
  leafOf,
  openCheckpoint,
  readVerifierKey,
} from "./tlog.js";

/** @import { Checkpoint, VerifierKey } from "./tlog.js" */

const WIN_NANO = 1_000_000_000;
const NANO_PER_CENTI = 10_000_000;
const SCALED = "mahjic-elo/2-scaled";
const FORMULAS = ["mahjic-elo/1", SCALED];
const PAGE_CHANGES = 50;
const TRIES_MAX = 10;
const PAUSE_MS = 2000;
const PAUSE_MS_MAX = 60_000;
// Thirty rounds a day for ten years; a service could list changes without end.
const CHANGES_MAX = 100_000;
const BONUS_NANO_MAX = 5_000_000_000;
const KEYS_PATH = "/log/keys";
// On this machine, whoever keeps the logs may check them by another name.
const HERE = ["localhost", "127.0.0.1", "[::1]"];
const ASK_LATER = [429, 503];
/** @type {readonly ("facts" | "verdicts")[]} */
const LOGS = ["facts", "verdicts"];
/** @type {readonly ("mahjic" | "verified")[]} */
const POOLS = ["mahjic", "verified"];

// What a profile says of both pools.
const STANDS = ["rating", "games", "verified_rating", "verified_games"];

/** @typedef {{ where: string, what: string }} Wrong */

/**
 * What a check found. It `holds` if nothing is wrong.
 * @typedef {object} Checked
 * @property {string} playerId Who was checked: another ID than was asked for if that was merged.
 * @property {boolean} holds
 * @property {Wrong[]} wrong What does not hold, and where.
 * @property {number} changes How many changes were checked.
 * @property {number} recordsShown How many records were shown whole, and held against their leaf.
 * @property {number} recordsWithheld
 * @property {Partial<Record<"facts" | "verdicts", Checkpoint>>} checkpoints The newest ones.
 */

/**
 * @typedef {object} CheckOptions
 * @property {string} url Mahjic's address, such as https://mahjic.example.org.
 * @property {typeof globalThis.fetch} [fetch]
 * @property {(changes: number) => void} [onProgress] Told how many changes have been read.
 * @property {AbortSignal} [signal]
 */

/**
 * Check everything public about a player: the sums, the signatures, and that each change is on the
 * log.
 *
 * It keeps nothing, so it cannot tell whether the log has only grown since the last time; the
 * command `mahjic check` can.
 * @param {string} playerId
 * @param {CheckOptions} options
 * @returns {Promise<Checked>}
 * @throws {Error} if Mahjic cannot be asked, or has no such public player.
 */
export async function checkPlayer(playerId, options) {
  const asking = new Asking(options);
  const path = `/v1/players/${encodeURIComponent(playerId)}`;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const profile = await asking.json(path);
    const check = new PlayerCheck(profile.player_id);
    await check.readAll(asking, options.onProgress ?? (() => {}));
    const later = await asking.json(path);
    if (STANDS.every((each) => later[each] === profile[each])) {
      check.checkSums(profile);
      return check.checked();
    }
  }
  throw new Error("The rating changes faster than it can be checked.");
}

/** @typedef {{ facts?: VerifierKey, verdicts?: VerifierKey, witnesses: VerifierKey[] }} Keys */

class PlayerCheck {
  /** @type {Wrong[]} */
  #wrong = [];
  /** @type {any[]} */
  #changes = [];
  /** @type {Map<string, Uint8Array>} */
  #roots = new Map();
  /** @type {any} */
  #newest = {};
  /** @type {Set<string>} */
  #shown = new Set();
  /** @type {Set<string>} */
  #withheld = new Set();

  /** @type {Keys} */
  #keys = { witnesses: [] };

  /** @param {string} who */
  constructor(who) {
    this.who = who;
  }

  /**
   * Read all changes, newest first, and check each.
   * @param {Asking} asking
   * @param {(changes: number) => void} onProgress
   */
  async readAll(asking, onProgress) {
    const named = await asking.text(KEYS_PATH);
    await this.#during(KEYS_PATH, async () => {
      this.#keys = await readKeys(named, asking.url);
    });
    const path = `/v1/players/${encodeURIComponent(this.who)}/proofs?limit=${PAGE_CHANGES}`;
    let cursor = "";
    do {
      const page = await asking.json(
        cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path,
      );
      this.#at(this.who, () => same("player_id", page.player_id, this.who));
      const checkpoints = await this.#opened(page.checkpoints);
      const records = await this.#proved(page.records, checkpoints);
      for (const change of page.changes) this.#check(change, records);
      this.#changes.push(...page.changes);
      onProgress(this.#changes.length);
      cursor = page.next_cursor ?? "";
      if (cursor && (page.changes.length === 0 || this.#changes.length > CHANGES_MAX)) {
        this.#take(this.who, new DoesNotHold("Changes are listed without end."));
        break;
      }
    } while (cursor);
    this.#checkOrder();
  }

  /**
   * Check that each change begins where the one before it ended, and that all make the rating.
   * @param {any} profile
   */
  checkSums(profile) {
    for (const pool of POOLS) {
      const prefix = pool === "mahjic" ? "" : "verified_";
      /** @type {Map<string, { rating: number, games: number }>} */
      const stands = new Map();
      let total = START_CENTI;
      for (const { change_id: id, why } of [...this.#changes].reverse()) {
        this.#at(`${id}, ${pool}`, () => {
          const moved = why.played_as ?? this.who;
          const { rating_before: before, rating_after: after, games_before: games } = why[pool];
          const held = stands.get(moved) ?? { rating: START_CENTI, games: 0 };
          stands.set(moved, { rating: centi(after), games: gamesAfter(why, pool) });
          total += centi(after) - centi(before);
          if (centi(before) !== held.rating || games !== held.games) {
            throw new DoesNotHold(
              `It begins at ${told(centi(before))} after ${games} games, and the changes before it ` +
                `end at ${told(held.rating)} after ${held.games}.`,
            );
          }
        });
      }
      this.#at(`${this.who}, ${pool}`, () => {
        const games = stands.get(this.who)?.games ?? 0;
        const rating = centi(profile[`${prefix}rating`]);
        if (total !== rating) {
          throw new DoesNotHold(
            `1500.00 and all changes make ${told(total)}, and the rating shown is ${told(rating)}.`,
          );
        }
        same("The games after all changes", games, profile[`${prefix}games`]);
      });
    }
  }

  /** Check that each change is told once, and that verdicts are in the order of their facts. */
  #checkOrder() {
    const seen = new Set();
    for (const [place, { change_id: id, why, verdict_seq: seq }] of this.#changes.entries()) {
      const newer = this.#changes[place - 1];
      this.#at(id, () => {
        if (seen.has(id)) throw new DoesNotHold("The change is told more than once.");
        seen.add(id);
        if (!newer || newer.why.fact_seq === why.fact_seq) return;
        if (!(newer.why.fact_seq > why.fact_seq && newer.verdict_seq > seq)) {
          throw new DoesNotHold(`It or its verdict is not in the order of ${newer.change_id}.`);
        }
      });
    }
  }

  /** @returns {Checked} */
  checked() {
    return {
      playerId: this.who,
      holds: this.#wrong.length === 0,
      wrong: this.#wrong,
      changes: this.#changes.length,
      recordsShown: this.#shown.size,
      recordsWithheld: [...this.#withheld].filter((each) => !this.#shown.has(each)).length,
      checkpoints: this.#newest,
    };
  }

  /**
   * @param {Record<"facts" | "verdicts", string>} notes
   * @returns {Promise<Record<string, Checkpoint | undefined>>}
   */
  async #opened(notes) {
    /** @type {Record<string, Checkpoint | undefined>} */
    const opened = {};
    for (const name of LOGS) {
      await this.#during(`checkpoint of the ${name}`, async () => {
        const trusted = this.#keys[name];
        if (!trusted) return; // It is told already that there is none to check with.
        const found = await openCheckpoint(notes[name], trusted, this.#keys.witnesses);
        const key = `${name} ${found.size}`;
        if (!isSame(this.#roots.get(key) ?? found.root, found.root)) {
          throw new DoesNotHold("Two different trees of one size are signed.");
        }
        this.#roots.set(key, found.root);
        if (found.size >= (this.#newest[name]?.size ?? 0)) this.#newest[name] = found;
        opened[name] = found;
      });
    }
    return opened;
  }

  /**
   * Check that every record of a page is on its log, and return them by log and number.
   * @param {any} records
   * @param {Record<string, Checkpoint | undefined>} checkpoints
   * @returns {Promise<Map<string, any>>}
   */
  async #proved(records, checkpoints) {
    const found = new Map();
    for (const name of LOGS) {
      for (const proved of records[name]) {
        const place = `record ${proved.seq} of the ${name}`;
        found.set(place, proved);
        (proved.record === null ? this.#withheld : this.#shown).add(place);
        await this.#during(`${this.who}, ${place}`, async () => {
          const checkpoint = checkpoints[name];
          // Without one, it is told already that it cannot be read.
          if (checkpoint) await checkProof(proved, checkpoint);
        });
      }
    }
    return found;
  }

  /**
   * Check a change, and what is shown of the records behind it.
   * @param {any} change
   * @param {Map<string, any>} records
   */
  #check(change, records) {
    const { change_id: id, why, fact_seq: fact, verdict_seq: verdict } = change;
    const moved = why.played_as ?? this.who;
    this.#at(id, () => {
      const round = why.type === "round" ? `.${why.round_number}` : "";
      const named = `${moved}.${why.fact_seq}${round}`;
      same("The id of the change", id, named);
      same("The id within the reason", why.change_id, named);
      checkArithmetic(why);
      same("The number of the fact", fact, why.fact_seq);
    });
    for (const [name, place] of /** @type {const} */ ([
      ["facts", `record ${fact} of the facts`],
      ["verdicts", `record ${verdict} of the verdicts`],
    ])) {
      this.#at(`${id}, ${place}`, () => {
        const proved = records.get(place);
        if (!proved) throw new DoesNotHold("The record that it stands on is not on the page.");
        if (proved.record !== null) checkRecord(name, JSON.parse(proved.record.body), why, moved);
      });
    }
  }

  /**
   * @param {string} where
   * @param {() => void} check
   */
  #at(where, check) {
    try {
      check();
    } catch (error) {
      this.#take(where, error);
    }
  }

  /**
   * @param {string} where
   * @param {() => Promise<void>} check
   */
  async #during(where, check) {
    try {
      await check();
    } catch (error) {
      this.#take(where, error);
    }
  }

  /**
   * @param {string} where
   * @param {unknown} error
   */
  #take(where, error) {
    // What is not as it must be at all, such as a missing member, does not hold either.
    if (
      !(error instanceof DoesNotHold || error instanceof TypeError || error instanceof SyntaxError)
    ) {
      throw error;
    }
    this.#wrong.push({ where, what: error.message });
  }
}

/**
 * @param {any} proved
 * @param {Checkpoint} checkpoint
 */
async function checkProof(proved, checkpoint) {
  const leaf = hashOf(proved.leaf_hash, "leaf_hash");
  const proof = proved.proof.map((/** @type {string} */ each) =>
    hashOf(each, "A hash of the proof"),
  );
  await checkLeaf(proof, { index: proved.seq - 1, leaf, checkpoint });
  if (proved.record !== null && !isSame(await leafOf(proved.record), leaf)) {
    throw new DoesNotHold("The record that is shown is not what its leaf holds.");
  }
}

/**
 * Check a record that is shown against the numbers of a change.
 * @param {string} log
 * @param {any} record
 * @param {any} why
 * @param {string} moved
 */
function checkRecord(log, record, why, moved) {
  if (log === "facts") {
    same("The number in the fact", record.id, String(why.fact_seq));
    return;
  }
  const { data } = record;
  same("The fact that the verdict answers", data.fact_seq, why.fact_seq);
  const numbers = why.type === "round" ? data.rounds[why.round_number - 1] : data;
  const seat = numbers.players.indexOf(moved);
  if (seat < 0) throw new DoesNotHold(`The verdict does not have ${moved}.`);
  for (const pool of POOLS) {
    const prefix = pool === "mahjic" ? "" : "verified_";
    for (const field of ["rating_before", "rating_change"]) {
      same(`${pool}: ${field}`, centi(why[pool][field]), numbers[prefix + field][seat]);
    }
    const games = `${prefix}games_before`;
    same(`${pool}: games_before`, why[pool].games_before, numbers[games][seat]);
    if (why.type === "correction") {
      const after = numbers[`${prefix}games_after`][seat];
      same(`${pool}: games_after`, why[pool].games_after, after);
    }
  }
  if (why.type === "round") {
    same("mahjongs", why.mahjongs, numbers.mahjongs[seat]);
    same("games_played", why.games_played, numbers.games_played);
    same("session_id", why.session_id, data.session_id);
    const others = numbers.rating_before.filter(
      (/** @type {unknown} */ _, /** @type {number} */ place) => place !== seat,
    );
    const lines = why.mahjic.lines.map((/** @type {any} */ line) => centi(line.rating_before));
    same("mahjic: the ratings of the others", lines.join(), others.join());
  }
}

/**
 * Work a change out again from the numbers that are shown with it.
 * @param {any} why
 */
function checkArithmetic(why) {
  for (const pool of POOLS) {
    const { rating_before: before, rating_change: change, rating_after: after } = why[pool];
    same(`${pool}: rating_after`, after, (centi(before) + centi(change)) / 100);
    if (why.type === "round") checkReason(why, pool);
  }
}

/**
 * @param {any} why
 * @param {"mahjic" | "verified"} pool
 */
function checkReason(why, pool) {
  const reason = why[pool];
  if (!FORMULAS.includes(why.formula)) {
    throw new DoesNotHold(`The formula ${why.formula} is not known here.`);
  }
  if (!reason.counted) {
    same(`${pool}: what an uncounted round changed`, centi(reason.rating_change), 0);
    return;
  }
  if (!(reason.games_before >= 0 && reason.lines.length > 0)) {
    throw new DoesNotHold(`${pool}: games_before or the number of lines cannot be.`);
  }
  for (const [place, line] of reason.lines.entries()) {
    const where = `${pool}, line ${place + 1}`;
    const expected = expectedNano(centi(reason.rating_before) - centi(line.rating_before));
    const actual = Math.round(line.actual * WIN_NANO);
    const bonus = Math.round(line.points_bonus * WIN_NANO);
    same(`${where}: k`, line.k, kFactor(reason.games_before));
    same(`${where}: expected`, line.expected, expected / WIN_NANO);
    same(`${where}: actual`, [0, WIN_NANO / 2, WIN_NANO].includes(actual), true);
    const most = why.points === null ? 0 : BONUS_NANO_MAX;
    same(`${where}: points_bonus within what it can be`, Math.abs(bonus) <= most, true);
    const gain = line.k * (actual - expected) + bonus;
    same(`${where}: pair_gain_nano`, line.pair_gain_nano, gain);
    same(`${where}: pair_gain`, line.pair_gain, roundHalfEven(gain, NANO_PER_CENTI) / 100);
  }
  const sum = reason.lines.reduce(
    (/** @type {number} */ total, /** @type {any} */ line) => total + line.pair_gain_nano,
    0,
  );
  const dividedBy = why.formula === SCALED ? reason.lines.length : 1;
  same(`${pool}: sum_nano`, reason.sum_nano, sum);
  same(`${pool}: divided_by`, reason.divided_by, dividedBy);
  const change = roundHalfEven(sum, NANO_PER_CENTI * dividedBy);
  same(`${pool}: rating_change in hundredths`, centi(reason.rating_change), change);
  const rounding = change * NANO_PER_CENTI * dividedBy - sum;
  same(`${pool}: rounding_nano`, reason.rounding_nano, rounding);
}

/**
 * Return how many games a change ends at.
 * @param {any} why
 * @param {"mahjic" | "verified"} pool
 */
function gamesAfter(why, pool) {
  if (why.type === "correction") return why[pool].games_after;
  return why[pool].games_before + (why[pool].counted ? why.games_played : 0);
}

/**
 * Return the keys that a service names: the last ones, which are those of the logs that go on.
 * @param {string} named
 * @param {string} url
 * @returns {Promise<Keys>}
 * @throws {DoesNotHold}
 */
async function readKeys(named, url) {
  const { host, hostname } = new URL(url, globalThis.location?.href);
  /** @type {Keys} */
  const keys = { witnesses: [] };
  for (const line of named.trim().split("\n")) {
    const [kind, ...rest] = line.split(" ");
    const key = await readVerifierKey((kind === "log" ? rest[0] : rest[1]) ?? "");
    if (key.isWitness !== (kind === "witness")) throw new DoesNotHold(`What is this: ${line}`);
    if (key.isWitness) {
      keys.witnesses.push(key);
      continue;
    }
    const [of = "", name = ""] = key.name.split("/");
    if (of !== host && !HERE.includes(hostname)) {
      throw new DoesNotHold(`These are the logs of ${of}, and ${host} was asked.`);
    }
    for (const each of LOGS) if (each === name) keys[each] = key;
  }
  for (const each of LOGS)
    if (!keys[each]) throw new DoesNotHold(`There is no key of the ${each}.`);
  return keys;
}

/** What asks Mahjic, and waits when it is told to. */
class Asking {
  /** @param {CheckOptions} options */
  constructor({ url, fetch, signal }) {
    this.url = url.replace(/\/+$/, "");
    this.fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.signal = signal ?? null;
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  async json(path) {
    return (await this.#answer(path)).json();
  }

  /** @param {string} path */
  async text(path) {
    return (await this.#answer(path)).text();
  }

  /** @param {string} path */
  async #answer(path) {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await this.fetch(this.url + path, { signal: this.signal });
      if (answer.ok) return answer;
      if (!ASK_LATER.includes(answer.status)) throw new Error(`${path} answered ${answer.status}.`);
      const seconds = Number(answer.headers.get("retry-after"));
      const pauseMs = seconds > 0 ? Math.min(seconds * 1000, PAUSE_MS_MAX) : PAUSE_MS;
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
    throw new Error(`${path} is not answered at the moment.`);
  }
}

/**
 * Return hundredths as points.
 * @param {number} hundredths
 */
function told(hundredths) {
  return (hundredths / 100).toFixed(2);
}

/**
 * Return points in hundredths.
 * @param {number} points
 * @throws {DoesNotHold} if they have more decimals.
 */
function centi(points) {
  const hundredths = Math.round(points * 100);
  if (!(Math.abs(points * 100 - hundredths) <= 1e-11 * Math.max(1, Math.abs(hundredths)))) {
    throw new DoesNotHold(`${String(points)} has more than two decimals, or is no number.`);
  }
  return hundredths;
}

/**
 * @param {string} what
 * @param {unknown} shown
 * @param {unknown} expected
 */
function same(what, shown, expected) {
  if (shown !== expected) {
    throw new DoesNotHold(`${what} is ${String(shown)}, and must be ${String(expected)}.`);
  }
}
