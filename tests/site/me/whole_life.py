"""A person to whom everything has happened: something about her is in every table there can be."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.accounts.logging_in.logins import find_login
from services.accounts.own.passkeys import NewPasskey, add_passkey
from services.accounts.ports import Connection
from services.ingest.people.disputes import Dispute, answer_dispute, dispute
from services.site.kit.cookies import cookie_name
from services.site.kit.origin import Origin
from tests.accounts.people import BEN
from tests.ingest.changes.asking import void
from tests.service import bearer
from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.verified.ada_paid import ada_pays
from tests.site.serving import ORIGIN

ADA = "ada@example.com"
WORK = "ada.work@example.org"
NEW = "ada.new@example.org"
# Whom she invited to the desk of a club.
DORA = "dora@example.org"
# Everything of hers that says who she is.
WORDS = (
    "Tile Friends",
    "Since May",
    "ada@",
    "ada.work@",
    "ada.new@",
    "Adelaide",
    "Lady A.",
    "Granite",
    "It was my twin",
)
# What staff and others do, which other rooms have tests of.
MAKE_STAFF = "INSERT INTO mahjic.staff VALUES ($1, 'reviewer', now())"
LOOK_AT = "INSERT INTO mahjic.staff_acts (at, act, about) VALUES (now(), 'look', $1)"
MAKE_MEMBER = "INSERT INTO mahjic.source_members VALUES ('b-club', $1, 'owner', $2, now())"
DESK_ACTS = """
INSERT INTO mahjic.desk_acts (source, at, done_by, account_id, act, about, address) VALUES
    ('b-club', now(), 'operator', NULL, 'make_owner', $1, $2),
    ('a-club', now(), 'member', $1, 'invite_scorer', NULL, $3)
"""
MADE_KEY = """
INSERT INTO mahjic.api_keys (
    key_id, key_hash, kind, source, created_at, name, is_of_member, made_by, used_on
) VALUES (
    'key_00000000', sha256('key'), 'source', 'b-club', now(), 'Score app', true, $1, '2026-02-03'
)
"""
INVITE = """
INSERT INTO mahjic.member_invitations VALUES ($1, 'a-club', $2, 'scorer', $3, now())
"""
MARK = "INSERT INTO mahjic.unreachable_addresses VALUES ($1, now(), 550)"
END_MAIL = "INSERT INTO mahjic.no_more_mail VALUES ($1, now())"
LIKE = "INSERT INTO mahjic.alike_addresses VALUES ($1, $2)"
INVITED = """
INSERT INTO mahjic.invitations (
    mail_id, token_hash, address_hash, player_id, session_id, source, session_date, queued_at
) VALUES ('mail_1', sha256('token'), $1, $2, $3, 'a-club', '2026-01-31', now())
"""
INVITED_EVER = "INSERT INTO mahjic.invited_addresses VALUES ($1, now())"
AWAITED = "INSERT INTO mahjic.awaited_invitations VALUES ($1, now())"
SUMMED_UP = """
INSERT INTO mahjic.summaries VALUES ($1, 'a-club', '2026-01-31', 'mail_2', true, now())
"""
ON_ROSTER = """
INSERT INTO mahjic.roster (source, address, name, written_at) VALUES ('b-club', $1, 'Addie', now())
"""
DID = """
INSERT INTO mahjic.session_acts (source, session_id, act, account_id, at)
VALUES ('b-club', 'ses_1', 'voided', $1, now())
"""
DRAFTED = """
INSERT INTO mahjic.night_drafts (source, draft_id, state, night, named, version, changed_at)
VALUES ('b-club', 'draft_1', 'open', '{
    "day": "2026-02-07", "kind": "league", "guests": [], "tables": [
        {"sitting": 1, "games": "4", "wall": "", "seats": [
            {"who": "Ben B.", "won": "1", "points": "777"},
            {"who": "Addie", "won": "2", "points": "-50.5"},
            {"who": "ada@example.com", "won": "", "points": "33"}
        ]}
    ]
}', ARRAY[$1], 1, now())
"""
APPLIED = """
INSERT INTO mahjic.applications (
    application_id, state, address, applicant, organization, type, wished_slug, keeping, players,
    nights, description, begun_at, sent_at
) VALUES (
    'app_1', 'question', $1, 'Adelaide A.', 'Tile Friends', 'club', 'tile-friends', 'On paper',
    12, 50, 'We meet on Mondays.', now(), now()
)
"""
ASKED = """
INSERT INTO mahjic.application_questions
VALUES ('app_1', 1, 'Since when?', now(), 'Since May.', now())
"""


@dataclass
class Ada:
    """Her browsers, her players, and her account."""

    visitor: Visitor
    elsewhere: Visitor
    ids: list[str]
    account_id: str
    sessions: list[str]


async def add_address(visitor: Visitor, address: str) -> None:
    """Add an address to an account by the code of its mail."""
    await visitor.send("/account/addresses", {"email": address})
    mail = (await visitor.house.mails())[-1]
    assert mail.address == address
    added = await visitor.send("/account/addresses/code", {"code": mail.code})
    assert added.status_code == 303


async def ada_with_everything(life: Living) -> Ada:
    """Let Ada play, log in twice, and leave traces of every kind."""
    sessions = await nights(life)
    visitor = await life.logged_in(ADA)
    elsewhere = await life.logged_in(ADA, "198.51.100.9")
    await add_address(visitor, WORK)
    await choices(life, visitor, sessions[0])
    account_id = await life.pool.fetchval(
        "SELECT account_id FROM mahjic.addresses WHERE address = $1", ADA
    )
    ids = [await life.player_of(ADA), await life.player_of(WORK)]
    await passkey(life, visitor)
    await what_others_did(life, account_id, ids, sessions[0])
    await ada_pays(life.pool, account_id, ids[0])
    await visitor.send("/account/addresses", {"email": NEW})
    await (await life.browser("203.0.113.8")).ask(WORK)
    return Ada(visitor, elsewhere, ids, account_id, sessions)


async def nights(life: Living) -> list[str]:
    """Let her play, be voided, get a seat of Ben's, and be Verified."""
    first = await life.play({"ada": 2, "ben": 1}, names=["Lady A.", "Ben B."])
    work = await life.play({f"PRIVATE:{WORK}": 1, "cy": 0}, source="b-club", on="2026-01-02")
    gone = await life.play({"ada": 1, "dee": 0}, on="2026-01-03")
    taken = await life.play({"ben": 1, "dee": 0, "eve": 1}, on="2026-01-04")
    operator = bearer(await life.service.operator_key())
    key = await life.source_key("a-club")
    voided = await void(life.service, gone, key, note="The sheet was of the week before.")
    assert voided.status_code == 201
    ben, ada = await life.player_of(BEN), await life.player_of(ADA)
    for method, path, body in (
        ("POST", f"{ben}/reseat", {"sessions": [taken], "email": ADA}),
        ("PUT", f"{ada}/verification", {"verified": True, "reason": "Ada’s aunt vouches."}),
    ):
        done = await life.service.client.request(
            method, f"/v1/admin/players/{path}", json=body, headers=operator
        )
        assert done.is_success, done.text
    return [first, work, gone, taken]


