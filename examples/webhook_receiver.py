"""Takes the webhooks of your source, and keeps in a small database how each session stands.

    export MAHJIC_URL=http://127.0.0.1:8000 MAHJIC_KEY=mjk_... MAHJIC_WEBHOOK_SECRET=whsec_...
    python webhook_receiver.py sessions.db 8080

A webhook can come twice, late, or after a newer one: it counts only if its number is higher than
the one that a session stands on. What was missed before this started is read from the interface.
"""

import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from mahjic_client import Mahjic, WebhookError, read_webhook
from mahjic_client.shapes import EventAnswer

BODY_BYTES_MAX = 10_000_000
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (session_id TEXT PRIMARY KEY, status TEXT, number INTEGER);
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, read_to INTEGER);
"""
STAND = """
INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT (session_id) DO UPDATE
SET status = excluded.status, number = excluded.number WHERE excluded.number > sessions.number
"""


def main() -> None:
    """Catch up, and then take webhooks at a port, until stopped."""
    secret = os.environ["MAHJIC_WEBHOOK_SECRET"]
    database = sqlite3.connect(sys.argv[1])
    database.executescript(TABLES)
    with Mahjic(os.environ["MAHJIC_URL"], key=os.environ["MAHJIC_KEY"]) as mahjic:
        catch_up(mahjic, database)

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(min(length, BODY_BYTES_MAX))
            try:
                event = read_webhook(secret, dict(self.headers), body)
            except WebhookError as error:
                self.send_error(400, str(error))
                return
            with database:
                apply(database, event)
            self.send_response(204)
            self.end_headers()

    server = HTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver)
    print(f"Listening on port {server.server_port}.", flush=True)
    server.serve_forever()


def catch_up(mahjic: Mahjic, database: sqlite3.Connection) -> None:
    """Apply what happened since this was last done."""
    (after,) = database.execute("SELECT coalesce(max(read_to), 0) FROM place").fetchone()
    is_last = False
    while not is_last:
        page = mahjic.list_events(after=after)
        after, is_last = page["next_after"], page["is_last"]
        with database:
            for event in page["events"]:
                apply(database, event)
            database.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", [after])


def apply(database: sqlite3.Connection, event: EventAnswer) -> None:
    """Note how a session stands after an event. Other kinds of events change nothing here."""
    number, data = event["number"], event["data"]
    if event["type"] == "session.voided":
        database.execute(STAND, [data["session_id"], "voided", number])
    elif event["type"] in ("session.rated", "session.corrected"):
        database.execute(STAND, [data["session_id"], "rated", number])
        if data.get("replaces"):
            database.execute(STAND, [data["replaces"], "corrected", number])


if __name__ == "__main__":
    main()
