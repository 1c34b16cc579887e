// Finds people by the beginning of a name, as the service does: nobody is guessed.

/**
 * Returns a text as it is compared: case and accents do not matter.
 * @param {string} text
 */
export function folded(text) {
  const bare = text.normalize("NFKD").replace(/\p{M}/gu, "");
  return bare.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
}

/**
 * Returns the names that a text may mean. Whole names come first, then those that begin with it,
 * then those in which a later word does. Bob, the imaginary player, comes only if nobody else fits.
 * @param {string[]} names
 * @param {string} bob
 * @param {string} typed
 * @returns {string[]}
 */
export function fitting(names, bob, typed) {
  const asked = folded(typed);
  if (!asked) {
    return [];
  }
  const tiers = [
    names.filter((name) => folded(name) === asked),
    names.filter((name) => folded(name).startsWith(asked)),
    names.filter((name) => folded(name).includes(` ${asked}`)),
    asked.length >= 3 && folded(bob).startsWith(asked) ? [bob] : [],
  ];
  return tiers.find((tier) => tier.length > 0) ?? [];
}
