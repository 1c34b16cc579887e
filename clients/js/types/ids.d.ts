/** Reads a Mahjic ID as a person may type it, and tells a mistyped one by its last character. */
/** A text that is no Mahjic ID: the wrong shape, or the check character does not fit. */
export declare class MistypedId extends Error {
    name: string;
}
/**
 * Return whether a text, as a person typed it, can be a Mahjic ID.
 * @param {string} text
 * @returns {boolean}
 */
export declare function isMahjicId(text: string): boolean;
/**
 * Return a Mahjic ID as Mahjic writes it: `mj-7k3q9xzm` becomes `MJ-7K3Q9XZM`.
 *
 * Spaces around it and case do not matter; `O` is read as 0, `I` and `L` as 1.
 * @param {string} text
 * @returns {string}
 * @throws {MistypedId}
 */
export declare function readMahjicId(text: string): string;
