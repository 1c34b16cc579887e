/** What every method of the client stands on: it sends a request, and reads its answer. */

import { MahjicError } from "./errors.js";
import { Server } from "./sending.js";
import {
  answered,
  batch,
  NOT_MAHJIC,
  objectOf,
  PATIENCE,
  settled,
  settledBatch,
  textOf,
} from "./trying.js";

/** @import { AnsweredLine, CallOptions, LineClaim, LogPage, Sheet } from "./api.js" */
/** @import { Came, Patience, Sent } from "./trying.js" */

const NO_CONTENT = 204;
const LINES_MAX = 1000;
// Longer than Mahjic ever waits before it answers.
const SILENCE_S_MAX = 60;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/**
 * @typedef {object} ClientOptions
 * @property {string} url Mahjic's address, such as https://mahjic.example.org.
 * @property {string} [key] An API key. Public pages need none.
 * @property {Partial<Patience>} [patience] How often and how long it is tried.
 * @property {typeof globalThis.fetch} [fetch] What sends requests, if not the fetch of the engine.
 * @property {number} [silenceSMax] How long nothing may come before a try counts as lost.
 */

/**
 * What is to be known about a route: which options are in the query if others are the body, whether
 * it takes an idempotency key, whether one try tells all, and what its answer is read as.
 * @typedef {object} Told
 * @property {readonly string[]} [query]
 * @property {boolean} [isKeyed]
 * @property {boolean} [isProbe]
 * @property {"json" | "text" | "bytes" | "log"} [as]
 */

/** @typedef {Told & { rows: string, by: string }} ToldOfPages */

/** Something that can be asked at one address, with one key. */
export class Asking {
  #server;
  #patience;

  /** @param {ClientOptions} options */
  constructor({ url, key, patience, fetch, silenceSMax = SILENCE_S_MAX }) {
    // Engines want their fetch called on nothing else.
    const send = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#server = new Server({ url, key, fetch: send, silenceSMax });
    this.#patience = { ...PATIENCE, ...patience };
  }

