/** What every method of the client stands on: it sends a request, and reads its answer. */
import type { AnsweredLine, CallOptions, LineClaim } from "./api.js";
import type { Patience } from "./trying.js";
export type ClientOptions = {
    /**
     * Mahjic's address, such as https://mahjic.example.org.
     */
    url: string;
    /**
     * An API key. Public pages need none.
     */
    key?: string;
    /**
     * How often and how long it is tried.
     */
    patience?: Partial<Patience>;
    /**
     * What sends requests, if not the fetch of the engine.
     */
    fetch?: typeof globalThis.fetch;
    /**
     * How long nothing may come before a try counts as lost.
     */
    silenceSMax?: number;
};
export type Told = {
    query?: readonly string[];
    isKeyed?: boolean;
    isProbe?: boolean;
    as?: "json" | "text" | "bytes" | "log";
};
export type ToldOfPages = Told & {
    rows: string;
    by: string;
};
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
export declare class Asking {
    #private;
    /** @param {ClientOptions} options */
    constructor({ url, key, patience, fetch, silenceSMax }: ClientOptions);
    /**
     * Send a request until it is answered for good, and return what the answer holds.
     * @protected
     * @param {string} route
     * @param {readonly (string | number)[]} parts
     * @param {CallOptions} [options]
     * @param {Told} [told]
     * @returns {Promise<any>}
     */
    protected _ask(route: string, parts: readonly (string | number)[], options?: CallOptions, told?: Told): Promise<any>;
    /**
     * Go through a list, page by page.
     * @protected
     * @param {string} route
     * @param {readonly (string | number)[]} parts
     * @param {CallOptions | undefined} options
     * @param {ToldOfPages} told
     * @returns {AsyncGenerator<any, void>}
     */
    protected _each(route: string, parts: readonly (string | number)[], options: CallOptions | undefined, told: ToldOfPages): AsyncGenerator<any, void>;
    /**
     * Send lines in slices, and yield the answer to each.
     * @protected
     * @param {string} route
     * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
     * @param {CallOptions} options
     * @param {Told} told
     * @returns {AsyncGenerator<AnsweredLine, void>}
     */
    protected _eachLine(route: string, lines: Iterable<LineClaim> | AsyncIterable<LineClaim>, options: CallOptions, told: Told): AsyncGenerator<AnsweredLine, void>;
    /**
     * @protected
     * @param {number} seconds
     * @param {CallOptions} options
     */
    protected _wait(seconds: number, { signal }: CallOptions): Promise<void>;
}
