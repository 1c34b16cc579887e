"""Turns a score sheet into a claim, and traces every mistake back to its sheet, row and column."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from services.ingest.claim.checks import CheckedSession, IfSimilar
from services.ingest.claim.reading import session_in
from services.ingest.record.judging.known_night import Night, NightChanged, detail_of
from services.ingest.record.judging.refusing import SOME_ROUND_OF_OTHERS, DuplicateSession
from services.ingest.record.judging.similar import SimilarSession
from services.ingest.sheets.answers import PlacedWarning, SheetPlace
from services.ingest.sheets.reader import OpenedSheet
from shared.answers.nights import NightAnswer, RoundComparedAnswer
from shared.answers.sessions import WarningAnswer
from shared.errors import ClaimRefused, MahjicError, Mistake
from shared.sheets.cells import Place, SheetMistake, SheetRefused
from shared.sheets.reading import ScoreSheet

# How the checks of a claim refer to another seat in the same round.
_OTHER_SEAT: Final = re.compile(r"players/(\d+) of the round")


@dataclass(frozen=True, slots=True)
class SheetSession:
    """A valid session, and the sheet that claims it."""

    session: CheckedSession
    sheet: ScoreSheet

    def claim(self) -> Mapping[str, Any]:
        """Return the claim that the sheet stands for, for an answer."""
        claim = _without_decimals(self.sheet.claim)
        return {**claim, "allow_duplicate": True} if self.session.allow_duplicate else claim


def check_sheet(
    opened: OpenedSheet,
    *,
    allow_duplicate: bool,
    source: str,
    today_latest: date,
    if_similar: IfSimilar = "warn",
) -> SheetSession:
    """Return the session of a score sheet. Its claim is checked like one sent as JSON.

    Raises SheetRefused with every mistake in the sheet and in its claim.
    """
    sheet = opened.sheet
    try:
        session = session_in(
            opened.document, source=source, today_latest=today_latest, if_similar=if_similar
        )
    except ClaimRefused as refused:
        raise SheetRefused(_located(sheet, refused.mistakes)) from None
    if sheet.mistakes:
        raise SheetRefused(sheet.located())
    warnings = (*session.warnings, *sheet.warnings)
    session = replace(
        session, warnings=warnings, allow_duplicate=allow_duplicate, is_whole_night=True
    )
    return SheetSession(session, sheet)


def _without_decimals(part: Any) -> Any:  # noqa: ANN401 - Any part of a claim.
    """Return a part of a claim with floats, as in the sheet: answers in JSON have no decimals."""
    match part:
        case dict():
            return {name: _without_decimals(each) for name, each in part.items()}
        case list():
            return [_without_decimals(each) for each in part]
        case Decimal():
            return float(part)
        case _:
            return part


def in_sheet_words(error: MahjicError, sheet: ScoreSheet) -> MahjicError:
    """Return an error about a sheet's claim as an error about the sheet."""
    if isinstance(error, ClaimRefused):
        return SheetRefused(_located(sheet, error.mistakes))
    if isinstance(error, DuplicateSession):
        return _duplicate(error, sheet)
    if isinstance(error, NightChanged):
        return _night_changed(error, sheet)
    if isinstance(error, SimilarSession):
        return _similar(error, sheet)
    return error


def with_places(told: Iterable[Mapping[str, Any]], sheet: ScoreSheet) -> list[dict[str, Any]]:
    """Return remarks on parts of a claim, each with a `pointer`, with their places in the sheet."""
    return [{**each, **_told(sheet.place_of(each["pointer"]))} for each in told]


def placed_warnings(warnings: Iterable[WarningAnswer], sheet: ScoreSheet) -> list[PlacedWarning]:
    """Return warnings with their places in the sheet."""
    return [{**each, **_told(sheet.place_of(each["pointer"]))} for each in warnings]


def placed_rounds(
    rounds: Sequence[RoundComparedAnswer], sheet: ScoreSheet
) -> list[RoundComparedAnswer]:
    """Return the rounds in the sheet with their places, and after them those that it lacks."""
    gone = [each for each in rounds if each["pointer"] is None]
    return [*(_placed(each, sheet) for each in rounds if each["pointer"] is not None), *gone]


def _placed(compared: RoundComparedAnswer, sheet: ScoreSheet) -> RoundComparedAnswer:
    pointer = compared["pointer"]
    return {**compared, **_told(Place() if pointer is None else sheet.place_of(pointer))}


def _located(sheet: ScoreSheet, mistakes: Iterable[Mistake]) -> Sequence[SheetMistake]:
    return sheet.located([replace(each, message=_message(sheet, each)) for each in mistakes])


def _message(sheet: ScoreSheet, mistake: Mistake) -> str:
    """Return a mistake in the words of a sheet, which has rows instead of a list."""
    seats = mistake.pointer.rpartition("/players/")[0] + "/players/"

    def row(other: re.Match[str]) -> str:
        return f"the one in row {sheet.place_of(seats + other[1]).row}"

    words = _OTHER_SEAT.sub(row, mistake.message)
    return words.replace("games_played", "Games Played")


def _duplicate(error: DuplicateSession, sheet: ScoreSheet) -> DuplicateSession:
    rounds = with_places(error.extra["rounds"], sheet)
    if error.detail == SOME_ROUND_OF_OTHERS:
        detail = error.detail.replace(
            'send "allow_duplicate": true', "send the file with ?allow_duplicate=true"
        )
        return DuplicateSession(detail, extra={"rounds": rounds})
    rows = ", ".join(str(row) for row in sorted({each["row"] for each in rounds}))
    on_record = f"Already on record: what is in the sheet from row {rows} on. "
    if error.night is not None:
        return DuplicateSession(
            _night_detail(error.night, sheet, held=on_record),
            extra={"rounds": rounds, "night": _night_told(error.night, sheet)},
            night=error.night,
        )
    return DuplicateSession(
        f"{on_record}Nothing was recorded. If it really was played again, send the file with "
        "?allow_duplicate=true.",
        extra={"rounds": rounds},
    )


def _night_changed(error: NightChanged, sheet: ScoreSheet) -> NightChanged:
    detail = _night_detail(error.night, sheet)
    return NightChanged(error.night, detail=detail, told=_night_told(error.night, sheet))


def _night_detail(night: Night, sheet: ScoreSheet, *, held: str = "") -> str:
    return detail_of(
        night,
        allow="send the file with ?allow_duplicate=true",
        way=f"send the file to /v1/sessions/{night.session_ids[0]}/corrections/sheet",
        where=lambda pointer: f"row {sheet.place_of(pointer).row}",
        held=held,
    )


def _night_told(night: Night, sheet: ScoreSheet) -> NightAnswer:
    """Return what an answer says about a night, with the place of each round in the sheet."""
    told = night.told()
    rounds = [_placed(each, sheet) for each in told["rounds"]]
    return {**told, "correct": f"{told['correct']}/sheet", "rounds": rounds}


def _similar(error: SimilarSession, sheet: ScoreSheet) -> SimilarSession:
    rounds = with_places(error.extra["rounds"], sheet)
    rows = ", ".join(str(each["row"]) for each in rounds)
    return SimilarSession(
        error.similar,
        rounds=rounds,
        detail=(
            f"You have similar rounds on record: see the sheet from row {rows} on, and the "
            "sessions in `rounds`. Nothing was recorded. If it was entered twice, there is "
            "nothing to do; to change what is on record, correct that session; if both "
            "were played, send the file without if_similar."
        ),
    )


def _told(place: Place) -> SheetPlace:
    return {"sheet": place.sheet, "row": place.row, "column": place.column}
