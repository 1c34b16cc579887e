"""The page of keys: made and shown once, used, seen to be used, revoked; by owners alone."""

import re
from collections.abc import Iterator

import httpx
import pytest

from shared.ids import is_api_key
from tests.ingest.claims import a_round, a_session
from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead

KEYS = f"/desk/{CLUB}/keys"
_KEY = re.compile(r"mjk_[0-9A-Za-z]{43}")


async def form_of(owner: Member, name: str = "Score app") -> dict[str, str]:
    page = await owner.page(KEYS)
    form = page.main.one("form", action=KEYS)
    return {"key": form.one("input", name="key").attributes["value"], "name": name}


async def make(owner: Member, form: dict[str, str]) -> str:
    """Send the form, and return the key."""
    answer = await owner.send(KEYS, form)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    (text,) = set(_KEY.findall(answer.text))
    assert is_api_key(text)
    return str(text)


async def send_night(desks: Desks, key: str, on: str = "2026-01-31") -> httpx.Response:
    body = a_session(a_round({"ann": 1, "ben": 0}), on=on)
    return await desks.town.running.submit(body, key)


async def everything(desks: Desks) -> str:
    """Return every row of every table, and every mail, as one text."""
    pool = desks.town.house.pool
    tables = await pool.fetch(
        "SELECT schemaname || '.' || tablename AS name FROM pg_tables "
        "WHERE schemaname ~ '^(mahjic$|view_)'"
    )
    rows = [await pool.fetch(f"SELECT each::text FROM {row['name']} AS each") for row in tables]
    return "\n".join(each[0] for table in rows for each in table)