async def nobody(connection: Connection, answered: Dispute, addresses: Sequence[str]) -> None:
    """Mail nobody about an answer."""


async def choices(life: Living, visitor: Visitor, session_id: str) -> None:
    """Let her choose and dispute."""
    chosen = {"name": "Adelaide", "region": "west", "seen": "private", "mail": "summary"}
    assert (await visitor.send("/me/welcome", chosen)).status_code == 303
    ada = await life.player_of(ADA)
    async with life.pool.acquire() as connection, connection.transaction():
        now = life.house.clock.now()
        said = await dispute(connection, ada, session_id, "It was my twin", now=now)
        await answer_dispute(connection, said.number, "Ben says no.", by=None, now=now, tell=nobody)


async def passkey(life: Living, visitor: Visitor) -> None:
    """Give her a passkey."""
    token = visitor.client.cookies[cookie_name(Origin(ORIGIN, 8000), "login")]
    # The clock of the service is the real one.
    await life.pool.execute("UPDATE mahjic.logins SET began_at = $1", life.house.clock.now())
    login = await find_login(life.house.accounts, token)
    assert login is not None
    new = NewPasskey(b"credential", b"key", 0, "Granite phone")
    await add_passkey(life.house.accounts, login, new)
    await life.pool.execute("UPDATE mahjic.logins SET began_at = now()")


async def what_others_did(life: Living, account_id: str, ids: list[str], session_id: str) -> None:
    """Let staff, a club and her mail provider leave their traces."""
    hashes = life.service.service.process.outbox.hashes
    assert hashes is not None
    for statement, *values in (
        (MAKE_STAFF, account_id),
        (LOOK_AT, [ids[0]]),
        (LOOK_AT, [account_id]),
        (MAKE_MEMBER, account_id, WORK),
        (DESK_ACTS, account_id, WORK, DORA),
        (MADE_KEY, account_id),
        (DID, account_id),
        (INVITE, "inv_1", ADA, account_id),
        (INVITE, "inv_2", DORA, account_id),
        (MARK, WORK),
        (END_MAIL, hashes.of(ADA)),
        (LIKE, ids[1], ids[0]),
        (INVITED, hashes.of(ADA), ids[0], session_id),
        (INVITED_EVER, hashes.of(ADA)),
        (AWAITED, ids[1]),
        (SUMMED_UP, ids[0]),
        (ON_ROSTER, ADA),
        (DRAFTED, ADA),
        (APPLIED, ADA),
        (ASKED,),
    ):
        await life.pool.execute(statement, *values)
