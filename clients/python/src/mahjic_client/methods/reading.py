"""Sources, the formula, scores and blank score sheets.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import Mapping

from mahjic_client.asking import Asked, Json, content_of, given, part
from mahjic_client.asks import Asks
from mahjic_client.shapes import FormulaAnswer, GameType, OneSource, Rulebook, Scores, Sources


class Reading(Asks):
    """Sources, the formula, scores and blank score sheets."""

    def score_games(
        self,
        rulebook: Rulebook,
        /,
        *,
        games: str,
        players: Mapping[str, str] | None = None,
        session_date: str | None = None,
        game_type: GameType | None = None,
        session: bool | None = None,
    ) -> Scores:
        """Score games under a rule book, and return the session they make. Nothing is recorded.

        Mistakes are located by line. The session is not judged until it is submitted.
        """
        return self._ask(
            Asked(
                "POST",
                f"/v1/score/{part(rulebook)}",
                query=given({"session": session}),
                body={"games": games}
                | given({"players": players, "session_date": session_date, "game_type": game_type}),
            ),
            Json[Scores](),
        )

    def get_formula(self, *, min_seq: int | None = None) -> FormulaAnswer:
        """Show the name of the formula in force, all its numbers, and the rating bands."""
        return self._ask(
            Asked("GET", "/v1/formula", query=given({"min_seq": min_seq})), Json[FormulaAnswer]()
        )

    def list_sources(self, *, min_seq: int | None = None) -> Sources:
        """List the verified sources."""
        return self._ask(
            Asked("GET", "/v1/sources", query=given({"min_seq": min_seq})), Json[Sources]()
        )

    def get_source(self, source: str, /, *, min_seq: int | None = None) -> OneSource:
        """Show one verified source."""
        return self._ask(
            Asked("GET", f"/v1/sources/{part(source)}", query=given({"min_seq": min_seq})),
            Json[OneSource](),
        )

    def get_sheet_template_csv(self) -> bytes:
        """Get the blank score sheet. Once it is filled in, `POST /v1/sheets` takes it."""
        return self._ask(Asked("GET", "/v1/sheets/template.csv"), content_of)

    def get_sheet_template_xlsx(self) -> bytes:
        """Get the blank score sheet. Once it is filled in, `POST /v1/sheets` takes it."""
        return self._ask(Asked("GET", "/v1/sheets/template.xlsx"), content_of)
