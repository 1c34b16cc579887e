/**
 * How a request comes to its answer: when to send it, how long to wait, and when to give up.
 *
 * Nothing here sends or waits: that does a line, which is handed in.
 */
import type { AnsweredLine } from "./api.js";
/** What is said where what answers is not Mahjic. */
export declare const NOT_MAHJIC = "The answer is not what Mahjic answers. Is this the address of Mahjic?";
export type Sent = {
    method: string;
    /**
     * Or a whole address on the same server.
     */
    path: string;
    query: Record<string, string>;
    /**
     * With their names in small letters.
     */
    headers: Record<string, string>;
    content: string | Uint8Array | undefined;
};
export type Came = {
    status: number;
    headers: Headers;
    content: Uint8Array;
    isCut: boolean;
    movedTo: string | undefined;
};
export type Lost = {
    why: string;
};
export type Line = {
    send: (request: Sent) => Promise<Came | Lost>;
    wait: (seconds: number) => Promise<void>;
};
export type Patience = {
    triesMax: number;
    waitSFirst: number;
    waitSMax: number;
    waitsSMax: number;
    /**
     * The Unix time.
     */
    clock: () => number;
    /**
     * A number from 0 to 1.
     */
    chance: () => number;
};
/**
 * A request as it is sent, each time the same.
 * @typedef {object} Sent
 * @property {string} method
 * @property {string} path Or a whole address on the same server.
 * @property {Record<string, string>} query
 * @property {Record<string, string>} headers With their names in small letters.
 * @property {string | Uint8Array | undefined} content
 */
/**
 * What came back: all of it, unless `isCut` says that the connection broke on the way. `movedTo` is
 * the address to ask instead, if the answer names one on the same server.
 * @typedef {object} Came
 * @property {number} status
 * @property {Headers} headers
 * @property {Uint8Array} content
 * @property {boolean} isCut
 * @property {string | undefined} movedTo
 */
/**
 * The connection failed before an answer began.
 * @typedef {object} Lost
 * @property {string} why
 */
/**
 * What sends and waits.
 * @typedef {object} Line
 * @property {(request: Sent) => Promise<Came | Lost>} send
 * @property {(seconds: number) => Promise<void>} wait
 */
/**
 * How often a request is tried, and how long is waited between the tries. All waits together take
 * `waitsSMax` at most: if Mahjic asks for a longer one, the request ends at once.
 * @typedef {object} Patience
 * @property {number} triesMax
 * @property {number} waitSFirst
 * @property {number} waitSMax
 * @property {number} waitsSMax
 * @property {() => number} clock The Unix time.
 * @property {() => number} chance A number from 0 to 1.
 */
/** @type {Patience} */
export declare const PATIENCE: Patience;
/**
 * Send a request until it has an answer that another try would not change.
 * @param {Sent} request
 * @param {Line} line
 * @param {Patience} patience
 * @returns {Promise<Came>}
 * @throws {NoAnswer | Refused}
 */
export declare function answered(request: Sent, line: Line, patience: Patience): Promise<Came>;
/**
 * Send a request, and again for as long as the answer is that it is not rated yet.
 *
 * A request that is sent again gets the first answer, with the numbers of today. When the patience
 * is at its end, the 202 itself is returned: the session counts, whatever comes.
 * @param {Sent} request
 * @param {Line} line
 * @param {Patience} patience
 * @returns {Promise<Came>}
 */
export declare function settled(request: Sent, line: Line, patience: Patience): Promise<Came>;
/**
 * Send a slice of a batch, and what was not answered again, until each line has its answer.
 *
 * A line with status 503 is the last one answered, and was not recorded: it is sent again.
 * @param {Sent} request
 * @param {readonly string[]} lines
 * @param {Line} line
 * @param {Patience} patience
 * @returns {Promise<AnsweredLine[]>}
 * @throws {NoAnswer | Refused} when one try after another brings nothing new.
 * @throws {MahjicError} when what answers is not Mahjic.
 */
export declare function batch(request: Sent, lines: readonly string[], line: Line, patience: Patience): Promise<AnsweredLine[]>;
/**
 * Send a slice of a batch, and again those lines that are not rated yet, until they are.
 *
 * Answers stay in the order of the lines. When the patience is at its end, a line keeps its 202.
 * @param {Sent} request
 * @param {readonly string[]} lines
 * @param {Line} line
 * @param {Patience} patience
 * @returns {Promise<AnsweredLine[]>}
 * @throws {MahjicError} as `batch` does.
 */
export declare function settledBatch(request: Sent, lines: readonly string[], line: Line, patience: Patience): Promise<AnsweredLine[]>;
/**
 * Return the wait after so many tries: as asked for, or longer each time, with jitter.
 * @param {number} tries
 * @param {Came | Lost | undefined} came
 * @param {Patience} patience
 * @returns {number}
 */
export declare function waitBefore(tries: number, came: Came | Lost | undefined, { waitSFirst, waitSMax, clock, chance }: Patience): number;
/**
 * Return the JSON object of an answer: Mahjic answers with nothing else.
 * @param {string} text
 * @returns {any}
 * @throws {MahjicError} when it is none, or one that is nested too deep to read.
 */
export declare function objectOf(text: string): any;
/**
 * Return the text of bytes, without a mark of their order.
 * @param {Uint8Array} content
 * @returns {string}
 */
export declare function textOf(content: Uint8Array): string;
