/** What the package offers to other people's software. */
export { expectedNano, rate, START_CENTI } from "./formula.js";
export { isMahjicId, MistypedId, readMahjicId } from "./ids.js";
export { newcomer, rateBothPools } from "./pools.js";
export { readWebhook, WebhookError } from "./webhooks.js";
