// Keeps in the browser what is typed of a night until the service has it as well.

const PREFIX = "mahjic night ";
// The service keeps nights as long.
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * What somebody typed: the address of the night, who typed it, and the fields of its form.
 * @typedef {{ action: string, keeper: string, fields: string, at: number }} Copy
 */

/**
 * @param {string} action
 * @param {string} keeper
 * @param {string} fields
 */
export function keepCopy(action, keeper, fields) {
  const copy = { action, keeper, fields, at: Date.now() };
  quietly(() => localStorage.setItem(PREFIX + action, JSON.stringify(copy)));
}

/** @param {string} action */
export function dropCopy(action) {
  quietly(() => localStorage.removeItem(PREFIX + action));
}

/**
 * Returns what somebody typed on this device into nights whose address begins like this, and the
 * service does not have.
 * @param {string} keeper
 * @param {string} begins
 * @returns {Copy[]}
 */
export function copiesOf(keeper, begins) {
  return quietly(() => Object.keys(localStorage).flatMap(readCopy)).filter(
    (copy) => copy.keeper === keeper && copy.action.startsWith(begins),
  );
}

/**
 * @param {string} key
 * @returns {Copy[]}
 */
function readCopy(key) {
  if (!key.startsWith(PREFIX)) {
    return [];
  }
  const copy = JSON.parse(localStorage.getItem(key) ?? "{}");
  if (!(copy.at > Date.now() - KEPT_MS)) {
    localStorage.removeItem(key);
    return [];
  }
  return [copy];
}

/**
 * Sends what is typed; returns the answer of the service.
 * @param {string} address
 * @param {string} fields
 */
export function sendTyped(address, fields) {
  return fetch(address, {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
    body: fields,
  });
}

/**
 * Returns what the service says is wrong; an empty code if the answer comes from something on the
 * way, such as the page of a network at which one has to sign in.
 * @param {Response} answer
 * @returns {Promise<{ code: string, detail: string }>}
 */
export async function problemOf(answer) {
  const isOurs = answer.headers.get("Content-Type")?.startsWith("application/problem+json");
  return isOurs ? await answer.json() : { code: "", detail: "" };
}

/**
 * Whether a night was thrown away, somebody in it was forgotten, or who types has no desk here now.
 * @param {string} code
 */
export function isNightGone(code) {
  return code === "unknown_draft" || code === "unknown_desk";
}

/**
 * Sends copies to the service, and returns the address of the night that is there now; an empty
 * text if there is none. What can't be sent stays.
 * @param {Copy[]} copies
 */
export async function rescue(copies) {
  let found = "";
  for (const copy of copies) {
    const answer = await sendTyped(`${copy.action}/live`, copy.fields);
    if (answer.ok) {
      const told = await answer.json();
      found = told.leads_to ?? told.action;
    }
    if (answer.ok || isNightGone((await problemOf(answer)).code)) {
      dropCopy(copy.action);
    }
  }
  return found;
}

/**
 * Does something with what the browser keeps; browsers can refuse to keep anything.
 * @template T
 * @param {() => T[] | void} act
 * @returns {T[]}
 */
function quietly(act) {
  try {
    return act() ?? [];
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) {
      return [];
    }
    throw error;
  }
}
