/**
 * What anyone needs to check a public log: signed notes, and proofs from a leaf to a root.
 *
 * The formats are those of C2SP signed-note and tlog-checkpoint, and the trees those of RFC 6962.
 */

const HASH_BYTES = 32;
const ED25519 = 1;
const COSIGNATURE = 4;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const DASH = "\u2014 ";

/** Something does not hold. */
export class DoesNotHold extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "DoesNotHold";
  }
}

/**
 * With what anyone checks who signed: the name, and an Ed25519 key. A witness also signs the time.
 * @typedef {object} VerifierKey
 * @property {string} name
 * @property {boolean} isWitness
 * @property {Uint8Array<ArrayBuffer>} id
 * @property {Uint8Array<ArrayBuffer>} publicKey
 */

/**
 * What a log says of itself: its name, how many records it has, and the root above them.
 * @typedef {object} Checkpoint
 * @property {string} origin
 * @property {number} size
 * @property {Uint8Array<ArrayBuffer>} root
 * @property {string[]} cosignedBy The names of the witnesses who cosigned it.
 */

/**
 * Return a verifier key from its text.
 * @param {string} text
 * @returns {Promise<VerifierKey>}
 * @throws {DoesNotHold}
 */
export async function readVerifierKey(text) {
  const [name = "", id = "", ...rest] = text.split("+");
  const data = bytesOf(rest.join("+"), "The verifier key");
  const kind = data[0] ?? 0;
  const named = joined(utf8(`${name}\n`), data);
  const hash = (await sha256(named)).slice(0, ID_BYTES);
  if (!name || data.length !== 1 + HASH_BYTES || hexOf(hash) !== id) {
    throw new DoesNotHold("This is no verifier key.");
  }
  if (kind !== ED25519 && kind !== COSIGNATURE) {
    throw new DoesNotHold("This verifier key is of a kind that is not known here.");
  }
  return { name, isWitness: kind === COSIGNATURE, id: hash, publicKey: data.slice(1) };
}

/**
 * Return what a checkpoint says, once the log's own key has signed it.
 * @param {string} note
 * @param {VerifierKey} logKey
 * @param {readonly VerifierKey[]} witnesses
 * @returns {Promise<Checkpoint>}
 * @throws {DoesNotHold}
 */
export async function openCheckpoint(note, logKey, witnesses = []) {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new DoesNotHold("The checkpoint is not signed.");
  const text = note.slice(0, end + 1);
  const signatures = note
    .slice(end + 2, -1)
    .split("\n")
    .map(signatureOf);
  if (!(await hasSigned(logKey, text, signatures))) {
    throw new DoesNotHold(`The key of ${logKey.name} has not signed the checkpoint.`);
  }
  const cosignedBy = [];
  for (const witness of witnesses) {
    if (await hasSigned(witness, text, signatures)) cosignedBy.push(witness.name);
  }
  const [origin = "", size = "", root = ""] = text.split("\n");
  const count = Number(size);
  if (origin !== logKey.name || String(count) !== size || !Number.isSafeInteger(count)) {
    throw new DoesNotHold("The checkpoint is of another log, or has no size.");
  }
  return { origin, size: count, root: hashOf(root, "The root"), cosignedBy };
}

/**
 * Check that a tree has a leaf in a place.
 * @param {readonly Uint8Array<ArrayBuffer>[]} proof
 * @param {{ index: number, leaf: Uint8Array<ArrayBuffer>, checkpoint: Checkpoint }} what
 * @throws {DoesNotHold}
 */
