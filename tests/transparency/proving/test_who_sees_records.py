"""A whole record goes only to those who may see everybody in it; nobody else can tell who is."""

import base64
import hashlib
import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from shared.events.facts import SessionsVoided
from shared.ids import player_id
from tests.projections.conftest import AUDITOR, CLUB, OPERATOR
from tests.projections.season import Round, mj
from tests.transparency.proving.signed_world import SignedWorld


async def a_night(signed: SignedWorld, *, anonymous: bool = False) -> tuple[list[str], str]:
    """Play one round of three, and return who played and the change of the first."""
    season = signed.season
    club = await season.source("club")
    people = [await season.player(number, source=club) for number in range(1, 4)]
    if anonymous:
        people[2] = await season.anonymous(9, club)
    _, fact = await season.play(club, Round({people[0]: 2, people[1]: 1, people[2]: 0}))
    await signed.follow()
    return people, f"{people[0]}.{fact}.1"


async def proof(
    signed: SignedWorld, change_id: str, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    who = change_id.partition(".")[0]
    path = f"/v1/players/{who}/changes/{change_id}/proof"
    answer = await signed.world.ask(path, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def shown(found: dict[str, Any]) -> list[bool]:
    """Return whether fact and verdict are shown; what is not says why."""
    for part in (found["fact"], found["verdict"]):
        assert (part["record"] is None) == (part["withheld"] is not None)
        if part["withheld"] is not None:
            assert part["withheld"]["code"] == "not_everybody_public"
    return [part["record"] is not None for part in (found["fact"], found["verdict"])]


async def test_everybody_sees_a_record_of_public_players(signed: SignedWorld) -> None:
    _, change = await a_night(signed)
    found = await proof(signed, change)
    assert shown(found) == [True, True]
    for part in (found["fact"], found["verdict"]):
        record = part["record"]
        salt, hidden = (base64.b64decode(record[each]) for each in ("salt", "chains_hash"))
        entry = hashlib.sha256(salt + record["body"].encode() + hidden).digest()
        leaf = hashlib.sha256(b"\0" + entry).digest()
        assert leaf == base64.b64decode(part["leaf_hash"])
    assert '"fact_chain":""' in found["verdict"]["record"]["body"]


async def test_nobody_is_shown_a_chain_value(signed: SignedWorld) -> None:
    people, change = await a_night(signed)
    answers = [await proof(signed, change, each) for each in (None, CLUB, AUDITOR)]
    answers.append(await signed.world.get(f"/v1/players/{people[0]}/proofs"))
    told = json.dumps(answers)
    for log in (signed.season.facts, signed.season.log):
        for record in await log.read(await log.beginning(), 1_000):
            assert record.chain.hex() not in told
            assert base64.b64encode(record.chain).decode() not in told


@pytest.mark.parametrize("how", ["private", "erased", "anonymous"])
async def test_one_who_is_not_public_hides_the_record(signed: SignedWorld, how: str) -> None:
    people, change = await a_night(signed, anonymous=how == "anonymous")
    if how == "private":
        await signed.season.change(people[2], is_private=True)
    elif how == "erased":
        await signed.season.erase(people[2])
    for caller in (None, CLUB):
        found = await proof(signed, change, caller)
        assert shown(found) == [False, False]
        assert people[2] not in json.dumps(found)
    for caller in (AUDITOR, OPERATOR):
        assert shown(await proof(signed, change, caller)) == [True, True]


async def test_a_merged_id_is_public_with_its_player_and_hidden_with_it(
    signed: SignedWorld,
) -> None:
    people, change = await a_night(signed)
    other = await signed.season.player(7)
    await signed.season.merge(people[2], other)
    await signed.follow()
    assert shown(await proof(signed, change)) == [True, True]
    await signed.season.change(other, is_private=True)
    await signed.follow()
    assert shown(await proof(signed, change)) == [False, False]


async def test_a_void_names_nobody_and_its_verdict_those_who_moved(signed: SignedWorld) -> None:
    people, change = await a_night(signed)
    session = (await proof(signed, change))["why"]["session_id"]
    fact = await signed.season.tell(SessionsVoided((session,), "not_played"))
    await signed.season.change(people[1], is_private=True)
    await signed.follow()
    found = await proof(signed, f"{people[0]}.{fact}")
    assert shown(found) == [True, False]
    assert found["why"]["cause"] == "void"


async def test_a_hidden_player_has_no_proof_and_a_merged_one_leads_on(signed: SignedWorld) -> None:
    people, change = await a_night(signed)
    other = await signed.season.player(7)
    await signed.season.merge(people[0], other)
    await signed.follow()
    for path in paths_of(people[0], change):
        answer = await signed.world.ask(path)
        assert answer.status_code == 308
        assert answer.headers["location"] == path.replace(people[0], other, 1)
    assert (await proof_of(signed, other, change))["why"]["played_as"] == people[0]
    await signed.season.change(other, is_private=True)
    await signed.follow()
    for who in (people[0], other, mj(99)):
        for path in paths_of(who, change):
            answer = await signed.world.ask(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_player")


def paths_of(who: str, change: str) -> tuple[str, str]:
    return f"/v1/players/{who}/proofs", f"/v1/players/{who}/changes/{change}/proof"


async def proof_of(signed: SignedWorld, who: str, change: str) -> dict[str, Any]:
    found: dict[str, Any] = await signed.world.get(f"/v1/players/{who}/changes/{change}/proof")
    return found


async def test_only_auditors_get_salts(signed: SignedWorld) -> None:
    await a_night(signed)
    for name in ("facts", "verdicts"):
        path = f"/v1/log/{name}/salts"
        assert (await signed.world.ask(path)).status_code == 401
        assert (await signed.world.ask(path, headers=CLUB)).status_code == 403
        answer = await signed.world.ask(path, {"from": 2, "limit": 2}, AUDITOR)
        told = [json.loads(line) for line in answer.content.splitlines()]
        assert [each["seq"] for each in told] == [2, 3][: len(told)]
        assert len(
            {each["salt"] for each in told} | {each["chain_salt"] for each in told}
        ) == 2 * len(told)


async def test_a_guesser_who_knows_all_but_one_learns_nothing(signed: SignedWorld) -> None:
    """The guesser knows every record to the letter but for one id, and which ids it can be.

    Whatever is public about the night is tried as a test of each guess: no hash of anything that
    the guesser can put together turns up anywhere in it.
    """
    people, change = await a_night(signed)
    await signed.season.change(people[2], is_private=True)
    await signed.follow()
    found = await proof(signed, change)
    tiles = [
        (await signed.world.ask(f"/log/{name}/tile/0/000.p/{await size(signed, name)}")).content
        for name in ("facts", "verdicts")
    ]
    public = json.dumps(found).encode() + b"".join(tiles)
    known = {each[at : at + 32] for each in tiles for at in range(0, len(each), 32)}
    known |= {
        base64.b64decode(each)
        for part in (found["fact"], found["verdict"])
        for each in (*part["proof"], part["leaf_hash"])
    }
    facts = await signed.season.facts.read(await signed.season.facts.beginning(), 100)
    verdicts = await signed.season.log.read(await signed.season.log.beginning(), 100)
    guesses = [people[2], *(player_id("MJ", number) for number in range(1_000, 1_200))]
    for guess in guesses:
        if guess != people[2]:
            assert guess.encode() not in public
        for log, name in ((facts, "facts"), (verdicts, "verdicts")):
            bodies = [each.body.replace(people[2].encode(), guess.encode()) for each in log]
            assert not known & set(hashes_of(bodies, name))
    assert people[2].encode() not in public


def hashes_of(bodies: Sequence[bytes], name: str) -> list[bytes]:
    """Return what can be made of records without a salt: bare, blanked, as leaves, and chained."""
    chain = hashlib.sha256(f"/logs/log_of_a_test/{name}".encode()).digest()
    made: list[bytes] = []
    for body in bodies:
        chain = hashlib.sha256(chain + body).digest()
        hidden = hashlib.sha256(chain).digest()
        blanked = body
        at = body.find(b'"fact_chain":"')
        if at >= 0:
            blanked = body[: at + 14] + body[at + 14 + 64 :]
        made += [chain, hidden]
        for text, end in itertools.product((body, blanked), (b"", chain, hidden)):
            bare = hashlib.sha256(text + end).digest()
            made += [bare, hashlib.sha256(b"\0" + bare).digest()]
            made.append(hashlib.sha256(b"\0" + text + end).digest())
    return made


async def size(signed: SignedWorld, name: str) -> int:
    return int((await signed.world.ask(f"/log/{name}/checkpoint")).text.splitlines()[1])


async def test_what_is_withheld_is_as_long_for_whoever_it_is(signed: SignedWorld) -> None:
    people, change = await a_night(signed)
    lengths = set()
    for hidden in ((people[1],), (people[2],), (people[1], people[2])):
        for each in hidden:
            await signed.season.change(each, is_private=True)
        await signed.world.follow()
        found = await proof(signed, change)
        lengths.add(len(json.dumps([found["fact"], found["verdict"]])))
        for each in hidden:
            await signed.season.change(each, is_private=False)
    assert len(lengths) == 1
