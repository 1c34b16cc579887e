/** Scores all cases of tests/vectors/scoring.json, in Node as in a browser. */

import {
  AgainstTheRules,
  beginWrightPatterson,
  endWrightPatterson,
  HOUSE_RULES,
  PAYMENT,
  playWrightPatterson,
  readHand,
  settleAmerican,
  settleBanker,
  settleHongKong,
  TOURNAMENT,
  valueOfHand,
} from "../../clients/js/scoring.js";

const WAYS = { payment: PAYMENT, tournament: TOURNAMENT };
const BOOKS = {
  american: ({ rules, game }) => settleAmerican(game, { ...WAYS[rules.way], ...rules }),
  banker: ({ hand }) => settleBanker(hand),
  hong_kong: ({ rules, result }) => settleHongKong(result, { ...HOUSE_RULES, ...rules }),
  hands: ({ words, ready, seat, prevailing }) =>
    valueOfHand(readHand(words, ready), seat, prevailing),
  wright_patterson: ({ rounds }) => wholeGame(rounds),
};

/** Return how many cases of each rule book were scored, and those that came out otherwise. */
export function scoreAll({ source, ...books }) {
  const wrong = [];
  for (const [book, cases] of Object.entries(books)) {
    cases.forEach(({ expected, ...asked }, at) => {
      const found = orRefusal(() => BOOKS[book](inCamels(asked)));
      if (!isSame(found, inCamels(expected))) wrong.push({ book, at, found, expected });
    });
  }
  const counts = Object.entries(books).map(([book, cases]) => [book, cases.length]);
  return { source, counts: Object.fromEntries(counts), wrong };
}

function wholeGame(rounds) {
  const tables = [];
  let table = beginWrightPatterson();
  for (const { hands = [], ...played } of rounds) {
    const found = orRefusal(() =>
      playWrightPatterson(table, {
        ...played,
        hands: hands.map(([seat, words]) => [seat, readHand(words)]),
      }),
    );
    tables.push(found);
    if (found.refused === undefined) table = found;
  }
  return { tables, end: endWrightPatterson(table) };
}

function orRefusal(score) {
  try {
    return score();
  } catch (fault) {
    if (!(fault instanceof AgainstTheRules)) throw fault;
    return { refused: fault.code, message: fault.message };
  }
}

/** Return JSON with its names as JavaScript writes them: `is_over` becomes `isOver`. */
function inCamels(part) {
  if (Array.isArray(part)) return part.map(inCamels);
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name.replaceAll(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()),
      inCamels(value),
    ]),
  );
}

/** Return whether two parts are the same, whatever the order of their names; -0 is not 0. */
function isSame(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") {
    return Object.is(one, other);
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((each) => isSame(one[each], other[each]))
  );
}
