/**
 * What anyone needs to check a public log: signed notes, and proofs from a leaf to a root.
 *
 * The formats are those of C2SP signed-note and tlog-checkpoint, and the trees those of RFC 6962.
 */
/** Something does not hold. */
export declare class DoesNotHold extends Error {
    /** @param {string} message */
    constructor(message: string);
}
export type VerifierKey = {
    name: string;
    isWitness: boolean;
    id: Uint8Array<ArrayBuffer>;
    publicKey: Uint8Array<ArrayBuffer>;
};
export type Checkpoint = {
    origin: string;
    size: number;
    root: Uint8Array<ArrayBuffer>;
    /**
     * The names of the witnesses who cosigned it.
     */
    cosignedBy: string[];
};
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
export declare function readVerifierKey(text: string): Promise<VerifierKey>;
/**
 * Return what a checkpoint says, once the log's own key has signed it.
 * @param {string} note
 * @param {VerifierKey} logKey
 * @param {readonly VerifierKey[]} witnesses
 * @returns {Promise<Checkpoint>}
 * @throws {DoesNotHold}
 */
export declare function openCheckpoint(note: string, logKey: VerifierKey, witnesses?: readonly VerifierKey[]): Promise<Checkpoint>;
/**
 * Check that a tree has a leaf in a place.
 * @param {readonly Uint8Array<ArrayBuffer>[]} proof
 * @param {{ index: number, leaf: Uint8Array<ArrayBuffer>, checkpoint: Checkpoint }} what
 * @throws {DoesNotHold}
 */
export declare function checkLeaf(proof: readonly Uint8Array<ArrayBuffer>[], { index, leaf, checkpoint }: {
    index: number;
    leaf: Uint8Array<ArrayBuffer>;
    checkpoint: Checkpoint;
}): Promise<void>;
/**
 * Return the hash of the leaf that a record makes with its salt.
 * @param {{ body: string, salt: string, chains_hash: string }} record
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {DoesNotHold}
 */
export declare function leafOf({ body, salt, chains_hash: chainsHash }: {
    body: string;
    salt: string;
    chains_hash: string;
}): Promise<Uint8Array<ArrayBuffer>>;
/**
 * Return 32 bytes from their base64.
 * @param {string} text
 * @param {string} what
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {DoesNotHold}
 */
export declare function hashOf(text: string, what: string): Uint8Array<ArrayBuffer>;
/**
 * Return whether two hashes are the same.
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export declare function isSame(one: Uint8Array, other: Uint8Array): boolean;
export type Signature = {
    name: string;
    /**
     * The first four bytes of the key's hash, and what it made.
     */
    data: Uint8Array<ArrayBuffer>;
};
