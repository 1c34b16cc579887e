"""What a source asks about its sessions and players.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from mahjic_client.asking import Asked, Json, Pages, content_of, given, part
from mahjic_client.asks import Asks
from mahjic_client.shapes import (
    EventList,
    LookUpAnswer,
    SessionList,
    SessionProof,
    SessionRow,
    Status,
    StoredSessionAnswer,
)


class Sessions(Asks):
    """What a source asks about its sessions and players."""

    def list_sessions(
        self,
        *,
        min_seq: int | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        player: str | None = None,
        status: Status | None = None,
        source: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> SessionList:
        """List a source's own sessions, newest day first, with the ids that changes need."""
        return self._ask(
            Asked(
                "GET",
                "/v1/sessions",
                query=given(
                    {
                        "min_seq": min_seq,
                        "from": from_,
                        "to": to,
                        "player": player,
                        "status": status,
                        "source": source,
                        "cursor": cursor,
                        "limit": limit,
                    }
                ),
            ),
            Json[SessionList](),
        )

    def sessions(
        self,
        *,
        min_seq: int | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        player: str | None = None,
        status: Status | None = None,
        source: str | None = None,
        limit: int | None = None,
    ) -> Iterator[SessionRow]:
        """Go through all that `list_sessions` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                "/v1/sessions",
                query=given(
                    {
                        "min_seq": min_seq,
                        "from": from_,
                        "to": to,
                        "player": player,
                        "status": status,
                        "source": source,
                        "limit": limit,
                    }
                ),
            ),
            Pages("sessions", "cursor", "next_cursor"),
        )

    def list_events(
        self, *, after: int | None = None, limit: int | None = None, wait: int | None = None
    ) -> EventList:
        """List what happened to your sessions and players, in order; the same as webhooks say.

        With `Prefer: wait=30` it waits for the next event. With `Accept: application/x-ndjson`,
        each event is a line.
        """
        return self._ask(
            Asked("GET", "/v1/events", query=given({"after": after, "limit": limit}), wait=wait),
            Json[EventList](),
        )

    def look_up_people(
        self, *, who: str | None = None, player_ids: Sequence[str] | None = None
    ) -> LookUpAnswer:
        """Find people by address, nickname, id or part of a name. It registers no one. A source
        finds the people it named itself in a session on record, by the names it used. For
        everyone else the answer is the same, whether or not Mahjic knows them. The operator
        finds anyone.
        """
        return self._ask(
            Asked("POST", "/v1/people/lookup", body=given({"who": who, "player_ids": player_ids})),
            Json[LookUpAnswer](),
        )

    def get_session(self, session_id: str, /, *, min_seq: int | None = None) -> StoredSessionAnswer:
        """Show a source its own session, with the ratings once they are there.

        It is never older than the answer to submitting, voiding or correcting the session.

        If the session was voided or corrected since, it says so, and what that did. Sessions
        that correct each other name each other.
        """
        return self._ask(
            Asked("GET", f"/v1/sessions/{part(session_id)}", query=given({"min_seq": min_seq})),
            Json[StoredSessionAnswer](),
        )

    def get_session_sheet_csv(self, session_id: str, /) -> bytes:
        """Give a source its own session as a score sheet that it could have sent.

        It has the addresses and nicknames that the source sent itself. People who were erased
        appear as `(erased)`.
        """
        return self._ask(Asked("GET", f"/v1/sessions/{part(session_id)}/sheet.csv"), content_of)

    def get_session_sheet_xlsx(self, session_id: str, /) -> bytes:
        """Give a source its own session as a score sheet that it could have sent.

        It has the addresses and nicknames that the source sent itself. People who were erased
        appear as `(erased)`.
        """
        return self._ask(Asked("GET", f"/v1/sessions/{part(session_id)}/sheet.xlsx"), content_of)

    def get_session_proof(self, session_id: str, /) -> SessionProof:
        """Show a source its own session as it is on the logs, with a proof.

        If somebody in it is neither public nor named by the source, the record itself is
        withheld.
        """
        return self._ask(
            Asked("GET", f"/v1/sessions/{part(session_id)}/proof"), Json[SessionProof]()
        )
