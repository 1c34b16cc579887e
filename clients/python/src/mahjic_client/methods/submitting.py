"""What a source sends.

Written by `make docs` from docs/openapi.json.
"""

from collections.abc import Sequence
from typing import Literal, overload

from mahjic_client.asking import Asked, Json, given, new_key, part
from mahjic_client.asks import Asks
from mahjic_client.shapes import (
    CorrectionAnswer,
    CorrectionTrialAnswer,
    DryRunAnswer,
    GameType,
    IfSimilar,
    Reason,
    RoundClaim,
    SessionAnswer,
    TrialAnswer,
    VoidAnswer,
)


class Submitting(Asks):
    """What a source sends."""

    @overload
    def submit_session(
        self,
        *,
        dry_run: Literal[False] | None = None,
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> SessionAnswer: ...

    @overload
    def submit_session(
        self,
        *,
        dry_run: Literal[True],
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> TrialAnswer: ...

    def submit_session(
        self,
        *,
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> SessionAnswer | TrialAnswer:
        """Record a session and answer with every rating before and after.

        All mistakes are reported at once. Sending the same session again is safe, with or
        without an Idempotency-Key.
        """
        return self._ask(
            Asked(
                "POST",
                "/v1/sessions",
                query=given({"dry_run": dry_run}),
                body={"session_date": session_date, "game_type": game_type, "rounds": rounds}
                | given(
                    {
                        "source_id": source_id,
                        "allow_duplicate": allow_duplicate,
                        "whole_night": whole_night,
                        "if_similar": if_similar,
                    }
                ),
                key=new_key(idempotency_key),
                wait=wait,
            ),
            Json[SessionAnswer | TrialAnswer](),
        )

    @overload
    def submit_sheet(
        self,
        *,
        dry_run: Literal[False] | None = None,
        file: bytes,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> SessionAnswer: ...

    @overload
    def submit_sheet(
        self,
        *,
        dry_run: Literal[True],
        file: bytes,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> DryRunAnswer: ...

    def submit_sheet(
        self,
        *,
        file: bytes,
        dry_run: bool | None = None,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> SessionAnswer | DryRunAnswer:
        """Record the session in a CSV or XLSX file, and answer as for any submission.

        If there are mistakes, all of them are reported at once, each with its sheet, row and
        column, and nothing is recorded. The type of a file is read from its bytes, so
        `application/octet-stream` is fine too.
        """
        return self._ask(
            Asked(
                "POST",
                "/v1/sheets",
                query=given(
                    {
                        "dry_run": dry_run,
                        "sheet": sheet,
                        "allow_duplicate": allow_duplicate,
                        "if_similar": if_similar,
                    }
                ),
                file=file,
                key=new_key(idempotency_key),
                wait=wait,
            ),
            Json[SessionAnswer | DryRunAnswer](),
        )

    @overload
    def correct_session_with_sheet(
        self,
        session_id: str,
        /,
        *,
        dry_run: Literal[False] | None = None,
        file: bytes,
        reason: Reason | None = None,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionAnswer: ...

    @overload
    def correct_session_with_sheet(
        self,
        session_id: str,
        /,
        *,
        dry_run: Literal[True],
        file: bytes,
        reason: Reason | None = None,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionTrialAnswer: ...

    def correct_session_with_sheet(
        self,
        session_id: str,
        /,
        *,
        file: bytes,
        dry_run: bool | None = None,
        reason: Reason | None = None,
        sheet: str | None = None,
        allow_duplicate: bool | None = None,
        if_similar: IfSimilar | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionAnswer | CorrectionTrialAnswer:
        """Replace an older session with the one in a CSV or XLSX file.

        It is a correction like any other. The file holds the whole night, as it should have
        been.
        """
        return self._ask(
            Asked(
                "POST",
                f"/v1/sessions/{part(session_id)}/corrections/sheet",
                query=given(
                    {
                        "dry_run": dry_run,
                        "reason": reason,
                        "sheet": sheet,
                        "allow_duplicate": allow_duplicate,
                        "if_similar": if_similar,
                    }
                ),
                file=file,
                key=new_key(idempotency_key),
                wait=wait,
            ),
            Json[CorrectionAnswer | CorrectionTrialAnswer](),
        )

    def void_session(
        self,
        session_id: str,
        /,
        *,
        reason: Reason,
        note: str | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> VoidAnswer:
        """Leave a session out, as if it had never been played. The answer says who moved.

        A source can void its own sessions for a limited time after submitting them. The
        operator can void any session.
        """
        return self._ask(
            Asked(
                "POST",
                f"/v1/sessions/{part(session_id)}/void",
                body={"reason": reason} | given({"note": note}),
                key=new_key(idempotency_key),
                wait=wait,
            ),
            Json[VoidAnswer](),
        )

    @overload
    def correct_session(
        self,
        session_id: str,
        /,
        *,
        dry_run: Literal[False] | None = None,
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        reason: Reason | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionAnswer: ...

    @overload
    def correct_session(
        self,
        session_id: str,
        /,
        *,
        dry_run: Literal[True],
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        reason: Reason | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionTrialAnswer: ...

    def correct_session(
        self,
        session_id: str,
        /,
        *,
        session_date: str,
        game_type: GameType,
        rounds: Sequence[RoundClaim],
        source_id: str | None = None,
        allow_duplicate: bool | None = None,
        whole_night: bool | None = None,
        if_similar: IfSimilar | None = None,
        reason: Reason | None = None,
        note: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        wait: int | None = None,
    ) -> CorrectionAnswer | CorrectionTrialAnswer:
        """Replace a session with a whole new one. The answer says who moved.

        Anything that is refused in a submission is refused here too. A voided session can also
        be corrected.
        """
        return self._ask(
            Asked(
                "POST",
                f"/v1/sessions/{part(session_id)}/corrections",
                query=given({"dry_run": dry_run}),
                body={"session_date": session_date, "game_type": game_type, "rounds": rounds}
                | given(
                    {
                        "source_id": source_id,
                        "allow_duplicate": allow_duplicate,
                        "whole_night": whole_night,
                        "if_similar": if_similar,
                        "reason": reason,
                        "note": note,
                    }
                ),
                key=new_key(idempotency_key),
                wait=wait,
            ),
            Json[CorrectionAnswer | CorrectionTrialAnswer](),
        )
