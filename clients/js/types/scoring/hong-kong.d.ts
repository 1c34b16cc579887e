/** The Hong Kong rules: what each player gets out of one game, exactly. */
export type HouseRules = {
    /**
     * Base points, a decimal with at most 12 digits on either side: `"0.5"`.
     */
    base: string;
    /**
     * 0 to 100.
     */
    maximumFaan: number;
    responsibility: "half" | "full";
    spiciness: "half" | "spicy";
};
export type Draw = {
    kind: "draw";
};
export type FalseWin = {
    kind: "false_win";
    by: number;
};
export type SelfDraw = {
    kind: "self_draw";
    winner: number;
    faan: number;
    guarantor?: number;
};
export type Discard = {
    kind: "discard";
    winner: number;
    faan: number;
    by: number;
    isGuaranteed?: boolean;
};
export type HongKongResult = Draw | FalseWin | SelfDraw | Discard;
/** @type {Readonly<HouseRules>} */
export declare const HOUSE_RULES: Readonly<HouseRules>;
/**
 * Return what each seat gets, as exact decimals: `["16", "-4", "-4", "-8"]`. The four sum to zero.
 * @param {HongKongResult} result Seats are 0 to 3.
 * @param {Readonly<Partial<HouseRules>>} [rules] Those of HOUSE_RULES that are left out hold.
 * @returns {string[]}
 * @throws {AgainstTheRules}
 * @throws {RangeError} for rules of the house that there are none of.
 */
export declare function settleHongKong(result: HongKongResult, rules?: Readonly<Partial<HouseRules>>): string[];
