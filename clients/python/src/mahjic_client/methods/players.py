"""Players, and how their ratings came about.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import Iterator
from datetime import date

from mahjic_client.asking import Asked, Json, Pages, given, part
from mahjic_client.asks import Asks
from mahjic_client.shapes import (
    AnyWhy,
    Change,
    ChangedRound,
    ChangeProof,
    ChangeProofs,
    Correction,
    History,
    ListedChange,
    Profile,
    SearchAnswer,
)


class Players(Asks):
    """Players, and how their ratings came about."""

    def search_players(
        self, *, q: str, limit: int | None = None, min_seq: int | None = None
    ) -> SearchAnswer:
        """Find public players by the beginning of any word in their name, or of their id.

        Case and accents do not matter.
        """
        return self._ask(
            Asked(
                "GET",
                "/v1/players/search",
                query=given({"q": q, "limit": limit, "min_seq": min_seq}),
            ),
            Json[SearchAnswer](),
        )

    def get_player(self, player_id: str, /, *, min_seq: int | None = None) -> Profile:
        """Show a player's current standing.

        A mistyped id gets 422 `mistyped_player_id`. Unknown and private players get the same
        404.
        """
        return self._ask(
            Asked("GET", f"/v1/players/{part(player_id)}", query=given({"min_seq": min_seq})),
            Json[Profile](),
        )

    def get_history(
        self,
        player_id: str,
        /,
        *,
        min_seq: int | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> History:
        """List every change in a player's ratings, newest first, in log order.

        Rounds appear as they were rated and published. A later correction is a separate entry,
        so 1500.00 plus all changes gives the current rating. The list includes the changes of
        every id that is merged into the player (`played_as`).
        """
        return self._ask(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/history",
                query=given(
                    {"min_seq": min_seq, "from": from_, "to": to, "cursor": cursor, "limit": limit}
                ),
            ),
            Json[History](),
        )

    def history(
        self,
        player_id: str,
        /,
        *,
        min_seq: int | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        limit: int | None = None,
    ) -> Iterator[Change | Correction]:
        """Go through all that `get_history` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/history",
                query=given({"min_seq": min_seq, "from": from_, "to": to, "limit": limit}),
            ),
            Pages("changes", "cursor", "next_cursor"),
        )

    def get_change(
        self,
        player_id: str,
        change_id: str,
        /,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        min_seq: int | None = None,
    ) -> AnyWhy:
        """Show the full reason for one change. Its parts add up to the change exactly.

        For a round, the parts are the comparisons with each opponent, in the numbers as
        published. For a correction, they are the player's rounds whose numbers changed. Those
        are found by replaying all facts without the correction and with it. Until that is done,
        the answer is 503 `being_computed`.
        """
        return self._ask(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/changes/{part(change_id)}",
                query=given({"cursor": cursor, "limit": limit, "min_seq": min_seq}),
            ),
            Json[AnyWhy](),
        )

    def changed_rounds(
        self,
        player_id: str,
        change_id: str,
        /,
        *,
        limit: int | None = None,
        min_seq: int | None = None,
    ) -> Iterator[ChangedRound]:
        """Go through all that `get_change` shows, page by page."""
        return self._each(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/changes/{part(change_id)}",
                query=given({"limit": limit, "min_seq": min_seq}),
            ),
            Pages("rounds", "cursor", "next_cursor"),
        )

    def get_change_proof(
        self, player_id: str, change_id: str, /, *, min_seq: int | None = None
    ) -> ChangeProof:
        """Show the reason for one change, with a proof that it is on the public log.

        The fact and the verdict are shown as they are on the logs only if everybody in them is
        public, or to an auditor. Otherwise the proof shows where they are, and that they are
        never changed.
        """
        return self._ask(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/changes/{part(change_id)}/proof",
                query=given({"min_seq": min_seq}),
            ),
            Json[ChangeProof](),
        )

    def list_change_proofs(
        self, player_id: str, /, *, cursor: str | None = None, limit: int | None = None
    ) -> ChangeProofs:
        """List the changes of a player, newest first, each with its reason and its proof."""
        return self._ask(
            Asked(
                "GET",
                f"/v1/players/{part(player_id)}/proofs",
                query=given({"cursor": cursor, "limit": limit}),
            ),
            Json[ChangeProofs](),
        )

    def change_proofs(
        self, player_id: str, /, *, limit: int | None = None
    ) -> Iterator[ListedChange]:
        """Go through all that `list_change_proofs` shows, page by page."""
        return self._each(
            Asked("GET", f"/v1/players/{part(player_id)}/proofs", query=given({"limit": limit})),
            Pages("changes", "cursor", "next_cursor"),
        )
