/**
 * The four rule books, for programs that keep score themselves, also without a connection.
 *
 * They give the numbers of `POST /v1/score/{rulebook}`, and refuse what it refuses. Seats are 0 to
 * 3. Points are whole numbers, but under the Hong Kong rules, where they are texts of decimals.
 */
export { PAYMENT, settleAmerican, TOURNAMENT } from "./scoring/american.js";
export { BANKER_START_POINTS, isBankerGameOver, settleBanker } from "./scoring/banker.js";
export { HOUSE_RULES, settleHongKong } from "./scoring/hong-kong.js";
export { AgainstTheRules, sumOfPoints } from "./scoring/rules.js";
export { readHand } from "./scoring/wright-patterson/hands.js";
export { endGame as endWrightPatterson, newGame as beginWrightPatterson, play as playWrightPatterson, scoresOf as scoresOfHands, } from "./scoring/wright-patterson/rounds.js";
export { valueOfHand } from "./scoring/wright-patterson/value.js";
