"""Everything that reads what a stranger wrote, each as work that a text of any length makes."""

import asyncio
import io
import zipfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from ipaddress import ip_network
from typing import Any, Final
from xml.sax.saxutils import escape

from fastapi import Request
from starlette.types import Message, Scope

from services.ingest.batches.lines import LineCutter
from services.ingest.claim.headers import read_idempotency_key, read_wait_s
from services.ingest.claim.people import read_name, read_person, what_is_wrong
from services.ingest.claim.reading import read_correction, read_line, read_session
from services.ingest.score_api import _score as score
from services.ingest.sheets.submitting import check_sheet
from services.notices.webhooks.schedule import read_retry_after
from services.notices.webhooks.urls import read_url
from services.projections.answering.cursors import read_cursor
from services.projections.answering.parameters import read_date as read_day
from services.projections.search.queries import read_id_prefix
from services.verification.api import read_event
from services.verification.stripe.signatures import check_signature
from shared.http.bodies import check_lines_type, read_json_body, read_text_or_json_body
from shared.http.callers import read_api_key
from shared.http.conditional import is_held
from shared.http.layers.addresses import ClientAddresses
from shared.http.logs import without_personal_data
from shared.http.player_ids import read_id
from shared.http.requests import give_request_id
from shared.http.uploads import read_upload
from shared.ids import is_session_id, is_slug
from shared.rating.parameters import read_parameters
from shared.scoring.players_file import read_players
from shared.settings import Settings
from shared.sheets.cells import text_cell
from shared.sheets.opening import open_workbook
from shared.sheets.reading import read_score_sheet
from shared.sheets.rows.dates import read_date
from shared.sheets.rows.headings import read_headings
from shared.sheets.rows.lines import labels_of, pieces_of, round_line
from shared.sheets.rows.numbers import looks_like_a_number, read_number
from tests.hostile.texts import DOCUMENTS, SCORES, SHEETS, TEXTS, Writes
from tests.sheets.sheets import opened

TODAY: Final = date(2026, 12, 31)
BYTES_MAX: Final = 16 << 20
Reads = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Parser:
    """A reader of texts, what it is tried with, and up to which length.

    `prepare` makes what `read` takes of a text; that is not measured. `frames` are what stands
    before and behind the text.
    """

    read: Callable[[Any], object]
    texts: Mapping[str, Writes]
    prepare: Callable[[str], Any] = lambda text: text
    frames: tuple[tuple[str, str], ...] = (("", ""),)
    length_max: int = 1 << 17


def header(name: str, text: str) -> Scope:
    value = text.encode("latin-1", "replace")
    headers = [(name.encode(), value)]
    return {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}


def request(name: str, text: str, body: bytes = b"") -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(header(name, text), receive)


_LOOP: Final = asyncio.new_event_loop()


def done(work: Awaitable[object]) -> object:
    return _LOOP.run_until_complete(work)


def form(text: str) -> Request:
    part = f"--b\r\n{text}\r\n\r\nx\r\n--b--\r\n"
    return request("content-type", "multipart/form-data; boundary=b", part.encode())


