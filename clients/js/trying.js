/**
 * How a request comes to its answer: when to send it, how long to wait, and when to give up.
 *
 * Nothing here sends or waits: that does a line, which is handed in.
 */

import { MahjicError, NoAnswer, refusal } from "./errors.js";

/** @import { AnsweredLine, Problem } from "./api.js" */

const WORTH_ANOTHER_TRY = [408, 429, 502, 503, 504];
// The first request with this key is still running, so its answer is on the way.
const IN_PROGRESS = "request_in_progress";
const RECORDED_NOT_RATED = 202;
const LINE_FEED = 10;
/** What is said where what answers is not Mahjic. */
export const NOT_MAHJIC = "The answer is not what Mahjic answers. Is this the address of Mahjic?";

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
export const PATIENCE = {
  triesMax: 8,
  waitSFirst: 0.5,
  waitSMax: 60,
  waitsSMax: 300,
  clock: () => Date.now() / 1000,
  chance: Math.random,
};

/**
 * Send a request until it has an answer that another try would not change.
 * @param {Sent} request
 * @param {Line} line
 * @param {Patience} patience
 * @returns {Promise<Came>}
 * @throws {NoAnswer | Refused}
 */
export async function answered(request, line, patience) {
  let waitedS = 0;
  let asked = request;
  for (let tries = 0; ; tries++) {
    const came = await line.send(asked);
    if (isAnswer(came) && came.status < 300 && !came.isCut) return came;
    const isLast = tries + 1 === patience.triesMax;
    if (isAnswer(came) && came.movedTo && !isLast) {
      asked = { ...asked, path: came.movedTo, query: {} };
      continue;
    }
    const seconds = waitBefore(tries, came, patience);
    waitedS += seconds;
    if (isLast || waitedS > patience.waitsSMax || !isWorthAnotherTry(came)) {
      throw givenUp(came, request.headers["idempotency-key"]);
    }
    await line.wait(seconds);
  }
}

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
export async function settled(request, line, patience) {
  let waitedS = 0;
  for (;;) {
    const came = await answered(request, line, patience);
    const seconds = waitBefore(0, came, patience);
    waitedS += seconds;
    if (came.status !== RECORDED_NOT_RATED || waitedS > patience.waitsSMax) return came;
    await line.wait(seconds);
  }
}

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
export async function batch(request, lines, line, patience) {
  /** @type {AnsweredLine[]} */
  const told = [];
  let tries = 0;
  let waitedS = 0;
  for (;;) {
    const ahead = lines.slice(told.length);
    const came = await line.send({
      ...request,
      content: ahead.map((each) => `${each}\n`).join(""),
    });
    const { fresh, stopped } = answeredLines(came);
    if (fresh.length > 0) {
      tries = 0;
      waitedS = 0;
    }
    if (fresh.length > ahead.length) throw new MahjicError(NOT_MAHJIC);
    told.push(...fresh.map((each, at) => ({ ...each, line: told.length + at + 1 })));
    if (told.length >= lines.length) return told;
    const seconds = waitBefore(tries, came, patience);
    tries += 1;
    waitedS += seconds;
    const isLast = tries === patience.triesMax || waitedS > patience.waitsSMax;
    if (isLast && stopped) throw refusal(503, problemIn(stopped.problem));
    if (isLast || !isWorthAnotherTry(came)) throw givenUp(came, undefined);
    await line.wait(seconds);
  }
}

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
export async function settledBatch(request, lines, line, patience) {
  let told = await batch(request, lines, line, patience);
  let waitedS = 0;
  for (let tries = 0; ; tries++) {
    const ahead = told.filter(({ status }) => status === RECORDED_NOT_RATED);
    const seconds = waitBefore(tries, undefined, patience);
    waitedS += seconds;
    if (ahead.length === 0 || waitedS > patience.waitsSMax) return told;
    await line.wait(seconds);
    const left = lines.filter((_, at) => told[at]?.status === RECORDED_NOT_RATED);
    const again = await batch(request, left, line, patience);
    const answers = new Map(again.map((each, at) => [ahead[at], each]));
    told = told.map((each) => ({ ...(answers.get(each) ?? each), line: each.line }));
  }
}

