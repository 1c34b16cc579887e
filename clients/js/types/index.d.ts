/** What the package offers to other people's software. */
export { expectedNano, rate, START_CENTI } from "./formula.js";
export { Ratings } from "./history.js";
export { isMahjicId, MistypedId, readMahjicId } from "./ids.js";
export { readWebhook, WebhookError } from "./webhooks.js";
