"""One rule for characters at every door, and what is taken can be given out and sent again."""

import asyncio
import io
import json
import zipfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import openpyxl
import pytest

from shared.access.sources import InvalidSource, SourceDetails, add_source
from tests.cli.running import call
from tests.ingest.claims import Claim, a_session
from tests.service import RunningService, bearer

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# By hand, from the charts of Unicode: what stands in the middle of a word, and whether a label,
# prose and a file may hold it.
CHARACTERS = {
    "NUL": ("\x00", False, False, False),
    "bell": ("\x07", False, False, False),
    "escape": ("\x1b", False, False, False),
    "delete": ("\x7f", False, False, False),
    "next line": ("\x85", False, False, False),
    "tab": ("\t", False, True, True),
    "right-to-left override": ("\u202e", False, False, True),
    "isolate": ("\u2066", False, False, True),
    "zero width space": ("\u200b", False, False, True),
    "soft hyphen": ("\u00ad", False, False, True),
    "line separator": ("\u2028", False, False, True),
    "Hangul filler": ("\u3164", False, False, True),
    "private use": ("\ue000", False, False, True),
    "private use of plane 16": ("\U0010fffd", False, False, True),
    "lone surrogate": ("\ud800", False, False, False),
    "U+FFFE": ("\ufffe", False, False, False),
    "U+FFFF": ("\uffff", False, False, False),
    "U+FDD0": ("\ufdd0", False, False, False),
    "U+1FFFF": ("\U0001ffff", False, False, False),
    "unassigned": ("\u0378", True, True, True),
    "unassigned of plane 1": ("\U0001fbfa", True, True, True),
    "joiner": ("\u200d", True, True, True),
    "no-break space": ("\u00a0", True, True, True),
    "composed letter": ("\u00e9", True, True, True),
    "combining mark": ("\u0323", True, True, True),
    "Chinese": ("\u9ebb", True, True, True),
    "emoji": ("\U0001f004", True, True, True),
    "replacement": ("\ufffd", True, True, True),
    "quote": ("\u2019", True, True, True),
}
LABELS = {name: (character, each) for name, (character, each, _, _) in CHARACTERS.items()}
PROSE = {name: (character, each) for name, (character, _, each, _) in CHARACTERS.items()}
FILES = {name: (character, each) for name, (character, _, _, each) in CHARACTERS.items()}
GAMES = "2026-01-31\nAnn Bea Cy Di\n3 - - d\n"


def a_night(nickname: str, *, name: str | None = None, ref: str | None = None) -> Claim:
    players: list[Claim] = [
        {"email": nickname, "games_played": 1, "mahjongs": 0},
        {"email": "bo@example.com", "games_played": 1, "mahjongs": 1},
    ]
    if name is not None:
        players[1]["name"] = name
    return a_session({"players": players, "wall_games": 0, **({} if ref is None else {"ref": ref})})


def as_json(claim: object) -> bytes:
    """Return JSON in which every odd character is escaped, as any client may write it."""
    return json.dumps(claim).encode()


async def post(
    service: RunningService, path: str, key: str, content: bytes, kind: str
) -> httpx.Response:
    headers = {**bearer(key), "Content-Type": kind}
    return await service.client.post(path, content=content, headers=headers)


def rows_of(nickname: str, *, note: str = "", ref: str = "") -> list[list[str]]:
    line = "ROUND 1 | Games Played: 1 | Wall Games: 0"
    return [
        ["Date: 2026-01-31"],
        ["Game Type: Social"],
        [line, f"Ref: {ref}"] if ref else [line],
        ["Player Email", "Mahjongs", "Notes"],
        [nickname, "0", note],
        ["bo@example.com", "1", ""],
    ]


def as_csv(rows: list[list[str]]) -> bytes:
    return "\n".join(",".join(row) for row in rows).encode(errors="surrogatepass")


Door = Callable[[RunningService, str, str], Awaitable[bool]]


async def nickname_by_json(service: RunningService, key: str, text: str) -> bool:
    content = as_json(a_night(f"ANON:{text}"))
    return await taken(post(service, "/v1/sessions", key, content, "application/json"))