/**
 * Return the wait after so many tries: as asked for, or longer each time, with jitter.
 * @param {number} tries
 * @param {Came | Lost | undefined} came
 * @param {Patience} patience
 * @returns {number}
 */
export function waitBefore(tries, came, { waitSFirst, waitSMax, clock, chance }) {
  const askedS = came && isAnswer(came) ? retryAfterS(came.headers, clock()) : undefined;
  if (askedS !== undefined) return askedS + waitSFirst * chance();
  return Math.min(waitSMax, waitSFirst * 2 ** tries) * (0.5 + 0.5 * chance());
}

/**
 * Return how long an answer asks to wait, in seconds or by a date, or undefined.
 * @param {Headers} headers
 * @param {number} nowS
 */
function retryAfterS(headers, nowS) {
  const text = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const atS = Date.parse(text) / 1000;
  return Number.isNaN(atS) ? undefined : Math.max(0, atS - nowS);
}

/**
 * Return the answers to the first lines of a slice, and the line that says why it stopped.
 * @param {Came | Lost} came
 * @returns {{ fresh: AnsweredLine[], stopped?: AnsweredLine }}
 */
function answeredLines(came) {
  /** @type {AnsweredLine[]} */
  const fresh = [];
  if (!isAnswer(came) || came.status !== 200) return { fresh };
  // What follows the last line feed is cut.
  const whole = came.content.subarray(0, came.content.lastIndexOf(LINE_FEED) + 1);
  for (const text of textOf(whole).split("\n").slice(0, -1)) {
    const answer = objectOf(text);
    if (typeof answer.status !== "number") throw new MahjicError(NOT_MAHJIC);
    if (answer.status === 503) return { fresh, stopped: answer };
    fresh.push(answer);
  }
  return { fresh };
}

/**
 * Return the error of a request for which this was the last that came back.
 * @param {Came | Lost} came
 * @param {string | undefined} idempotencyKey
 */
function givenUp(came, idempotencyKey) {
  if (isAnswer(came) && came.status >= 300) return refusal(came.status, problemOf(came));
  return new NoAnswer(isAnswer(came) ? "the connection broke" : came.why, idempotencyKey);
}

/** @param {Came | Lost} came */
function isWorthAnotherTry(came) {
  if (!isAnswer(came) || came.isCut || WORTH_ANOTHER_TRY.includes(came.status)) return true;
  // A batch that broke off has an answer, and yet it does not answer all.
  return came.status < 300 || problemOf(came).code === IN_PROGRESS;
}

/**
 * Return the problem that an answer holds; one from a proxy on the way holds none.
 * @param {Came} came
 * @returns {Partial<Problem>}
 */
function problemOf({ content }) {
  try {
    return problemIn(JSON.parse(textOf(content)));
  } catch {
    return {};
  }
}

/**
 * @param {unknown} told
 * @returns {Partial<Problem>}
 */
function problemIn(told) {
  return isObject(told) ? told : {};
}

/**
 * @param {unknown} told
 * @returns {told is Record<string, unknown>}
 */
function isObject(told) {
  return typeof told === "object" && told !== null && !Array.isArray(told);
}

/**
 * Return the JSON object of an answer: Mahjic answers with nothing else.
 * @param {string} text
 * @returns {any}
 * @throws {MahjicError} when it is none, or one that is nested too deep to read.
 */
export function objectOf(text) {
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    told = undefined;
  }
  if (!isObject(told)) throw new MahjicError(NOT_MAHJIC);
  return told;
}

/**
 * Return the text of bytes, without a mark of their order.
 * @param {Uint8Array} content
 * @returns {string}
 */
export function textOf(content) {
  return new TextDecoder().decode(content);
}

/**
 * @param {Came | Lost} came
 * @returns {came is Came}
 */
function isAnswer(came) {
  return "status" in came;
}
