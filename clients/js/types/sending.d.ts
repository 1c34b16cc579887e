/** Sends requests by fetch: with the key, and to one server only. */
import type { Line } from "./trying.js";
/** The way to one server. The key is kept where nothing that prints this can see it. */
export declare class Server {
    #private;
    /**
     * @param {object} options
     * @param {string} options.url
     * @param {string | undefined} options.key
     * @param {typeof globalThis.fetch} options.fetch
     * @param {number} options.silenceSMax
     */
    constructor({ url, key, fetch, silenceSMax }: {
        url: string;
        key: string | undefined;
        fetch: typeof globalThis.fetch;
        silenceSMax: number;
    });
    /**
     * Return a line to the server for one call, which ends when the signal says so.
     * @param {AbortSignal | undefined} signal
     * @returns {Line}
     */
    line(signal: AbortSignal | undefined): Line;
}