async def nickname_by_batch(service: RunningService, key: str, text: str) -> bool:
    content = as_json(a_night(f"ANON:{text}")) + b"\n"
    answer = await post(service, "/v1/sessions/batch", key, content, "application/x-ndjson")
    return bool(answer.json()["status"] < 300)


async def nickname_by_csv(service: RunningService, key: str, text: str) -> bool:
    content = as_csv(rows_of(f"ANON:{text}"))
    return await taken(post(service, "/v1/sheets", key, content, "text/csv"))


async def nickname_by_score(service: RunningService, _: str, text: str) -> bool:
    people = {"Ann": f"ANON:{text}", "Bea": "b@x.org", "Cy": "c@x.org", "Di": "d@x.org"}
    body = as_json({"games": GAMES, "players": people})
    headers = {"Content-Type": "application/json"}
    return await taken(
        service.client.post("/v1/score/hk?session=true", content=body, headers=headers)
    )


async def name_by_json(service: RunningService, key: str, text: str) -> bool:
    content = as_json(a_night("ANON:Cy", name=text))
    return await taken(post(service, "/v1/sessions", key, content, "application/json"))


async def ref_by_json(service: RunningService, key: str, text: str) -> bool:
    content = as_json(a_night("ANON:Cy", ref=text))
    return await taken(post(service, "/v1/sessions", key, content, "application/json"))


async def ref_by_csv(service: RunningService, key: str, text: str) -> bool:
    content = as_csv(rows_of("ANON:Cy", ref=text))
    return await taken(post(service, "/v1/sheets", key, content, "text/csv"))


async def search(service: RunningService, _: str, text: str) -> bool:
    query = httpx.QueryParams({"q": text.encode(errors="replace").decode()})
    if "\ud800" in text:  # No address can hold one; its bytes are read as the sign of a loss.
        return False
    return await taken(service.client.get(f"/v1/players/search?{query}"))


async def source_name(service: RunningService, _: str, text: str) -> bool:
    number = await service.pool.fetchval("SELECT count(*) FROM mahjic.sources")
    try:
        await add_source(
            service.pool, f"s-{number}", SourceDetails(text, "club"), now=datetime.now(UTC)
        )
    except InvalidSource:
        return False
    return True


LABEL_DOORS: list[Door] = [
    nickname_by_json,
    nickname_by_batch,
    nickname_by_csv,
    nickname_by_score,
    name_by_json,
    ref_by_json,
    ref_by_csv,
    search,
    source_name,
]


async def taken(answer: Awaitable[httpx.Response]) -> bool:
    """Tell whether something was taken; it is refused by 400 or 422, and never fails otherwise."""
    told = await answer
    assert told.status_code in {200, 201, 400, 422}, told.text
    return told.status_code < 300


@pytest.mark.parametrize(
    ("door", "name"),
    [
        (door, name)
        for name, (character, _) in LABELS.items()
        for door in LABEL_DOORS
        # A tab parts the cells of such a file.
        if character != "\t" or "csv" not in door.__name__
    ],
)
async def test_a_label_is_judged_alike_at_every_door(
    door: Door, name: str, shared_service: RunningService
) -> None:
    character, is_allowed = LABELS[name]
    key = await shared_service.source_key(f"club-{door.__name__.replace('_', '-')}")
    assert await door(shared_service, key, f"Z{character}q") is is_allowed


