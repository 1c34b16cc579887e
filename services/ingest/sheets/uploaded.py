"""One way in for every score sheet: what an upload may say, and the session that it holds."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Query, Request
from pydantic import Field, with_config
from typing_extensions import TypedDict

from services.ingest.api import Intake
from services.ingest.changes.asking import ChangeIntake
from services.ingest.claim.checks import IfSimilar
from services.ingest.claim.openapi import schema_of
from services.ingest.sheets.reader import SheetReader
from services.ingest.sheets.submitting import SheetSession, check_sheet
from shared.http.problems import MORE_MEMBERS, NO_MORE_MEMBERS, PROBLEM_JSON, AnyProblem
from shared.http.routes import handed_in
from shared.http.uploads import FORM, read_upload

CSV: Final = "text/csv"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# What a browser calls a CSV file depends on the programs installed on the computer. The bytes say
# what a file is.
TYPES: Final = (
    CSV,
    XLSX,
    "application/octet-stream",
    "application/vnd.ms-excel",
    "text/plain",
    "text/tab-separated-values",
)


@with_config(NO_MORE_MEMBERS)
class SheetMistakeAnswer(TypedDict):
    """One mistake, and where in the file it is."""

    sheet: Annotated[str | None, Field(description="The name of the sheet; null in a CSV file.")]
    row: Annotated[
        int | None,
        Field(description="Its row, from 1; null if it is about the whole sheet or file."),
    ]
    column: Annotated[
        str | None, Field(description="Its column, like `B`; null if it is about the whole row.")
    ]
    code: Annotated[str, Field(description="Stable name for this kind of mistake.")]
    message: Annotated[str, Field(description="An explanation for people.")]


@with_config(MORE_MEMBERS)
class SheetProblem(AnyProblem):
    """The problem details of a score sheet with mistakes (`invalid_sheet`)."""

    errors: Annotated[
        list[SheetMistakeAnswer],
        Field(description="Every mistake found, in the order of the sheet."),
    ]


_FILE: Final = {"type": "string", "format": "binary"}
SHEET_BODY: Final = {
    "required": True,
    "content": {
        # The others say no more about the file than these.
        **{kind: {"schema": _FILE} for kind in (CSV, XLSX)},
        FORM: {
            "schema": {
                "type": "object",
                "properties": {"file": _FILE},
                "required": ["file"],
                "additionalProperties": False,
            }
        },
    },
}
SHEET_MISTAKES_RESPONSE: Final[dict[str, Any]] = {
    "description": (
        "Something in the file or the request breaks a rule; `errors` lists every mistake."
    ),
    "content": {
        PROBLEM_JSON: {
            "schema": {"anyOf": [schema_of(SheetProblem), {"$ref": "#/components/schemas/Problem"}]}
        }
    },
}
SheetName = Annotated[
    str | None,
    Query(
        alias="sheet",
        max_length=100,
        description="Which sheet of the workbook to read, if several have contents.",
    ),
]
AllowDuplicate = Annotated[
    bool, Query(description="Record the session even though one of its rounds is on record.")
]


@dataclass(frozen=True, slots=True)
class SheetIntake:
    """What the routes that take score sheets need. They share the turns of one reader."""

    sessions: Intake
    changes: ChangeIntake
    reader: SheetReader


Sheets = Annotated[SheetIntake, handed_in(SheetIntake)]


async def read_uploaded(
    request: Request,
    intake: SheetIntake,
    source: str,
    *,
    sheet_name: str | None,
    allow_duplicate: bool,
    if_similar: IfSimilar,
) -> SheetSession:
    """Return the session in the file that a request uploads for a source.

    Raises SheetsBusy, SheetRefused, and what `read_upload` raises.
    """
    bytes_max = intake.sessions.settings.sheet_bytes_max
    async with intake.reader.taking(source):
        file = await read_upload(request, types=TYPES, bytes_max=bytes_max)
        sheet = await intake.reader.read(file, source=source, sheet_name=sheet_name)
    return check_sheet(
        sheet,
        allow_duplicate=allow_duplicate,
        if_similar=if_similar,
        source=source,
        today_latest=intake.sessions.today_latest(),
    )
