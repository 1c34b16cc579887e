/**
 * How one round moves the ratings of the people at the table, to the last digit.
 *
 * Whole numbers only. Ratings, changes and points are in centi (hundredths of a point), everything
 * between them in nano (billionths); all of it stays below 2^53, so that numbers hold it exactly.
 */

/**
 * One person at the table: rating and games before the round, then the result.
 * @typedef {object} Seat
 * @property {number} ratingCenti Hundredths of a point: 150000 is 1500.00.
 * @property {number} games The games played before this round.
 * @property {number} mahjongs
 * @property {number} [pointsCenti] Hundredths of a point; 0 if left out. Social games ignore it.
 */

/** @typedef {"social" | "league" | "tournament"} GameType */
/** @typedef {"mahjic-elo/1" | "mahjic-elo/2-scaled"} Formula */

export const START_CENTI = 150_000;

const WIN_NANO = 1_000_000_000;
const NANO_PER_CENTI = 10_000_000;
const BONUS_NANO_PER_CENTI = 200_000; // A lead of 50 points is worth one rating point.
const BONUS_NANO_MAX = 5_000_000_000;
const CERTAIN_CENTI = 372_042; // From this lead upward the curve rounds to a sure win.
const SCALE_CENTI = 40_000n; // 400 points ahead means ten wins for each loss.
const FIXED_BITS = 160n;
const SPARE_BITS = 64n; // Far more than the steps of the series below can lose.
const GAME_TYPES = ["social", "league", "tournament"];
const FORMULAS = ["mahjic-elo/1", "mahjic-elo/2-scaled"];

/** @type {Int32Array | undefined} */
let table;

/**
 * Return each seat's rating change in centi, in the order given.
 *
 * Everybody is compared with everyone else as they stood before the round. Bob, who fills an empty
 * seat, is a seat at 150000 with 0 games whose change is left aside.
 * @param {readonly Seat[]} seats Two to four.
 * @param {GameType} gameType Points count in leagues and tournaments only.
 * @param {{ formula?: Formula }} [options] Another formula than mahjic-elo/1.
 * @returns {number[]}
 * @throws {RangeError} if the seats, the game type or the formula are not ones of Mahjic's.
 */
export function rate(seats, gameType, { formula = "mahjic-elo/1" } = {}) {
  checkRound(seats, gameType, formula);
  const dividedBy = formula === "mahjic-elo/2-scaled" ? seats.length - 1 : 1;
  return seats.map((seat) => {
    const gains = seats
      .filter((other) => other !== seat)
      .map((other) => pairGainNano(seat, other, gameType !== "social"));
    const sumNano = gains.reduce((sum, gain) => sum + gain, 0);
    return roundHalfEven(sumNano, NANO_PER_CENTI * dividedBy);
  });
}

/**
 * Return how often a player should win, in nano, who is rated this much above the opponent.
 *
 * The first call builds the table of the curve, which takes a fraction of a second.
 * @param {number} aheadCenti
 * @returns {number}
 */
export function expectedNano(aheadCenti) {
  if (aheadCenti < 0) return WIN_NANO - expectedNano(-aheadCenti);
  return expectedTable()[aheadCenti] ?? WIN_NANO;
}

/**
 * Return the expected scores for a lead of 0, 1, 2 ... centi, up to the first sure win.
 * @returns {Int32Array}
 */
export function expectedTable() {
  table ??= exactScoresNano();
  return table;
}

/**
 * @param {readonly Seat[]} seats
 * @param {GameType} gameType
 * @param {Formula} formula
 */
function checkRound(seats, gameType, formula) {
  if (!FORMULAS.includes(formula)) {
    throw new RangeError(`The formula is ${formula}. Give one of ${FORMULAS.join(", ")}.`);
  }
  if (!GAME_TYPES.includes(gameType)) {
    throw new RangeError(`The game type is ${gameType}. Give one of ${GAME_TYPES.join(", ")}.`);
  }
  if (seats.length < 2 || seats.length > 4) {
    throw new RangeError(`A round has 2 to 4 seats, and these are ${seats.length}.`);
  }
  if (new Set(seats).size < seats.length) {
    throw new RangeError("One seat is given twice. Give each player an object of their own.");
  }
  for (const seat of seats) {
    const { ratingCenti, games, mahjongs, pointsCenti = 0 } = seat;
    const areWhole = [ratingCenti, games, mahjongs, pointsCenti].every(Number.isSafeInteger);
    if (!areWhole || games < 0 || mahjongs < 0) {
      throw new RangeError(
        `A seat holds whole numbers, with games and mahjongs from 0: ${JSON.stringify(seat)}.`,
      );
    }
  }
}