export async function checkLeaf(proof, { index, leaf, checkpoint }) {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < checkpoint.size))
    throw new DoesNotHold("The log has no such record.");
  let place = index;
  let last = checkpoint.size - 1;
  let found = leaf;
  for (const each of proof) {
    if (last === 0) throw new DoesNotHold("The proof is longer than the tree is high.");
    if (place % 2 === 1 || place === last) {
      found = await nodeHash(each, found);
      // The last node of a level without a right neighbor goes up as it is.
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      found = await nodeHash(found, each);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  if (last !== 0 || !isSame(found, checkpoint.root)) {
    throw new DoesNotHold("The record is not on the log.");
  }
}

/**
 * Return the hash of the leaf that a record makes with its salt.
 * @param {{ body: string, salt: string, chains_hash: string }} record
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {DoesNotHold}
 */
export async function leafOf({ body, salt, chains_hash: chainsHash }) {
  const hidden = hashOf(chainsHash, "chains_hash");
  const entry = await sha256(joined(hashOf(salt, "The salt"), utf8(body), hidden));
  return sha256(joined(Uint8Array.of(0), entry));
}

/**
 * Return 32 bytes from their base64.
 * @param {string} text
 * @param {string} what
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {DoesNotHold}
 */
export function hashOf(text, what) {
  const data = bytesOf(text, what);
  if (data.length !== HASH_BYTES) throw new DoesNotHold(`${what} is not 32 bytes.`);
  return data;
}

/**
 * Return whether two hashes are the same.
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function isSame(one, other) {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/**
 * @param {Uint8Array<ArrayBuffer>} left
 * @param {Uint8Array<ArrayBuffer>} right
 */
function nodeHash(left, right) {
  return sha256(joined(Uint8Array.of(1), left, right));
}

/**
 * @typedef {object} Signature
 * @property {string} name
 * @property {Uint8Array<ArrayBuffer>} data The first four bytes of the key's hash, and what it made.
 */

/**
 * @param {string} line
 * @returns {Signature}
 */
function signatureOf(line) {
  const [name = "", encoded = ""] = line.slice(DASH.length).split(" ");
  const data = bytesOf(encoded, "A signature");
  if (!line.startsWith(DASH) || !name || data.length <= ID_BYTES) {
    throw new DoesNotHold("A line of the checkpoint is no signature.");
  }
  return { name, data };
}

/**
 * @param {VerifierKey} key
 * @param {string} text
 * @param {readonly Signature[]} signatures
 * @throws {DoesNotHold} if a signature of this key is wrong.
 */
async function hasSigned(key, text, signatures) {
  const mine = signatures.find(
    ({ name, data }) => name === key.name && isSame(data.slice(0, ID_BYTES), key.id),
  );
  if (!mine) return false;
  let signature = mine.data.slice(ID_BYTES);
  let signed = utf8(text);
  if (key.isWitness) {
    if (signature.length < TIME_BYTES)
      throw new DoesNotHold(`The line of ${key.name} is too short.`);
    const time = new DataView(signature.buffer).getBigUint64(0);
    signature = signature.slice(TIME_BYTES);
    signed = joined(utf8(`cosignature/v1\ntime ${time}\n`), signed);
  }
  const { subtle } = globalThis.crypto;
  const trusted = await subtle.importKey("raw", key.publicKey, "Ed25519", false, ["verify"]);
  if (await subtle.verify("Ed25519", trusted, signature, signed)) return true;
  throw new DoesNotHold(`The signature of ${key.name} is not theirs.`);
}

/**
 * @param {string} text
 * @param {string} what
 * @returns {Uint8Array<ArrayBuffer>}
 */
function bytesOf(text, what) {
  try {
    const decoded = atob(text);
    if (btoa(decoded) === text) return Uint8Array.from(decoded, (each) => each.charCodeAt(0));
  } catch {
    // It is told below, like another text for the same bytes.
  }
  throw new DoesNotHold(`${what} is not base64.`);
}

/** @param {Uint8Array<ArrayBuffer>} data */
async function sha256(data) {
  return new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", data));
}

/** @param {string} text */
function utf8(text) {
  return new TextEncoder().encode(text);
}

/** @param {readonly Uint8Array[]} parts */
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, each) => length + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}

/** @param {Uint8Array} data */
function hexOf(data) {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
