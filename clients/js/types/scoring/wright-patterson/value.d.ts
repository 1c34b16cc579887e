/** What a hand that did not win is worth under Wright-Patterson: points, doubles, rounding. */
export type Tile = import("./tiles.js").Tile;
export type Flower = import("./tiles.js").Flower;
export type Hand = import("./hands.js").Hand;
export type Counted = {
    what: string;
    number: number;
};
export type HandValue = {
    score: number;
    points: Counted[];
    doubles: Counted[];
};
export type Sets = {
    sets: Tile[];
    pairs: Tile[];
    concealedPungs: number;
};
/**
 * Return what a hand is worth to a player in the seat of a wind.
 * @param {Hand} hand
 * @param {number} seat The wind of the seat: 1 to 4 for East, South, West, North.
 * @param {number} prevailing The prevailing wind, likewise.
 * @returns {HandValue}
 */
export declare function valueOfHand(hand: Hand, seat: number, prevailing: number): HandValue;