  /**
   * Send a request until it is answered for good, and return what the answer holds.
   * @protected
   * @param {string} route
   * @param {readonly (string | number)[]} parts
   * @param {CallOptions} [options]
   * @param {Told} [told]
   * @returns {Promise<any>}
   */
  async _ask(route, parts, options = {}, told = {}) {
    const request = await requestOf(route, parts, options, told);
    const line = this.#server.line(options.signal);
    if (told.isProbe) {
      return read(await answered(request, line, { ...this.#patience, triesMax: 1 }), told);
    }
    const isPatient = request.headers.prefer === undefined;
    return read(await (isPatient ? settled : answered)(request, line, this.#patience), told);
  }

  /**
   * Go through a list, page by page.
   * @protected
   * @param {string} route
   * @param {readonly (string | number)[]} parts
   * @param {CallOptions | undefined} options
   * @param {ToldOfPages} told
   * @returns {AsyncGenerator<any, void>}
   */
  async *_each(route, parts, options = {}, told) {
    /** @type {Record<string, unknown>} */
    let asked = { ...options };
    let whose = parts;
    for (;;) {
      const page = await this._ask(route, whose, asked, told);
      // The page of a player who was merged is somebody else's, and so is the next one.
      if (page.player_id !== undefined) whose = [page.player_id, ...parts.slice(1)];
      const rows = page[told.rows] ?? [];
      if (!Array.isArray(rows)) throw new MahjicError(NOT_MAHJIC);
      yield* rows;
      // A log goes on by numbers, everything else by what the page says.
      const next = told.as === "log" ? afterRecords(asked, rows) : page[`next_${told.by}`];
      if (next === null || next === undefined) return;
      asked = { ...asked, [told.by]: next };
    }
  }

  /**
   * Send lines in slices, and yield the answer to each.
   * @protected
   * @param {string} route
   * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
   * @param {CallOptions} options
   * @param {Told} told
   * @returns {AsyncGenerator<AnsweredLine, void>}
   */
  async *_eachLine(route, lines, options, told) {
    const request = await requestOf(route, [], options, told);
    const headers = { ...request.headers, "content-type": "application/x-ndjson" };
    const line = this.#server.line(options.signal);
    const send = request.headers.prefer === undefined ? settledBatch : batch;
    let before = 0;
    for await (const slice of slices(lines)) {
      const answers = await send({ ...request, headers }, slice, line, this.#patience);
      for (const each of answers) yield { ...each, line: before + each.line };
      before += slice.length;
    }
  }

  /**
   * @protected
   * @param {number} seconds
   * @param {CallOptions} options
   */
  async _wait(seconds, { signal }) {
    await this.#server.line(signal).wait(seconds);
  }
}

/**
 * Return a request as it is sent, each time the same.
 * @param {string} route
 * @param {readonly (string | number)[]} parts
 * @param {CallOptions & { wait?: number, idempotencyKey?: string, file?: Sheet }} options
 * @param {Told} told
 * @returns {Promise<Sent>}
 */
async function requestOf(route, parts, options, { query = [], isKeyed = false }) {
  const { signal: _, wait, idempotencyKey, file, ...fields } = options;
  const [method = "", path = ""] = route.split(" ");
  /** @type {Record<string, string>} */
  const headers = {};
  if (wait !== undefined) headers.prefer = wait === 0 ? "respond-async" : `wait=${wait}`;
  if (isKeyed) headers["idempotency-key"] = idempotencyKey || newKey();
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // What is not in the query is the body, where there is one beside a sheet.
  const isBody = ["POST", "PUT"].includes(method) && file === undefined;
  const inQuery = given.filter(
    ([name, value]) => (!isBody || query.includes(name)) && value !== null,
  );
  const inBody = given.filter(([name]) => isBody && !query.includes(name));
  let content;
  if (file !== undefined) {
    content = await bytesOf(file);
    headers["content-type"] = isZip(content) ? XLSX : "text/csv";
  } else if (isBody) {
    content = JSON.stringify(Object.fromEntries(inBody));
    headers["content-type"] = "application/json";
  }
  const asked = inQuery.map(([name, value]) => [name, String(value)]);
  return { method, path: filled(path, parts), query: Object.fromEntries(asked), headers, content };
}

/**
 * Return a path with its parts, whatever stands in them.
 * @param {string} path
 * @param {readonly (string | number)[]} parts
 */
function filled(path, parts) {
  const ahead = parts.map(String);
  return path.replaceAll(/\{\w+\}/g, () => {
    const part = ahead.shift() ?? "";
    if (["", ".", ".."].includes(part)) throw new TypeError(`"${part}" is no id.`);
    return encodeURIComponent(part);
  });
}

/** Return an idempotency key that no other call has; pages without TLS have no randomUUID. */
function newKey() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Sheet} file */
async function bytesOf(file) {
  if (typeof file === "string") return new TextEncoder().encode(file);
  if (file instanceof Uint8Array) return file;
  return new Uint8Array(file instanceof ArrayBuffer ? file : await file.arrayBuffer());
}

/** @param {Uint8Array} content */
function isZip(content) {
  return content[0] === 0x50 && content[1] === 0x4b;
}

/**
 * @param {Came} came
 * @param {Told} told
 */
function read({ status, content, headers }, { as = "json" }) {
  if (as === "bytes") return content;
  const text = textOf(content);
  if (as === "text") return text;
  if (as === "log") return logPageOf(text, headers);
  return status === NO_CONTENT ? undefined : objectOf(text);
}

/**
 * @param {string} text
 * @param {Headers} headers
 * @returns {LogPage}
 */
function logPageOf(text, headers) {
  const [logId, before, after] = ["mahjic-log-id", "mahjic-chain-before", "mahjic-chain-after"].map(
    (name) => headers.get(name),
  );
  if (!logId) throw new MahjicError(NOT_MAHJIC);
  return {
    records: text.split("\n").slice(0, -1),
    log_id: logId,
    ...(before ? { chain_before: before } : {}),
    ...(after ? { chain_after: after } : {}),
  };
}

/**
 * Return the number of the record after these, and undefined after the last.
 * @param {Record<string, unknown>} asked
 * @param {readonly unknown[]} records
 */
function afterRecords(asked, records) {
  return records.length === 0 ? undefined : Number(asked.from ?? 1) + records.length;
}

/**
 * Yield the lines of a batch in slices. A line without a key of its own gets one, which it keeps
 * through all tries.
 * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
 */
async function* slices(lines) {
  const key = newKey();
  let number = 0;
  /** @type {string[]} */
  let ahead = [];
  for await (const each of lines) {
    number += 1;
    const own = each.idempotency_key || `${key}-${number}`;
    ahead.push(JSON.stringify({ ...each, idempotency_key: own }));
    if (ahead.length === LINES_MAX) {
      yield ahead;
      ahead = [];
    }
  }
  if (ahead.length > 0) yield ahead;
}
