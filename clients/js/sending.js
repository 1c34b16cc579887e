/** Sends requests by fetch: with the key, and to one server only. */

import { MahjicError } from "./errors.js";

/** @import { Came, Line, Lost, Sent } from "./trying.js" */

const MOVED = [307, 308];
// What these ask for is in the address, and they send nothing else.
const BODILESS = ["GET", "HEAD"];

const LEADS_AWAY =
  "This address leads on to another. Nothing was sent there. Is this the address of Mahjic?";

/** The way to one server. The key is kept where nothing that prints this can see it. */
export class Server {
  #base;
  #headers;
  #fetch;
  #silenceSMax;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string | undefined} options.key
   * @param {typeof globalThis.fetch} options.fetch
   * @param {number} options.silenceSMax
   */
  constructor({ url, key, fetch, silenceSMax }) {
    this.#base = baseOf(url);
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${checkedKey(key)}` };
    this.#fetch = fetch;
    this.#silenceSMax = silenceSMax;
  }

  /**
   * Return a line to the server for one call, which ends when the signal says so.
   * @param {AbortSignal | undefined} signal
   * @returns {Line}
   */
  line(signal) {
    return {
      send: (request) => this.#send(request, signal),
      wait: (seconds) => waited(seconds, signal),
    };
  }

  /**
   * @param {Sent} request
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Came | Lost>}
   */
  async #send({ method, path, query, headers, content }, signal) {
    signal?.throwIfAborted();
    const address = new URL(path.startsWith("/") ? this.#base + path : path);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const named = new Headers({ ...headers, ...this.#headers });
    const watch = new Watch(this.#silenceSMax, signal);
    /** @type {RequestInit} */
    const init = { method, headers: named, signal: watch.signal, credentials: "omit" };
    const isBodiless = BODILESS.includes(method);
    // What has a key or a body goes on by itself nowhere, not even to another page of the server.
    init.redirect = isBodiless && !named.has("authorization") ? "follow" : "manual";
    if (content !== undefined) init.body = /** @type {BodyInit} */ (content);
    try {
      const response = await this.#fetch(address, init);
      if (response.type !== "opaqueredirect") return await came(response, address, watch);
      // A browser hides where to. Only public pages move, and they need no key.
      if (!isBodiless) throw new MahjicError(LEADS_AWAY);
      named.delete("authorization");
      const followed = await this.#fetch(address, { ...init, redirect: "follow" });
      return await came(followed, address, watch);
    } catch (fault) {
      signal?.throwIfAborted();
      if (fault instanceof MahjicError) throw fault;
      return { why: watch.isOver ? `silent for ${this.#silenceSMax} s` : reasonOf(fault) };
    } finally {
      watch.end();
    }
  }
}

/** Ends a request when nothing comes for too long, or when its caller says so. */
class Watch {
  #controller = new AbortController();
  #silenceSMax;
  #caller;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  isOver = false;

  /**
   * @param {number} silenceSMax
   * @param {AbortSignal | undefined} caller
   */
  constructor(silenceSMax, caller) {
    this.#silenceSMax = silenceSMax;
    this.#caller = caller;
    caller?.addEventListener("abort", this.#abort);
    this.heard();
  }

  /** Whether the caller says so. */
  get isStopped() {
    return this.#caller?.aborted ?? false;
  }

  get signal() {
    return this.#controller.signal;
  }

  /** Begin to wait anew. */
  heard() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#abort();
    }, this.#silenceSMax * 1000);
  }

  end() {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  #abort = () => this.#controller.abort();
}

/**
 * Read an answer, as far as it comes.
 * @param {Response} response
 * @param {URL} address
 * @param {Watch} watch
 * @returns {Promise<Came>}
 */
async function came(response, address, watch) {
  const { status, headers } = response;
  const movedTo = MOVED.includes(status) ? sameServer(headers.get("location"), address) : undefined;
  /** @type {Uint8Array[]} */
  const parts = [];
  let isCut = false;
  try {
    for await (const part of partsOf(response)) {
      watch.heard();
      parts.push(part);
    }
  } catch (fault) {
    if (watch.isStopped) throw fault;
    isCut = true;
  }
  return { status, headers, content: joined(parts), isCut, movedTo };
}

/**
 * Yield the body of an answer as it comes; not every browser lets a body be looped over.
 * @param {Response} response
 */
async function* partsOf(response) {
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/**
 * @param {string | null} location
 * @param {URL} address
 */
function sameServer(location, address) {
  const to = location === null ? undefined : new URL(location, address);
  return to?.origin === address.origin ? to.href : undefined;
}

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function waited(seconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

/** @param {string} url */
function baseOf(url) {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (!base || !["http:", "https:"].includes(base.protocol)) {
    throw new TypeError("Give Mahjic's address in full, such as https://mahjic.example.org.");
  }
  if (base.username || base.password || base.search || base.hash) {
    throw new TypeError("Mahjic's address has no user name, no ? and no #.");
  }
  return base.href.replace(/\/$/, "");
}

/** @param {string} key */
function checkedKey(key) {
  // Said without the key, which could end up in a log.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError("An API key has no spaces, line breaks or accents.");
  }
  return key;
}

/**
 * Return why fetch failed, in the words of whatever it failed by.
 * @param {unknown} fault
 */
function reasonOf(fault) {
  const { message, cause } = /** @type {Error} */ (fault);
  return cause instanceof Error && cause.message ? cause.message : message;
}
