/** Checks a player by the public log: each change from the numbers shown, and where it is proved. */
import type { Checkpoint, VerifierKey } from "./tlog.js";
export type Wrong = {
    where: string;
    what: string;
};
export type Checked = {
    /**
     * Who was checked: another ID than was asked for if that was merged.
     */
    playerId: string;
    holds: boolean;
    /**
     * What does not hold, and where.
     */
    wrong: Wrong[];
    /**
     * How many changes were checked.
     */
    changes: number;
    /**
     * How many records were shown whole, and held against their leaf.
     */
    recordsShown: number;
    recordsWithheld: number;
    /**
     * The newest ones.
     */
    checkpoints: Partial<Record<"facts" | "verdicts", Checkpoint>>;
};
export type CheckOptions = {
    /**
     * Mahjic's address, such as https://mahjic.example.org.
     */
    url: string;
    fetch?: typeof globalThis.fetch;
    /**
     * Told how many changes have been read.
     */
    onProgress?: (changes: number) => void;
    signal?: AbortSignal;
};
/** @typedef {{ where: string, what: string }} Wrong */
/**
 * What a check found. It `holds` if nothing is wrong.
 * @typedef {object} Checked
 * @property {string} playerId Who was checked: another ID than was asked for if that was merged.
 * @property {boolean} holds
 * @property {Wrong[]} wrong What does not hold, and where.
 * @property {number} changes How many changes were checked.
 * @property {number} recordsShown How many records were shown whole, and held against their leaf.
 * @property {number} recordsWithheld
 * @property {Partial<Record<"facts" | "verdicts", Checkpoint>>} checkpoints The newest ones.
 */
/**
 * @typedef {object} CheckOptions
 * @property {string} url Mahjic's address, such as https://mahjic.example.org.
 * @property {typeof globalThis.fetch} [fetch]
 * @property {(changes: number) => void} [onProgress] Told how many changes have been read.
 * @property {AbortSignal} [signal]
 */
/**
 * Check everything public about a player: the sums, the signatures, and that each change is on the
 * log.
 *
 * It keeps nothing, so it cannot tell whether the log has only grown since the last time; the
 * command `mahjic check` can.
 * @param {string} playerId
 * @param {CheckOptions} options
 * @returns {Promise<Checked>}
 * @throws {Error} if Mahjic cannot be asked, or has no such public player.
 */
export declare function checkPlayer(playerId: string, options: CheckOptions): Promise<Checked>;
export type Keys = {
    facts?: VerifierKey;
    verdicts?: VerifierKey;
    witnesses: VerifierKey[];
};
