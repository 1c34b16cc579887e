/** What the package offers to other people's software. */
export { checkPlayer } from "./checking.js";
export { Mahjic } from "./client.js";
export { BadRequest, Conflict, Gone, MahjicError, NoAnswer, NotAllowed, NotFound, Refused, TooBusy, } from "./errors.js";
export { expectedNano, rate, START_CENTI } from "./formula.js";
export { Ratings } from "./history.js";
export { isMahjicId, MistypedId, readMahjicId } from "./ids.js";
export { DoesNotHold } from "./tlog.js";
export { readWebhook, WebhookError } from "./webhooks.js";
