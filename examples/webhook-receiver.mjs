/**
 * Takes the webhooks of your source, and keeps in a small file how each session stands.
 *
 *     export MAHJIC_URL=http://127.0.0.1:8000 MAHJIC_KEY=mjk_... MAHJIC_WEBHOOK_SECRET=whsec_...
 *     node webhook-receiver.mjs sessions.json 8080
 *
 * A webhook can come twice, late, or after a newer one: it counts only if its number is higher than
 * the one that a session stands on. What was missed before this started is read from the interface.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Mahjic, readWebhook, WebhookError } from "mahjic-client";

const [file, port] = process.argv.slice(2);
const secret = process.env.MAHJIC_WEBHOOK_SECRET;
const kept = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : { readTo: 0, sessions: {} };

/** Note how a session stands after an event, unless something newer is known of it. */
function stand(sessionId, status, number) {
  if (number > (kept.sessions[sessionId]?.number ?? 0)) {
    kept.sessions[sessionId] = { status, number };
  }
}

/** Apply an event. Kinds that are about something else change nothing here. */
function apply({ type, number, data }) {
  if (type === "session.voided") stand(data.session_id, "voided", number);
  if (type === "session.rated" || type === "session.corrected") {
    stand(data.session_id, "rated", number);
    if (data.replaces) stand(data.replaces, "corrected", number);
  }
}

/** Keep what is known: the whole new file takes the place of the old one. */
function keep() {
  writeFileSync(`${file}.new`, JSON.stringify(kept));
  renameSync(`${file}.new`, file);
}

const mahjic = new Mahjic({ url: process.env.MAHJIC_URL, key: process.env.MAHJIC_KEY });
for (let isLast = false; !isLast; ) {
  const page = await mahjic.listEvents({ after: kept.readTo });
  page.events.forEach(apply);
  kept.readTo = page.next_after;
  isLast = page.is_last;
  keep();
}

const server = createServer(async (request, response) => {
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    apply(await readWebhook(secret, request.headers, Buffer.concat(parts)));
    keep();
    response.writeHead(204).end();
  } catch (fault) {
    response.writeHead(fault instanceof WebhookError ? 400 : 500).end(String(fault.message));
  }
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`Listening on port ${server.address().port}.`);
});
