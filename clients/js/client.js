/** The client: Mahjic at an address, with an API key or without. */

import { MahjicError } from "./errors.js";
import { Methods } from "./methods.js";
import { NOT_MAHJIC } from "./trying.js";

/** @import { AnsweredLine, EventAnswer, LineClaim, Options } from "./api.js" */

const EVENTS_WAIT_S = 30;
// If something on the way answers at once where Mahjic would wait.
const EVENTS_PAUSE_S = 1;

/**
 * Mahjic at an address, with an API key or without.
 *
 * Whatever gets lost on the way is sent again, as it was. A method throws NoAnswer or Refused when
 * that is no longer of use.
 */
export class Mahjic extends Methods {
  /**
   * Send sessions, as many as there are, and return the answer to each, in their order.
   * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
   * @param {Options<"submitBatch">} [options]
   * @returns {Promise<AnsweredLine[]>}
   */
  async submitBatch(lines, options) {
    const told = [];
    for await (const each of this.batch(lines, options)) told.push(each);
    return told;
  }

  /**
   * Go through the answers to sessions, which are sent 1,000 at a time as you go.
   *
   * What you do not go on to is not sent.
   * @param {Iterable<LineClaim> | AsyncIterable<LineClaim>} lines
   * @param {Options<"submitBatch">} [options]
   * @returns {AsyncGenerator<AnsweredLine, void>}
   */
  batch(lines, options = {}) {
    return this._eachLine("POST /v1/sessions/batch", lines, options, {
      query: ["whole_nights", "dry_run", "if_similar"],
    });
  }

  /**
   * Go through what happened after an event, and wait for what happens next, without end.
   * @param {{ after?: number, limit?: number, signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<EventAnswer, void>}
   * @throws {Gone} if some of it is no longer kept.
   */
  async *events({ after = 0, ...options } = {}) {
    let last = after;
    for (;;) {
      const page = await this.listEvents({ ...options, after: last, wait: EVENTS_WAIT_S });
      if (!Array.isArray(page.events) || !Number.isInteger(page.next_after)) {
        throw new MahjicError(NOT_MAHJIC);
      }
      yield* page.events;
      last = page.next_after;
      if (page.events.length === 0) await this._wait(EVENTS_PAUSE_S, options);
    }
  }
}
