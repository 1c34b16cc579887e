/** Refuses a round of Wright-Patterson that contradicts itself. */

import { AgainstTheRules, isSeat, SEATS } from "../rules.js";
import { checkCopies, checkSingle, tilesOf } from "./hands.js";
import { BOUQUETS } from "./tiles.js";

/** @typedef {import("./hands.js").Hand} Hand */
/** @typedef {import("./tiles.js").Bouquet} Bouquet */

/**
 * Seat `by` declares Mah Jongg with a hand that the table declares to be worth so many points, or
 * wins immediately after the Charleston, or off East's first discard: Triple Limit.
 * @typedef {{ by: number, worth: number | "charleston" | "first-discard" }} Win
 */

/**
 * What happened from one deal to the next; seats are 0 to 3, in the order of play.
 * @typedef {object} PlayedRound
 * @property {number} prevailing The prevailing wind: 1 to 4 for East, South, West, North.
 * @property {Win | null} win
 * @property {readonly [number, Hand][]} [hands] Seat and hand of the three who did not win.
 * @property {boolean} [areFlowersDeclared] False if no one declared one in the go-around before
 *   the Charleston.
 * @property {number | null} [firstFlower] Who first declared one after it.
 * @property {readonly [number, Bouquet][]} [bouquets]
 */

export const TRIPLE_LIMIT = 1500;

/**
 * @param {PlayedRound} played
 * @throws {AgainstTheRules}
 */
export function checkRound(played) {
  checkSeats(played);
  checkHands(played);
  checkFlowers(played);
}

/**
 * Refuse a hand that is worth nothing, or more than the highest limit of the rule book.
 * @param {PlayedRound} played
 * @throws {AgainstTheRules}
 */
export function checkWorth({ win }) {
  if (typeof win?.worth === "number" && !(win.worth > 0 && win.worth <= TRIPLE_LIMIT)) {
    throw new AgainstTheRules(
      "out_of_range",
      `The winning hand is given as ${win.worth}; a hand is worth 1 to ${TRIPLE_LIMIT}, the ` +
        "Triple Limit, before East's double.",
    );
  }
}

/** @param {PlayedRound} played */
function checkSeats({ win, hands = [], bouquets = [], firstFlower = null }) {
  const seats = [...hands, ...bouquets].map(([seat]) => seat);
  if (win !== null) seats.push(win.by);
  if (firstFlower !== null) seats.push(firstFlower);
  const strangers = seats.filter((seat) => !isSeat(seat));
  if (strangers.length) {
    throw new AgainstTheRules(
      "unknown_player",
      `Seat ${Math.min(...strangers)} is not at the table; the seats are 0 to 3.`,
    );
  }
}

/**
 * The three who did not win show a hand; after a wall game hands are not scored.
 * @param {PlayedRound} played
 */
function checkHands({ win, hands = [] }) {
  if (win === null && hands.length) {
    throw new AgainstTheRules(
      "hand_in_wall_game",
      "No one won, so no hands are scored; leave the hands out.",
    );
  }
  if (win !== null && hands.some(([seat]) => seat === win.by)) {
    throw new AgainstTheRules(
      "hand_of_winner",
      "The winner's hand is declared, not counted; leave its tiles out.",
    );
  }
  const shown = new Set(hands.map(([seat]) => seat)).size;
  if (win !== null && shown < SEATS - 1) {
    throw new AgainstTheRules(
      "hand_missing",
      `${SEATS - 1} players did not win, but only ${shown} of their hands are there; write a ` +
        "`hand` line for each.",
    );
  }
  if (shown < hands.length) {
    throw new AgainstTheRules("line_twice", "A player has two hands; a round has only one.");
  }
  checkCopies(hands.flatMap(([, hand]) => tilesOf(hand)));
  checkSingle(hands.flatMap(([, hand]) => hand.flowers));
}

/**
 * A bouquet is discarded at once, and a flower in a hand was declared by someone.
 * @param {PlayedRound} played
 */
function checkFlowers({
  hands = [],
  bouquets = [],
  areFlowersDeclared = true,
  firstFlower = null,
}) {
  const made = bouquets.map(([, bouquet]) => bouquet);
  const shown = hands.flatMap(([, hand]) => hand.flowers);
  for (const bouquet of BOUQUETS) {
    if (made.filter((each) => each === bouquet).length > 1) {
      throw new AgainstTheRules(
        "bouquet_twice",
        `There is only one bouquet of ${bouquet}, but it is there twice.`,
      );
    }
    if (made.includes(bouquet) && shown.some((flower) => flower.bouquet === bouquet)) {
      throw new AgainstTheRules(
        "bouquet_in_hand",
        `The four ${bouquet} were discarded as a bouquet, so no hand has any.`,
      );
    }
  }
  const isAnyDeclared = areFlowersDeclared || firstFlower !== null;
  if ((made.length || shown.length) && !isAnyDeclared) {
    throw new AgainstTheRules(
      "nobody_declared",
      "There are flowers or seasons, but no one declared one, before or after the Charleston; " +
        "name who did with `flower-pot`, or leave `no-flowers` out.",
    );
  }
}