async def test_a_key_is_shown_once_works_and_is_revoked_at_once(
    desks: Desks, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await desks.browser_of(OWNER)
    key = await make(owner, await form_of(owner))
    assert key not in (await owner.get(KEYS)).text
    assert key not in await everything(desks)
    assert "never used" in (await owner.page(KEYS)).main.text
    assert (await send_night(desks, key)).status_code == 201
    page = await owner.page(KEYS)
    (line,) = [each.text for each in page.main.all("li") if "Score app" in each.text]
    assert "by you · last used" in line
    revoking = page.main.all("form", action=f"{KEYS}/revoke")
    (asked,) = [each for each in revoking if "Revoke Score app" in each.text]
    form = {"key": asked.one("input", name="key").attributes["value"]}
    answer = await owner.send(f"{KEYS}/revoke", form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{KEYS}?done=revoked")
    refused = await send_night(desks, key, on="2026-02-01")
    assert refused.status_code == 401
    page = await owner.page(f"{KEYS}?done=revoked")
    assert "can no longer send anything" in page.main.one("p", role="status").text
    assert (await owner.send(f"{KEYS}/revoke", form)).status_code == 404
    acts = (await owner.page(f"/desk/{CLUB}/acts")).main.text
    for did in ("Made", "Revoked"):
        assert f"{did} the key {form['key']}" in acts
    assert key not in capsys.readouterr().out
    assert key not in "".join(each.text + each.html for each in await desks.town.house.mails())


async def test_owners_are_mailed_and_no_mail_holds_the_key(desks: Desks) -> None:
    await desks.make(SCORER, "owner")
    owner = await desks.browser_of(OWNER)
    await make(owner, await form_of(owner))
    told = [each for each in await desks.town.house.mails() if each.kind == "keys_changed"]
    assert sorted(each.address for each in told) == sorted([OWNER, SCORER])
    assert all(f"{KEYS}\n" in each.text for each in told)


async def test_a_form_that_is_sent_twice_makes_one_key_and_the_last_text_works(
    desks: Desks,
) -> None:
    owner = await desks.browser_of(OWNER)
    form = await form_of(owner)
    first, second = await make(owner, form), await make(owner, form)
    assert first != second
    assert (await send_night(desks, first)).status_code == 401
    assert (await send_night(desks, second)).status_code == 201
    pool = desks.town.house.pool
    query = "SELECT count(*) FROM mahjic.api_keys WHERE key_id = $1"
    assert await pool.fetchval(query, form["key"]) == 1
    # Once it is used, the form is worth nothing, and the key goes on.
    again = await owner.send(KEYS, form)
    assert again.status_code == 409
    assert _KEY.findall(again.text) == []
    assert (await send_night(desks, second, on="2026-02-01")).status_code == 201


async def test_a_form_takes_over_no_key_of_others(desks: Desks) -> None:
    owner, stranger = await desks.browser_of(OWNER), await desks.browser_of(STRANGER)
    await desks.make(SCORER, "owner")
    other_owner = await desks.browser_of(SCORER)
    form = await form_of(owner)
    key = await make(owner, form)
    for browser, path in ((stranger, f"/desk/{OTHER}/keys"), (other_owner, KEYS)):
        assert (await browser.send(path, form)).status_code == 409
    assert (await stranger.send(f"/desk/{OTHER}/keys/revoke", form)).status_code == 404
    operators = await desks.town.house.pool.fetchval(
        "SELECT key_id FROM mahjic.api_keys WHERE NOT is_of_member AND source = $1", CLUB
    )
    assert (await owner.send(KEYS, {**form, "key": operators})).status_code == 409
    assert (await send_night(desks, key)).status_code == 201
    assert (await send_night(desks, desks.town.key, on="2026-02-01")).status_code == 201


def wrong_forms() -> Iterator[tuple[dict[str, str], int]]:
    for name in ("", " \t ", "x" * 41, "\u202ekey"):
        yield {"name": name}, 422
    for key in ("", "key_1", "key_00000000x", "\ud7ffkey", "x" * 5000):
        yield {"key": key}, 409


async def test_what_is_wrong_is_said_and_nothing_is_made(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    form = await form_of(owner)
    before = await desks.town.house.pool.fetchval("SELECT count(*) FROM mahjic.api_keys")
    for wrong, status in wrong_forms():
        answer = await owner.send(KEYS, {**form, **wrong})
        assert answer.status_code == status, wrong
        if status == 422:
            page = PageRead(answer.text)
            assert page.main.one("input", id="name").attributes["aria-invalid"] == "true"
            assert "#name" in page.main.links()
    await owner.make_stale()
    assert (await owner.send(KEYS, form)).status_code == 403
    revoked = await owner.send(f"{KEYS}/revoke", {"key": "key_00000000"})
    assert revoked.status_code == 403
    assert f"/login?to={KEYS}" in (await owner.page(KEYS)).main.links()
    after = await desks.town.house.pool.fetchval("SELECT count(*) FROM mahjic.api_keys")
    assert after == before


async def test_keys_are_made_neither_without_end_nor_without_pause(desks: Desks) -> None:
    owner = await desks.browser_of(OWNER)
    for number in range(10):
        await make(owner, await form_of(owner, f"Program {number}"))
    refused = await owner.send(KEYS, await form_of(owner))
    assert refused.status_code == 422
    assert "in the last hour" in refused.text
    pool = desks.town.house.pool
    await pool.execute(
        "INSERT INTO mahjic.api_keys (key_id, key_hash, kind, source, created_at) SELECT"
        " 'key_0000000' || n, sha256(n::text::bytea), 'source', $1, now()"
        " FROM generate_series(0, 9) AS n",
        CLUB,
    )
    refused = await owner.send(KEYS, await form_of(owner))
    assert "Revoke one that nobody needs" in refused.text


async def test_by_whom_a_key_was_made_is_told_as_long_as_somebody_knows(desks: Desks) -> None:
    await desks.make(SCORER, "owner")
    owner, other = await desks.browser_of(OWNER), await desks.browser_of(SCORER)
    await make(other, await form_of(other, "Hers"))
    text = (await owner.page(KEYS)).main.text
    assert f"by {SCORER}" in text
    assert "by Mahjic’s staff" in text
    await desks.remove(SCORER)
    assert "by somebody who is no longer here" in (await owner.page(KEYS)).main.text
    await desks.town.house.pool.execute(
        "DELETE FROM mahjic.accounts WHERE account_id IN "
        "(SELECT account_id FROM mahjic.addresses WHERE address = $1)",
        SCORER,
    )
    text = (await owner.page(KEYS)).main.text
    assert "Hers" in text
    assert "by somebody who is no longer here" in text
