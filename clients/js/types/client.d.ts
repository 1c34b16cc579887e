/** The client: Mahjic at an address, with an API key or without. */
import { Methods } from "./methods.js";
import type { AnsweredLine, EventAnswer, LineClaim, Options } from "./api.js";
/**
 * Mahjic at an address, with an API key or without.
 *
 * Whatever gets lost on the way is sent again, as it was. A method throws NoAnswer or Refused when
 * that is no longer of use.
 */
export declare class Mahjic extends Methods {
    /**
     * Send sessions, as many as there are, and return the answer to each, in their order.
     * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
     * @param {Options<"submitBatch">} [options]
     * @returns {Promise<AnsweredLine[]>}
     */
    submitBatch(lines: Iterable<LineClaim> | AsyncIterable<LineClaim>, options?: Options<"submitBatch">): Promise<AnsweredLine[]>;
    /**
     * Go through the answers to sessions, which are sent 1,000 at a time as you go.
     *
     * What you do not go on to is not sent.
     * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
     * @param {Options<"submitBatch">} [options]
     * @returns {AsyncGenerator<AnsweredLine, void>}
     */
    batch(lines: Iterable<LineClaim> | AsyncIterable<LineClaim>, options?: Options<"submitBatch">): AsyncGenerator<AnsweredLine, void>;
    /**
     * Go through what happened after an event, and wait for what happens next, without end.
     * @param {{ after?: number, limit?: number, signal?: AbortSignal }} [options]
     * @returns {AsyncGenerator<EventAnswer, void>}
     * @throws {Gone} if some of it is no longer kept.
     */
    events({ after, ...options }?: {
        after?: number;
        limit?: number;
        signal?: AbortSignal;
    }): AsyncGenerator<EventAnswer, void>;
}
