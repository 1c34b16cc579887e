"""What operators and auditors ask for.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from mahjic_client.asking import (
    Asked,
    Json,
    LogPage,
    LogPages,
    Pages,
    given,
    log_page_of,
    nothing_of,
    part,
    text_of,
)
from mahjic_client.asks import AsyncAsks
from mahjic_client.shapes import (
    AdoptionAnswer,
    DisputeList,
    DisputeRow,
    MergeAnswer,
    Privacy,
    Reason,
    RegisteredPlayer,
    ReseatAnswer,
    Since,
    State,
    Verification,
    VoidsAnswer,
    WrongAddressList,
    WrongAddressRow,
)


class AsyncOperating(AsyncAsks):
    """What operators and auditors ask for."""

    async def get_health(self) -> dict[str, Any]:
        """Is the process alive?"""
        return await self._ask(Asked("GET", "/healthz", is_probe=True), Json[dict[str, Any]]())

    async def get_readiness(self) -> dict[str, Any]:
        """Can it do its work?"""
        return await self._ask(Asked("GET", "/readyz", is_probe=True), Json[dict[str, Any]]())

    async def get_metrics(self) -> str:
        """Metrics for Prometheus."""
        return await self._ask(Asked("GET", "/metrics", is_probe=True), text_of)

    async def register_player(self, *, email: str) -> RegisteredPlayer:
        """Register someone who has not played yet."""
        return await self._ask(
            Asked("POST", "/v1/admin/players", body={"email": email}), Json[RegisteredPlayer]()
        )

    async def set_privacy(
        self, player_id: str, /, *, privacy: Literal["normal", "private"]
    ) -> Privacy:
        """Show or hide a player."""
        return await self._ask(
            Asked("PUT", f"/v1/admin/players/{part(player_id)}/privacy", body={"privacy": privacy}),
            Json[Privacy](),
        )

    async def forget_player(self, player_id: str, /) -> None:
        """Forget who a player is."""
        await self._ask(
            Asked("DELETE", f"/v1/admin/players/{part(player_id)}/personal-data"), nothing_of
        )

    async def list_disputes(
        self,
        *,
        source: str | None = None,
        state: State | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> DisputeList:
        """List which sessions players say they did not play, and what became of each."""
        return await self._ask(
            Asked(
                "GET",
                "/v1/admin/disputes",
                query=given({"source": source, "state": state, "after": after, "limit": limit}),
            ),
            Json[DisputeList](),
        )

    def disputes(
        self,
        *,
        source: str | None = None,
        state: State | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[DisputeRow]:
        """Go through all that `list_disputes` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                "/v1/admin/disputes",
                query=given({"source": source, "state": state, "after": after, "limit": limit}),
            ),
            Pages("disputes", "after", "next_after"),
        )

    async def answer_dispute(self, *, number: int, answer: str) -> DisputeRow:
        """Answer a player about a session. The player reads it; it is on no log."""
        return await self._ask(
            Asked("POST", "/v1/admin/disputes", body={"number": number, "answer": answer}),
            Json[DisputeRow](),
        )

    async def list_wrong_addresses(
        self, *, source: str | None = None, after: int | None = None, limit: int | None = None
    ) -> WrongAddressList:
        """List the players whose addresses are wrong: whoever reads there said "this is not me"."""
        return await self._ask(
            Asked(
                "GET",
                "/v1/admin/wrong-addresses",
                query=given({"source": source, "after": after, "limit": limit}),
            ),
            Json[WrongAddressList](),
        )

    def wrong_addresses(
        self, *, source: str | None = None, after: int | None = None, limit: int | None = None
    ) -> AsyncIterator[WrongAddressRow]:
        """Go through all that `list_wrong_addresses` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                "/v1/admin/wrong-addresses",
                query=given({"source": source, "after": after, "limit": limit}),
            ),
            Pages("wrong_addresses", "after", "next_after"),
        )

    async def void_sessions(
        self,
        *,
        reason: Reason,
        session_ids: Sequence[str],
        note: str | None = None,
        wait: int | None = None,
    ) -> VoidsAnswer:
        """Leave sessions out in one step, all of them or none."""
        return await self._ask(
            Asked(
                "POST",
                "/v1/admin/sessions/void",
                body={"reason": reason, "session_ids": session_ids} | given({"note": note}),
                wait=wait,
            ),
            Json[VoidsAnswer](),
        )

    async def merge_player(
        self, player_id: str, /, *, into: str, note: str | None = None, wait: int | None = None
    ) -> MergeAnswer:
        """Treat all of a player's history as another player's. This can be undone."""
        return await self._ask(
            Asked(
                "POST",
                f"/v1/admin/players/{part(player_id)}/merge",
                body={"into": into} | given({"note": note}),
                wait=wait,
            ),
            Json[MergeAnswer](),
        )

    async def unmerge_player(
        self, player_id: str, /, *, note: str | None = None, wait: int | None = None
    ) -> MergeAnswer:
        """Bring a merged player back, exactly as if the merge had never happened."""
        return await self._ask(
            Asked(
                "POST",
                f"/v1/admin/players/{part(player_id)}/unmerge",
                body=given({"note": note}),
                wait=wait,
            ),
            Json[MergeAnswer](),
        )

    async def reseat_player(
        self,
        player_id: str,
        /,
        *,
        sessions: Sequence[str],
        email: str,
        note: str | None = None,
        wait: int | None = None,
    ) -> ReseatAnswer:
        """Give a player's seats in some sessions to another address, as if it had always been so.

        All of the sessions change, or none. The same request the other way undoes it.
        """
        return await self._ask(
            Asked(
                "POST",
                f"/v1/admin/players/{part(player_id)}/reseat",
                body={"sessions": sessions, "email": email} | given({"note": note}),
                wait=wait,
            ),
            Json[ReseatAnswer](),
        )

    async def adopt_formula(
        self, *, formula: str, since: Since, proposal: str | None = None, wait: int | None = None
    ) -> AdoptionAnswer:
        """Switch to another rating formula, for new sessions only or for the whole history."""
        return await self._ask(
            Asked(
                "POST",
                "/v1/admin/formulas",
                body={"formula": formula, "since": since} | given({"proposal": proposal}),
                wait=wait,
            ),
            Json[AdoptionAnswer](),
        )

    async def erase_note(self, fact_seq: int, /) -> None:
        """Erase the note on a void, a correction or a merge."""
        await self._ask(Asked("DELETE", f"/v1/admin/notes/{part(fact_seq)}"), nothing_of)

    async def set_verification(
        self, player_id: str, /, *, verified: bool | None, reason: str | None = None
    ) -> Verification:
        """Verify a player, or end the verification."""
        return await self._ask(
            Asked(
                "PUT",
                f"/v1/admin/players/{part(player_id)}/verification",
                body={"verified": verified} | given({"reason": reason}),
            ),
            Json[Verification](),
        )

    async def list_facts(self, *, from_: int | None = None, limit: int | None = None) -> LogPage:
        """Show facts as they are on the log: ids, codes and numbers, never who people are."""
        return await self._ask(
            Asked("GET", "/v1/log/facts", query=given({"from": from_, "limit": limit})), log_page_of
        )

    def facts(self, *, from_: int | None = None, limit: int | None = None) -> AsyncIterator[bytes]:
        """Go through all that `list_facts` shows, page by page."""
        return self._each(
            Asked("GET", "/v1/log/facts", query=given({"from": from_, "limit": limit})), LogPages()
        )

    async def list_verdicts(self, *, from_: int | None = None, limit: int | None = None) -> LogPage:
        """Show verdicts as they are on the log. Each names the fact that it answers."""
        return await self._ask(
            Asked("GET", "/v1/log/verdicts", query=given({"from": from_, "limit": limit})),
            log_page_of,
        )

    def verdicts(
        self, *, from_: int | None = None, limit: int | None = None
    ) -> AsyncIterator[bytes]:
        """Go through all that `list_verdicts` shows, page by page."""
        return self._each(
            Asked("GET", "/v1/log/verdicts", query=given({"from": from_, "limit": limit})),
            LogPages(),
        )

    async def list_fact_salts(
        self, *, from_: int | None = None, limit: int | None = None
    ) -> LogPage:
        """Show what hides each fact in its leaf of the public log, and its chain values."""
        return await self._ask(
            Asked("GET", "/v1/log/facts/salts", query=given({"from": from_, "limit": limit})),
            log_page_of,
        )

    def fact_salts(
        self, *, from_: int | None = None, limit: int | None = None
    ) -> AsyncIterator[bytes]:
        """Go through all that `list_fact_salts` shows, page by page."""
        return self._each(
            Asked("GET", "/v1/log/facts/salts", query=given({"from": from_, "limit": limit})),
            LogPages(),
        )

    async def list_verdict_salts(
        self, *, from_: int | None = None, limit: int | None = None
    ) -> LogPage:
        """Show what hides each verdict in its leaf of the public log, and its chain values."""
        return await self._ask(
            Asked("GET", "/v1/log/verdicts/salts", query=given({"from": from_, "limit": limit})),
            log_page_of,
        )

    def verdict_salts(
        self, *, from_: int | None = None, limit: int | None = None
    ) -> AsyncIterator[bytes]:
        """Go through all that `list_verdict_salts` shows, page by page."""
        return self._each(
            Asked("GET", "/v1/log/verdicts/salts", query=given({"from": from_, "limit": limit})),
            LogPages(),
        )
