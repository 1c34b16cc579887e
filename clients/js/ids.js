/** Reads a Mahjic ID as a person may type it, and tells a mistyped one by its last character. */

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A text that is no Mahjic ID: the wrong shape, or the check character does not fit. */
export class MistypedId extends Error {
  name = "MistypedId";
}

/**
 * Return whether a text, as a person typed it, can be a Mahjic ID.
 * @param {string} text
 * @returns {boolean}
 */
export function isMahjicId(text) {
  try {
    readMahjicId(text);
    return true;
  } catch (fault) {
    if (fault instanceof MistypedId) return false;
    throw fault;
  }
}

/**
 * Return a Mahjic ID as Mahjic writes it: `mj-7k3q9xzm` becomes `MJ-7K3Q9XZM`.
 *
 * Spaces around it and case do not matter; `O` is read as 0, `I` and `L` as 1.
 * @param {string} text
 * @returns {string}
 * @throws {MistypedId}
 */
export function readMahjicId(text) {
  const [, prefix, typed] = /^(MJ|AN)-(.*)$/s.exec(text.trim().toUpperCase()) ?? [];
  if (prefix === undefined || typed === undefined) {
    throw new MistypedId("A Mahjic ID starts with MJ-, or with AN- if anonymous.");
  }
  const body = typed.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  // Capitals of letters from elsewhere can look like ours: the small dotless i would read as 1.
  const isAscii = [...text].every((character) => character <= "\u007f");
  if (!isAscii || body.length !== 8 || [...body].some((each) => !CROCKFORD.includes(each))) {
    throw new MistypedId(
      `A Mahjic ID has 8 characters after ${prefix}-: digits, and any letters but U.`,
    );
  }
  if (checkCharacter(body.slice(0, 7)) !== body[7]) {
    throw new MistypedId(
      "The last character does not fit the others, so the id is mistyped. Check it again.",
    );
  }
  return `${prefix}-${body}`;
}

/**
 * Return the Luhn mod 32 check character, doubling the rightmost of `body` first.
 * @param {string} body
 */
function checkCharacter(body) {
  const total = [...body].reverse().reduce((sum, character, place) => {
    const value = CROCKFORD.indexOf(character) * (place % 2 === 0 ? 2 : 1);
    return sum + Math.floor(value / 32) + (value % 32);
  }, 0);
  return CROCKFORD[(32 - (total % 32)) % 32];
}