def workbook(text: str) -> bytes:
    """Return a workbook whose cells hold the lines of a text, separated by commas."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = (f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in line.split(","))
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/a.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="a" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="A" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="a" Type="{office}/worksheet" Target="worksheets/a.xml"/>'
        "</Relationships>",
        "xl/worksheets/a.xml": f'<worksheet xmlns="{main}"><sheetData>{"".join(rows)}</sheetData>'
        "</worksheet>",
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def sheet(content: bytes) -> object:
    read = opened(read_score_sheet(open_workbook(content)))
    return check_sheet(read, allow_duplicate=False, source="a-club", today_latest=TODAY)


def lines(text: str) -> object:
    cutter = LineCutter(line_bytes_max=100_000)
    raw = text.encode()
    pieces = (raw[at : at + 100] for at in range(0, len(raw), 100))
    return [line for piece in pieces for line in cutter.feed(piece)] + list(cutter.end())


def cells(text: str) -> object:
    pieces = pieces_of([text_cell(text), text_cell("x"), text_cell(text)])
    return (
        round_line(pieces),
        labels_of(pieces),
        read_headings(1, pieces, is_among_rounds=True),
        looks_like_a_number(text_cell(text)),
        read_number(text_cell(text)),
        read_number(text_cell(text), is_comma_decimal=True),
        read_date(text_cell(text), is_1904=None),
    )


def scores(rulebook: str, kind: str) -> Reads:
    def read(text: str) -> object:
        return score(
            rulebook, text.encode(), is_json=kind == "json", with_sessions=True, games_max=5_000
        )

    return read


def raw(read: Callable[..., object]) -> Reads:
    """Read a body of JSON as one of the source `a-club`."""
    return lambda text: read(text.encode(errors="replace"), source="a-club", today_latest=TODAY)


ADDRESSES: Final = ClientAddresses([ip_network("10.0.0.0/8")])


def behind_proxy(name: str) -> Reads:
    return lambda text: ADDRESSES.counted_as({**header(name, text), "client": ("10.0.0.1", 1)})


_TYPED: Final = (("", ""), ("application/", ""), ("application/json;", ""), ("a/b; c=", ""))
# A head has at most 64 KiB.
_HEAD: Final = 1 << 15

PARSERS: Final[Mapping[str, Parser]] = {
    "If-None-Match": Parser(
        lambda text: is_held([text], '"tag"'),
        TEXTS,
        frames=(("", ""), ('"a",', "x"), ('"', '"'), ('W/"', '"'), ("W/", "")),
    ),
    "Authorization": Parser(
        lambda text: read_api_key(header("authorization", text)),
        TEXTS,
        frames=(("", ""), ("Bearer ", ""), ("Bearer mjk_", "")),
    ),
    "Idempotency-Key": Parser(
        lambda text: read_idempotency_key([text]), TEXTS, frames=(("", ""), ('"', '"'), ('"', "x"))
    ),
    "address of a webhook": Parser(
        lambda text: read_url(text, loopback=True),
        TEXTS,
        frames=(("", ""), ("https://", ""), ("https://a.", "/"), ("https://a/", "#")),
    ),
    "Retry-After of a webhook's server": Parser(
        lambda text: read_retry_after(text, datetime(2026, 1, 1, tzinfo=UTC)),
        TEXTS,
        frames=(("", ""), ("1", ""), ("Fri, 01 Jan 2038 00:00:00 ", "")),
    ),
    "Prefer": Parser(
        lambda text: read_wait_s([text], default_s=10, max_s=30),
        TEXTS,
        frames=(("", ""), ("wait", ""), ("wait=", "x"), ('wait="', '"')),
    ),
    "Content-Type of JSON": Parser(
        lambda text: done(read_json_body(request("content-type", text), bytes_max=9)),
        TEXTS,
        frames=_TYPED,
    ),
    "Content-Type of scores": Parser(
        lambda text: done(read_text_or_json_body(request("content-type", text), bytes_max=9)),
        TEXTS,
        frames=(*_TYPED, ("text/plain;", "")),
    ),
    "Content-Type of lines": Parser(
        lambda text: check_lines_type(request("content-type", text)), TEXTS, frames=_TYPED
    ),
    "Content-Type of files": Parser(
        lambda text: done(read_upload(request("content-type", text), types=(), bytes_max=9)),
        TEXTS,
        frames=(*_TYPED, ("multipart/form-data; boundary=", ""), ('multipart/form-data; a="', "")),
        length_max=_HEAD,
    ),
    "X-Forwarded-For": Parser(
        behind_proxy("x-forwarded-for"), TEXTS, frames=(("", ""), ("", ",10.0.0.2"))
    ),
    "Forwarded": Parser(
        behind_proxy("forwarded"),
        TEXTS,
        frames=(("", ""), ("for=", ""), ('for="', '"'), ("", ",for=10.0.0.2")),
    ),
    "Host": Parser(
        lambda text: str(request("host", text).url), TEXTS, frames=(("", ""), ("[", "]"))
    ),
    "X-Request-Id": Parser(lambda text: give_request_id(header("x-request-id", text)), TEXTS),
    "Stripe-Signature": Parser(
        lambda text: check_signature(b"{}", text, ("whsec_1", "whsec_2"), 1_800_000_000),
        TEXTS,
        frames=(("", ""), ("t=1800000000,v1=", ""), ("t=", ",v1=0"), ("t=1800000000,", ",v1=0")),
    ),
    "an event of Stripe, signed": Parser(
        lambda text: check_signature(
            text.encode(errors="replace"), "t=1,v1=0", ("whsec_1", "whsec_2"), 1
        ),
        {"letters": TEXTS["letters"], "emoji": TEXTS["emoji"]},
        length_max=1 << 18,
    ),
    "an event of Stripe, read": Parser(
        lambda text: read_event(text.encode(errors="replace")),
        {**TEXTS, **DOCUMENTS},
        frames=(
            ("", ""),
            ('{"id":"', '"}'),
            ('{"id":"evt_1","type":"', '"}'),
            ('{"id":"evt_1","type":"a","data":{"object":{"id":"', '"}}}'),
        ),
        length_max=1 << 18,
    ),
    "the parts of a form": Parser(
        lambda sent: done(read_upload(sent, types=(), bytes_max=BYTES_MAX)),
        TEXTS,
        prepare=form,
        frames=(
            ("", ""),
            ("Content-Disposition: form-data; name=", ""),
            ('Content-Disposition: form-data; filename="', '"'),
            ('Content-Disposition: form-data; filename="a"\r\n\r\n', ""),
            ("Content-Disposition: form-data; filename*=utf-8''", ""),
            ("Content-Disposition: form-data; filename=a\r\nX: ", ""),
        ),
    ),
    "a Mahjic ID": Parser(read_id, TEXTS, frames=(("", ""), ("MJ-", ""))),
    "a session id": Parser(is_session_id, TEXTS, frames=(("", ""), ("ses_", ""))),
    "a source": Parser(is_slug, TEXTS, frames=(("", ""), ("a", "a"))),
    "a cursor": Parser(lambda text: read_cursor(text, str, int), TEXTS),
    "a search": Parser(read_id_prefix, TEXTS, frames=(("", ""), ("MJ-", ""))),
    "a date asked for": Parser(read_day, TEXTS, frames=(("", ""), ("2026-", ""))),
    "a player": Parser(
        read_person,
        TEXTS,
        frames=(("", ""), ("PRIVATE:", ""), ("ANON:", ""), ("", "@a.co"), ("a@", ".co")),
    ),
    "a name": Parser(read_name, TEXTS),
    "a session": Parser(raw(read_session), {**TEXTS, **DOCUMENTS}, frames=(("", ""), ('{"', '"}'))),
    "a session of long texts": Parser(raw(read_session), DOCUMENTS, length_max=1 << 20),
    "a correction": Parser(raw(read_correction), DOCUMENTS),
    "a line of a batch": Parser(raw(read_line), DOCUMENTS),
    "a batch as lines": Parser(lines, TEXTS, length_max=1 << 20),
    "a score sheet as CSV": Parser(
        sheet, {**TEXTS, **SHEETS}, prepare=str.encode, frames=(("", ""), ('"', '"'))
    ),
    "a score sheet as XLSX": Parser(sheet, SHEETS, prepare=workbook, length_max=1 << 17),
    "a cell of a score sheet": Parser(
        cells,
        TEXTS,
        frames=(("", ""), ("1", "x"), ("ROUND 1", ""), ("date", ":"), ("31 ", " 2026")),
    ),
    **{
        f"{kind} of scores, {rulebook}": Parser(
            scores(rulebook, kind),
            {**TEXTS, **SCORES} if kind == "text" else DOCUMENTS,
            length_max=1 << 16,
        )
        for rulebook in ("hong-kong", "banker", "wright-patterson", "american")
        for kind in ("text", "json")
    },
    "a players file": Parser(
        lambda text: read_players(text, what_is_wrong),
        {**TEXTS, **SCORES},
        frames=(("", ""), ("Ann", " x")),
    ),
    "a parameter file": Parser(read_parameters, {**TEXTS, **DOCUMENTS}),
    "a setting": Parser(
        lambda text: Settings(kafka_servers=text, kafka_prefix=text, trusted_proxies=text),
        TEXTS,
        frames=(("", ""), ("a:9092,", ""), ("a", ":1")),
    ),
    "a line of the log": Parser(
        lambda text: without_personal_data(None, "info", text),
        TEXTS,
        frames=(("", "@"), ("a@", "")),
    ),
}