/**
 * @param {Seat} seat
 * @param {Seat} other
 * @param {boolean} pointsCount
 */
function pairGainNano(seat, other, pointsCount) {
  const surpriseNano = scoreNano(seat, other) - expectedNano(seat.ratingCenti - other.ratingCenti);
  const gainNano = kFactor(seat.games) * surpriseNano;
  return pointsCount ? gainNano + pointsBonusNano(seat, other) : gainNano;
}

/**
 * Everybody in a round plays the same number of games, so the mahjongs decide.
 * @param {Seat} seat
 * @param {Seat} other
 */
function scoreNano(seat, other) {
  if (seat.mahjongs > other.mahjongs) return WIN_NANO;
  return seat.mahjongs === other.mahjongs ? WIN_NANO / 2 : 0;
}

/**
 * Return how strongly one comparison moves a player with so many games before the round.
 * @param {number} games
 * @returns {number}
 */
export function kFactor(games) {
  if (games < 30) return 32;
  return games <= 100 ? 24 : 16;
}

/**
 * @param {Seat} seat
 * @param {Seat} other
 */
function pointsBonusNano(seat, other) {
  const leadCenti = (seat.pointsCenti ?? 0) - (other.pointsCenti ?? 0);
  const bonusNano = leadCenti * BONUS_NANO_PER_CENTI;
  return Math.max(-BONUS_NANO_MAX, Math.min(BONUS_NANO_MAX, bonusNano));
}

/**
 * Return the nearest whole centi; between two, the even one, so that no side is favored.
 * @param {number} sumNano
 * @param {number} nanoPerCenti
 * @returns {number}
 */
export function roundHalfEven(sumNano, nanoPerCenti) {
  const below = Math.floor(sumNano / nanoPerCenti);
  const restNano = sumNano - below * nanoPerCenti;
  const isUp = 2 * restNano > nanoPerCenti || (2 * restNano === nanoPerCenti && below % 2 !== 0);
  return isUp ? below + 1 : below;
}

/**
 * Return `1e9 / (1 + 10^(-d / 40000))`, rounded, for each lead d.
 *
 * No engine's Math.pow is trusted. With this many binary places no score is near enough to a half
 * for the error to matter; docs/rating.md of Mahjic has the hash of the table.
 */
function exactScoresNano() {
  const scores = new Int32Array(CERTAIN_CENTI + 1);
  const one = 1n << FIXED_BITS;
  const step = oddsOfOneCenti();
  const twoWins = BigInt(2 * WIN_NANO) * one;
  let odds = one;
  for (let aheadCenti = 0; aheadCenti <= CERTAIN_CENTI; aheadCenti++) {
    const halves = twoWins / (one + odds);
    scores[aheadCenti] = Number((halves + 1n) / 2n);
    odds = (odds * step) >> FIXED_BITS;
  }
  return scores;
}

/** Return 10^(-1 / 40000) with FIXED_BITS binary places, by the series of the exponential. */
function oddsOfOneCenti() {
  const one = 1n << (FIXED_BITS + SPARE_BITS);
  // ln 10 = 3 ln 2 + ln 5/4, and ln((n + 1) / (n - 1)) = 2 artanh(1 / n).
  const lnTen = 6n * artanhOfOneIn(3n, one) + 2n * artanhOfOneIn(9n, one);
  const exponent = -lnTen / SCALE_CENTI;
  let sum = 0n;
  let term = one;
  for (let n = 1n; term !== 0n; n++) {
    sum += term;
    term = (term * exponent) / one / n;
  }
  return sum >> SPARE_BITS;
}

/**
 * @param {bigint} n
 * @param {bigint} one
 */
function artanhOfOneIn(n, one) {
  let sum = 0n;
  let power = one / n;
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd;
    power /= n * n;
  }
  return sum;
}
