/** What can go wrong with a request, as classes: refused for a reason, or never answered. */
import type { Problem, ProblemMistake } from "./api.js";
/** @import { Problem, ProblemMistake } from "./api.js" */
/** A request to Mahjic that did not do what it was sent for. */
export declare class MahjicError extends Error {
    name: string;
}
/** No answer came, however often it was tried. Sending it again with `idempotencyKey` is safe. */
export declare class NoAnswer extends MahjicError {
    idempotencyKey: string | undefined;
    name: string;
    /**
     * @param {string} why
     * @param {string | undefined} idempotencyKey
     */
    constructor(why: string, idempotencyKey: string | undefined);
}
/** Mahjic refused the request. `code` never changes; `mistakes` lists all there are. */
export declare class Refused extends MahjicError {
    status: number;
    problem: Partial<Problem>;
    code: string;
    /** @type {readonly ProblemMistake[]} */
    mistakes: readonly ProblemMistake[];
    name: string;
    /**
     * @param {number} status
     * @param {Partial<Problem>} problem
     */
    constructor(status: number, problem: Partial<Problem>);
}
/** 400, 413, 415 or 422: correct what is listed, and send it again. */
export declare class BadRequest extends Refused {
    name: string;
}
/** 401 or 403: the key is missing, wrong, or not for this. */
export declare class NotAllowed extends Refused {
    name: string;
}
/** 404: it does not exist, or not for this key. */
export declare class NotFound extends Refused {
    name: string;
}
/** 409: it does not fit what is on record. */
export declare class Conflict extends Refused {
    name: string;
}
/** 410: events as old as that are not kept. The message says from which number on to read. */
export declare class Gone extends Refused {
    name: string;
}
/** 408, 429 or 5xx, however often it was tried. */
export declare class TooBusy extends Refused {
    name: string;
}
/**
 * Return the error of an answer, by its status.
 * @param {number} status
 * @param {Partial<Problem>} problem
 * @returns {Refused}
 */
export declare function refusal(status: number, problem: Partial<Problem>): Refused;