@pytest.mark.parametrize("name", PROSE)
async def test_prose_is_judged_alike_in_notes_and_in_games_by_json_text_and_file(
    name: str, shared_service: RunningService, tmp_path: Path
) -> None:
    character, is_allowed = PROSE[name]
    key = await shared_service.source_key("club-notes")
    night = a_night(f"ANON:{name}")
    recorded = await post(shared_service, "/v1/sessions", key, as_json(night), "application/json")
    path = f"/v1/sessions/{recorded.json()['session_id']}/void"
    void = as_json({"reason": "test_entry", "note": f"a{character}b"})
    assert await taken(post(shared_service, path, key, void, "application/json")) is is_allowed

    games = f"# Our c{character}lub\n{GAMES}"
    headers = {"Content-Type": "application/json"}
    by_json = shared_service.client.post(
        "/v1/score/hk", content=as_json({"games": games}), headers=headers
    )
    assert await taken(by_json) is is_allowed
    raw = games.encode(errors="surrogatepass")
    headers = {"Content-Type": "text/plain"}
    assert await taken(
        shared_service.client.post("/v1/score/hk", content=raw, headers=headers)
    ) is (is_allowed)
    file, players = tmp_path / "games.txt", tmp_path / "players.txt"
    file.write_bytes(raw)
    assert ((await asyncio.to_thread(call, "score", "hk", str(file))).exit_code == 0) is is_allowed
    text = f"# Our c{character}lub\nAnn a@x.org\nBea b@x.org\nCy c@x.org\nDi d@x.org\n"
    players.write_bytes(text.encode(errors="surrogatepass"))
    file.write_text(GAMES)
    arguments = ("score", "hk", str(file), "--session", "--players", str(players))
    assert ((await asyncio.to_thread(call, *arguments)).exit_code == 0) is is_allowed


# A tab parts the cells of such a file.
@pytest.mark.parametrize("name", [name for name, (each, _) in FILES.items() if each != "\t"])
async def test_a_cell_that_nobody_reads_may_hold_what_a_file_may(
    name: str, shared_service: RunningService
) -> None:
    character, is_allowed = FILES[name]
    key = await shared_service.source_key("club-files")
    content = as_csv(rows_of(f"ANON:{name}", note=f"a{character}b"))
    assert await taken(post(shared_service, "/v1/sheets", key, content, "text/csv")) is is_allowed


@pytest.mark.parametrize("name", CHARACTERS)
async def test_a_key_of_a_request_is_of_printable_ascii(
    name: str, shared_service: RunningService
) -> None:
    key = await shared_service.source_key("club-keys")
    character = CHARACTERS[name][0]
    line = {**a_night(f"ANON:{name}"), "idempotency_key": f"k{character}y"}
    answer = await post(
        shared_service, "/v1/sessions/batch", key, as_json(line) + b"\n", "application/x-ndjson"
    )
    assert answer.json()["status"] in {400, 422}


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("name", [name for name, (_, is_allowed) in LABELS.items() if is_allowed])
async def test_what_was_taken_is_given_out_and_is_the_same_when_it_is_sent_again(
    name: str, kind: str, shared_service: RunningService
) -> None:
    character, _ = LABELS[name]
    key = await shared_service.source_key("club-again")
    sent = await post(
        shared_service,
        "/v1/sessions",
        key,
        as_json(a_night(f"ANON:Z{character}q{kind}")),
        "application/json",
    )
    session_id = sent.json()["session_id"]
    file = await shared_service.client.get(
        f"/v1/sessions/{session_id}/sheet.{kind}", headers=bearer(key)
    )
    again = await post(
        shared_service, "/v1/sheets", key, file.content, "text/csv" if kind == "csv" else XLSX
    )
    assert (again.status_code, again.json()["session_id"]) == (200, session_id)


async def test_a_workbook_is_judged_by_the_same_rule(shared_service: RunningService) -> None:
    key = await shared_service.source_key("club-workbooks")
    judged = {}
    for name, (character, is_allowed) in LABELS.items():
        if name == "lone surrogate":
            continue  # Such a number is no character there, and is read as it is written.
        workbook = openpyxl.Workbook()
        sheet = workbook.create_sheet("Night", 0)
        for row in rows_of("ANON:Z1q"):
            sheet.append(row)
        content = io.BytesIO()
        workbook.save(content)
        # XML holds no control characters, so workbooks write them as numbers.
        code = ord(character)
        escaped = f"_x{code:04X}_" if code < 0x10000 else character
        changed = _replaced(content.getvalue(), b"ANON:Z1q", f"ANON:Z{escaped}q".encode())
        judged[name] = (
            await taken(post(shared_service, "/v1/sheets", key, changed, XLSX)),
            is_allowed,
        )
    assert {name for name, (found, wanted) in judged.items() if found is not wanted} == set()


def _replaced(workbook: bytes, before: bytes, after: bytes) -> bytes:
    """Return a workbook with other bytes in its strings."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            new.writestr(each, old.read(each).replace(before, after))
    return made.getvalue()
