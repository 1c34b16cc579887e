/** Tells whether a webhook comes from Mahjic: Standard Webhooks, by WebCrypto alone. */
export type HeadersGiven = Headers | Record<string, string | string[] | undefined>;
/** @typedef {Headers | Record<string, string | string[] | undefined>} HeadersGiven */
/** A delivery that must not be believed. Answer it with 400, and do nothing else. */
export declare class WebhookError extends Error {
    name: string;
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
export declare function readWebhook(secrets: string | readonly string[], headers: HeadersGiven, body: string | Uint8Array, nowS?: number): Promise<any>;
