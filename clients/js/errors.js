/** What can go wrong with a request, as classes: refused for a reason, or never answered. */

/** @import { Problem, ProblemMistake } from "./api.js" */

/** A request to Mahjic that did not do what it was sent for. */
export class MahjicError extends Error {
  name = "MahjicError";
}

/** No answer came, however often it was tried. Sending it again with `idempotencyKey` is safe. */
export class NoAnswer extends MahjicError {
  name = "NoAnswer";

  /**
   * @param {string} why
   * @param {string | undefined} idempotencyKey
   */
  constructor(why, idempotencyKey) {
    super(`Mahjic does not answer: ${why}.`);
    this.idempotencyKey = idempotencyKey;
  }
}

/** Mahjic refused the request. `code` never changes; `mistakes` lists all there are. */
export class Refused extends MahjicError {
  name = "Refused";

  /**
   * @param {number} status
   * @param {Partial<Problem>} problem
   */
  constructor(status, problem) {
    // Whatever stands on the way may have answered, in a shape of its own.
    const mistakes = Array.isArray(problem.errors) ? problem.errors.filter(isMistake) : [];
    const told = isText(problem.detail) ? problem.detail : `Mahjic answered with status ${status}.`;
    super([told, ...mistakes.map(({ pointer, message }) => `${pointer}: ${message}`)].join("\n"));
    this.status = status;
    this.problem = problem;
    this.code = isText(problem.code) ? problem.code : "";
    /** @type {readonly ProblemMistake[]} */
    this.mistakes = mistakes;
  }
}

/** 400, 413, 415 or 422: correct what is listed, and send it again. */
export class BadRequest extends Refused {
  name = "BadRequest";
}

/** 401 or 403: the key is missing, wrong, or not for this. */
export class NotAllowed extends Refused {
  name = "NotAllowed";
}

/** 404: it does not exist, or not for this key. */
export class NotFound extends Refused {
  name = "NotFound";
}

/** 409: it does not fit what is on record. */
export class Conflict extends Refused {
  name = "Conflict";
}

/** 410: events as old as that are not kept. The message says from which number on to read. */
export class Gone extends Refused {
  name = "Gone";
}

/** 408, 429 or 5xx, however often it was tried. */
export class TooBusy extends Refused {
  name = "TooBusy";
}

/**
 * @param {unknown} each
 * @returns {each is ProblemMistake}
 */
function isMistake(each) {
  if (typeof each !== "object" || each === null) return false;
  const { pointer, code, message } = /** @type {Record<string, unknown>} */ (each);
  return typeof pointer === "string" && isText(code) && isText(message);
}

/**
 * @param {unknown} told
 * @returns {told is string}
 */
function isText(told) {
  return typeof told === "string" && told !== "";
}

/** @type {Record<number, typeof Refused>} */
const KINDS = {
  401: NotAllowed,
  403: NotAllowed,
  404: NotFound,
  408: TooBusy,
  409: Conflict,
  410: Gone,
  429: TooBusy,
};

/**
 * Return the error of an answer, by its status.
 * @param {number} status
 * @param {Partial<Problem>} problem
 * @returns {Refused}
 */
export function refusal(status, problem) {
  const Kind = KINDS[status] ?? (status >= 500 ? TooBusy : BadRequest);
  return new Kind(status, problem);
}
