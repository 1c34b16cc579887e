/** Tells whether a webhook comes from Mahjic: Standard Webhooks, by WebCrypto alone. */

const TOLERANCE_S = 300; // As Standard Webhooks advises; older deliveries could be replayed.

/** @typedef {Headers | Record<string, string | string[] | undefined>} HeadersGiven */

/** A delivery that must not be believed. Answer it with 400, and do nothing else. */
export class WebhookError extends Error {
  name = "WebhookError";
}

/**
 * Return the event of a delivery whose signature fits one of the secrets.
 *
 * While a secret is being changed, give both. The body is what came, byte for byte: JSON that was
 * read and written again no longer fits its signature.
 * @param {string | readonly string[]} secrets Each as Mahjic shows it: `whsec_` and base64.
 * @param {HeadersGiven} headers
 * @param {string | Uint8Array} body
 * @param {number} [nowS] The Unix time, for tests.
 * @returns {Promise<any>}
 * @throws {WebhookError} if it must not be believed; TypeError for a secret that is none.
 */
export async function readWebhook(secrets, headers, body, nowS = Date.now() / 1000) {
  const keys = await Promise.all((typeof secrets === "string" ? [secrets] : secrets).map(keyOf));
  if (keys.length === 0) {
    throw new TypeError("Give at least one secret; without one, no message can be trusted.");
  }
  const id = headerOf(headers, "webhook-id");
  const sentS = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ").flatMap(signatureOf);
  if (!/^\d{1,12}$/.test(sentS)) {
    throw new WebhookError("The header webhook-timestamp is not a Unix time.");
  }
  if (!(Math.abs(nowS - Number(sentS)) <= TOLERANCE_S)) {
    throw new WebhookError("It was signed more than 5 minutes from now. Is this clock right?");
  }
  const text = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${sentS}.`), text);
  for (const key of keys) {
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return eventOf(text);
    }
  }
  throw new WebhookError("No signature fits. Check the secret, and that the body is unchanged.");
}

/**
 * @param {HeadersGiven} headers
 * @param {string} name
 */
function headerOf(headers, name) {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "") {
    throw new WebhookError(`The header ${name} is missing.`);
  }
  return value;
}

/**
 * Return the bytes of a signature of version 1, and nothing for any other.
 * @param {string} given
 */
function signatureOf(given) {
  return /^v1,[A-Za-z0-9+/]{43}=$/.test(given) ? [bytesOf(given.slice(3))] : [];
}

/**
 * @param {Uint8Array} head
 * @param {Uint8Array} rest
 */
function joined(head, rest) {
  const both = new Uint8Array(head.length + rest.length);
  both.set(head);
  both.set(rest, head.length);
  return both;
}

/** @param {string} secret */
async function keyOf(secret) {
  if (!/^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret)) {
    throw new TypeError("A secret is whsec_ and base64. Copy it from Mahjic again.");
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = bytesOf(secret.slice("whsec_".length));
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** @param {Uint8Array} text */
function eventOf(text) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch (fault) {
    throw new WebhookError("The signature fits, but the body is not JSON.", { cause: fault });
  }
}
