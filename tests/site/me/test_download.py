"""Everything about me: all of it, as it is stored, for nobody else, and with nothing of others."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from services.projections.pages import own_lists
from tests.ingest.changes.asking import caught_up
from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.whole_life import ADA, DORA, NEW, WORK, Ada, ada_with_everything

PATH = "/me/download"
_HASHES = "Hashes, from which nobody reads anything. What they are of is in the document."
_SEATS = "The sessions are in the document, each with her own seat."
# What holds something about a person and is in the document: by its columns that are not, why.
TOLD = {
    "accounts": {"passkey_handle": "Random bytes, which her devices know."},
    "addresses": {},
    "address_proofs": {
        "browser_hash": _HASHES,
        "link_hash": _HASHES,
        "code_hash": _HASHES,
        "for_account": "Her own account.",
    },
    "mails_asked_for": {"key_hash": _HASHES},
    "mail_choices": {},
    "logins": {"token_hash": _HASHES, "beside": "An account that is not hers yet."},
    "passkeys": {
        "credential_id": "What her device calls it.",
        "public_key": "Bytes that only check what her device signs.",
        "handle": "Random bytes, which her devices know.",
    },
    "staff": {},
    "staff_acts": {
        "staff_id": "Which of the staff it was is nobody else's business.",
        "key_id": "Which key the operator had is nobody else's business.",
    },
    "session_acts": {},
    "source_members": {},
    "member_invitations": {
        "invitation_id": "An id of the invitation, of use to nobody.",
        "address": "Those to others hold the addresses of others.",
        "invited_by": "An account, her own or another one's.",
    },
    "api_keys": {
        "key_hash": _HASHES,
        "kind": "Only keys of sources are made by people at desks.",
    },
    "desk_acts": {
        "number": "Their order.",
        "address": "Those about others hold the addresses of others.",
        "done_by": "Whether it was a member. That it was herself is told.",
    },
    "people": {"nickname": "People with an address have none.", "offered_name": "Told by source."},
    "acquaintances": {},
    "private_words": {},
    "disputes": {},
    "own_merges": {},
    "players": {"first_source": "Her region is that source's, which is told."},
    "seats": {},
    "mails": {
        "mail_id": "An id of the mail, of use to nobody.",
        "number": "The order of all mails.",
        "plain": "What lets somebody in comes by mail alone.",
        "html": "The same as the text.",
        "subject": "What lets somebody in comes by mail alone.",
        "no_more_url": "A link that is in the mail.",
        "due_at": "When the worker looks again.",
        "message_id": "An id of the mail, of use to nobody.",
        "lease": "Which worker has it.",
        "leased_until": "Which worker has it.",
    },
    "unreachable_addresses": {},
    "no_more_mail": {"address_hash": _HASHES},
    "invitations": {
        "mail_id": "An id of the mail, of use to nobody.",
        "number": "The order of all invitations.",
        "token_hash": _HASHES,
        "address_hash": _HASHES,
    },
    "applications": {"application_id": "An id, which its page has.", "number": "Their order."},
    "roster": {},
    "night_drafts": {
        "draft_id": "An id, of use to nobody.",
        "night": "What a club is typing, of everybody at its tables. Her own lines are told.",
        "named": "Others as well. She is.",
        "version": "How often it was changed.",
        "page": "A window of somebody's browser.",
    },
    "enrollments": {
        "enrollment_id": "An id of what she began, of use to nobody.",
        "look_due_at": "When the worker looks again.",
        "look_taken": "Which worker has it.",
    },
    "identity_checks": {
        "key": "A random key.",
        "enrollment_id": "An id of what she began, of use to nobody.",
        "held_hash": _HASHES,
    },
    "subscriptions": {"enrollment_id": "An id of what she began, of use to nobody."},
    "payments": {"enrollment_id": "An id of what she began, of use to nobody."},
    "verification_decisions": {},
    "verification_notes": {"number": "Their order."},
    "verification_watch": {
        "next_at": "When the clock looks again.",
        "ended_until": "How far the clock has been.",
    },
    "summaries": {"mail_id": "An id of the mail, of use to nobody."},
}
# What holds something about a person, and is not in the document as it stands.
NOT_TOLD = {
    "document_hashes": f"{_HASHES} That a check passed is.",
    "stripe_requests": "With which keys Stripe was asked: what came of it is in the document.",
    "alike_addresses": "Which of two old spellings of an address came first, for the operator.",
    "facts": f"The log. {_SEATS}",
    "verdicts": "The log of what was worked out: her changes are in the document.",
    "notices": f"What sources are told of her sessions, for 30 days: ids and numbers. {_SEATS}",
    "people_changes": "Numbers of changes, for the views.",
    "mail_causes": "What caused a mail in a sandbox, to show it to whoever tries things there.",
    "reseats": f"Who sits where, of everybody at the table. {_SEATS}",
    "awaited_invitations": "For a quarter of an hour: whom to look at again.",
    "invited_addresses": "A hash, and when: the invitation is in the document.",
    "passkey_challenges": "Random bytes for some minutes.",
}
# What says nothing about a person, whoever she is.
OF_NOBODY = {
    "application_advice",
    "application_questions",
    "application_reviews",
    "awaited_summaries",
    "erasures",
    "foreign_refusals",
    "formulas",
    "head",
    "idempotency_keys",
    "invitations_place",
    "kafka",
    "migrations",
    "notes",
    "notice_numbers",
    "notices_place",
    "ownerless_sources",
    "proofs",
    "rater",
    "sandbox",
    "sandbox_sources",
    "reseated_prints",
    "round_prints",
    "sources",
    "stripe_events",
    "submissions",
    "verification_doubts",
    "verification_place",
    "view_builds",
    "views",
    "webhook_deliveries",
    "webhook_endpoints",
}


async def downloaded(visitor: Visitor) -> dict[str, Any]:
    answer = await visitor.send(PATH)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == 'attachment; filename="mahjic.json"'
    assert answer.headers["cache-control"] == "no-store"
    document: dict[str, Any] = json.loads(answer.content)
    return document


async def test_it_is_one_document_of_everything(life: Living) -> None:
    ada = await ada_with_everything(life)
    told = await downloaded(ada.visitor)
    assert [each["address"] for each in told["addresses"]] == sorted([ADA, WORK])
    assert told["account"][0]["account_id"] == ada.account_id
    assert [each["name"] for each in told["passkeys"]] == ["Granite phone"]
    assert [each["browser"] for each in told["logins"]] == ["Chrome on Windows"] * 2
    assert [each["wants"] for each in told["mail_choices"]] == ["summary"]
    assert {each["address"] for each in told["proofs"]} == {NEW, WORK}
    assert [each["address"] for each in told["no_more_mail"]] == [ADA]
    assert [each["address"] for each in told["unreachable"]] == [WORK]
    assert [(each["source"], each["known_as"]) for each in told["memberships"]] == [
        ("b-club", WORK)
    ]
    assert [each["address"] for each in told["member_invitations"]] == [ADA, None]
    assert [(each["source"], each["name"]) for each in told["keys_made"]] == [
        ("b-club", "Score app")
    ]
    assert [(each["act"], each["address"], each["by_yourself"]) for each in told["desk_acts"]] == [
        ("make_owner", WORK, False),
        ("invite_scorer", None, True),
    ]
    assert [each["about"] for each in told["staff_acts"] if each["act"] == "look"] == [
        [ada.ids[0]],
        [ada.account_id],
    ]
    first, second = told["players"]
    assert [first["mahjic_id"], second["mahjic_id"]] == ada.ids
    assert (first["name"], first["region"], first["privacy"]) == ("Adelaide", "west", "private")
    assert [each["session_id"] for each in first["sessions"]] == [
        ada.sessions[0],
        ada.sessions[2],
        ada.sessions[3],
    ]
    assert [each["session_id"] for each in second["sessions"]] == [ada.sessions[1]]
    assert [each["said"] for each in first["disputes"]] == ["It was my twin"]
    (application,) = told["applications"]
    assert "Tile Friends" in str(application)
    assert "Since May." in str(application)


async def test_it_tells_what_was_paid_checked_and_decided(life: Living) -> None:
    told = await downloaded((await ada_with_everything(life)).visitor)
    by_kind = {each["kind"]: each for each in told["verification"]}
    assert by_kind["decided_by_staff"]["decision"] == "grant"
    assert by_kind["said_by_staff"]["words"] == by_kind["decided_by_staff"]["reason"]
    assert by_kind["standing"]["is_verified"] is True
    begun = by_kind["begun"]
    assert [(each["amount_cents"], each["currency"]) for each in begun["payments"]] == [
        (2000, "usd")
    ]
    assert [each["state"] for each in begun["identity_checks"]] == ["verified"]


async def test_of_nights_that_are_not_sent_only_ones_own_lines_are_told(life: Living) -> None:
    ada = await ada_with_everything(life)
    told = await downloaded(ada.visitor)
    (night,) = told["nights_not_sent"]
    assert (night["source"], night["day"]) == ("b-club", "2026-02-07")
    assert [(each["typed"], each["won"], each["points"]) for each in night["lines"]] == [
        ("Addie", "2", "-50.5"),
        (ADA, "", "33"),
    ]
    assert "777" not in str(night)


async def test_every_change_is_there_and_adds_up_to_the_rating(
    life: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_lists, "CHANGES_AT_ONCE", 2)
    ada = await ada_with_everything(life)
    await caught_up(life.service)
    first, second = (await downloaded(ada.visitor))["players"]
    (standing,) = first["ratings"]
    changes = first["changes"]
    assert [each.get("cause") for each in changes] == ["reseat", "void", None, None]
    assert {each.get("reason") for each in changes} == {None, "entered_twice"}
    moved = sum(round(100 * each["mahjic"]["rating_change"]) for each in changes)
    assert round(100 * standing["rating"]) == 150_000 + moved
    assert len({each["change_id"] for each in changes}) == len(changes)
    assert [each["source"]["slug"] for each in second["changes"]] == ["b-club"]
    for each in changes:
        for opponent in each.get("opponents", ()):
            assert opponent["player_id"] in {None, *(await public_ids(life))}


async def public_ids(life: Living) -> set[str]:
    return {row[0] for row in await life.pool.fetch("SELECT player_id FROM mahjic.public_players")}


async def test_while_a_view_is_built_nothing_is_begun(life: Living) -> None:
    await life.play({"ada": 2, "ben": 1})
    visitor = await life.logged_in(ADA)
    await life.pool.execute("DELETE FROM mahjic.views WHERE name = 'history'")
    answer = await visitor.send(PATH)
    assert answer.status_code == 503
    assert "content-disposition" not in answer.headers


async def test_no_table_is_left_out_without_a_reason(life: Living) -> None:
    ada = await ada_with_everything(life)
    document = (await ada.visitor.send(PATH)).text
    hashes = life.service.service.process.outbox.hashes
    assert hashes is not None
    words = [ADA, WORK, *ada.ids, ada.account_id, hashes.of(ADA).hex(), hashes.of(WORK).hex()]
    found = {}
    for table, rows in (await life.rows()).items():
        hers = [row for row in rows if any(word in json.dumps(row) for word in words)]
        if hers:
            found[table] = hers
    assert found.keys() - NOT_TOLD.keys() == TOLD.keys() - {"own_merges"}
    tables = (await life.rows()).keys()
    assert tables == TOLD.keys() | NOT_TOLD.keys() | OF_NOBODY, "Tell it, or say why not."
    assert not OF_NOBODY & found.keys()
    for table, left_out in TOLD.items():
        rows = found.get(table, [])
        assert left_out.keys() <= {name for row in rows for name in row} or not rows
        for row in rows:
            for name, value in row.items():
                if name not in left_out:
                    for each in texts_in(value):
                        assert each in document, f"{name} of {table} ({each}) is not told."


def texts_in(value: object) -> Iterable[str]:
    """Yield the texts in a column, in the words of JSON."""
    if isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)[1:-1].partition("+00:00")[0]
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


async def test_nothing_of_others_and_nothing_that_lets_in_is_told(life: Living) -> None:
    ada = await ada_with_everything(life)
    mails = await life.house.mails()
    document = (await ada.visitor.send(PATH)).text
    for each in ("ben@", "Ben B.", "cy@", "dee@", "eve@", DORA, "inv_2"):
        assert each not in document
    for mail in mails:
        if mail.kind == "proof":
            assert mail.link_token not in document
            assert mail.code not in document
        elif mail.address in {ADA, WORK}:
            assert json.dumps(mail.text, ensure_ascii=False)[1:-1] in document
    rows = await life.pool.fetch("SELECT encode(token_hash, 'hex') FROM mahjic.logins")
    assert not any(row[0] in document for row in rows)


async def test_an_account_without_a_player_is_told_too(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    told = await downloaded(visitor)
    assert told["players"] == []
    assert [each["address"] for each in told["addresses"]] == [ADA]


async def test_another_account_of_a_person_whom_staff_joined_stays_its_own(life: Living) -> None:
    await life.play({"ada": 2, "ben": 1})
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    other = await life.logged_in(WORK, "203.0.113.5")
    async with life.pool.acquire() as connection, connection.transaction():
        await life.people.merge(
            connection, await life.player_of(WORK), await life.player_of(ADA), is_private=False
        )
    told = await downloaded(visitor)
    assert len(told["logins"]) == 1
    assert {each["address"] for each in told["mails"]} == {ADA}
    assert {each["address"] for each in (await downloaded(other))["mails"]} == {WORK}


async def herself(ada: Ada) -> str:
    return (await ada.visitor.get(PATH)).text


async def test_the_page_says_what_is_in_it(life: Living) -> None:
    page = await herself(await ada_with_everything(life))
    assert "every change of it with its reason" in page
    assert "another mail" not in page
