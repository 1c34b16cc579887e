"""One byte altered anywhere on the way is found, and the check says what it is and where."""

import base64
import copy
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import TypeAdapter, ValidationError

from services.cli.checking.checking import Checked
from services.cli.checking.found import DoesNotHold
from services.cli.checking.one_player import check_change
from services.transparency.proving.answers import ProvedChange
from tests.transparency.proving.signed_world import Alter, SignedWorld
from tests.transparency.proving.test_check import a_year

READ_CHANGE: TypeAdapter[ProvedChange] = TypeAdapter(ProvedChange)
# What is not on the logs, or says where the answer stands: a check cannot know it.
NOT_ON_THE_LOGS = {
    "seq", "name", "player", "player_id", "voided", "superseded_by", "corrections", "corrected_on",
    "cause", "reason", "sessions", "sessions_count", "replaced_by", "merged",
}  # fmt: skip


def told(checked: Checked) -> str:
    assert checked.not_finished is None, checked.not_finished
    assert not checked.holds
    return "\n".join(f"{each.where}: {each.what}" for each in checked.findings.wrong)


def in_json(part: str, change: Callable[[Any], None]) -> Alter:
    """Return what changes the JSON of answers whose path has this part."""

    def alter(path: str, content: bytes) -> bytes:
        if part not in path:
            return content
        answer = json.loads(content)
        change(answer)
        return json.dumps(answer).encode()

    return alter


def flipped(path_part: str, place: int) -> Alter:
    """Return what changes one byte of answers whose path ends so."""

    def alter(path: str, content: bytes) -> bytes:
        if not path.endswith(path_part):
            return content
        at = place % len(content)
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    return alter


def behind(page: Any, place: int, which: str) -> Any:
    """Return the record behind a change of a page."""
    seq = page["changes"][place][f"{which}_seq"]
    (found,) = (each for each in page["records"][f"{which}s"] if each["seq"] == seq)
    return found


def joined(page: Any, place: int) -> Any:
    """Return a change of a page together with the records behind it."""
    parts = {which: copy.deepcopy(behind(page, place, which)) for which in ("fact", "verdict")}
    change = page["changes"][place]
    return {"change_id": change["change_id"], "why": change["why"], **parts}


def other_base64(text: str) -> str:
    data = base64.b64decode(text)
    return base64.b64encode(bytes([data[0] ^ 1]) + data[1:]).decode()


@pytest.mark.parametrize("which", ["fact", "verdict"])
async def test_an_altered_record_salt_or_proof(signed: SignedWorld, which: str) -> None:
    who = (await a_year(signed))[0]

    def body(answer: Any) -> None:
        record = behind(answer, 3, which)["record"]
        record["body"] = record["body"].replace('"mahjongs":[2', '"mahjongs":[1', 1)

    def salt(answer: Any) -> None:
        record = behind(answer, 3, which)["record"]
        record["salt"] = other_base64(record["salt"])

    def chains(answer: Any) -> None:
        record = behind(answer, 3, which)["record"]
        record["chains_hash"] = other_base64(record["chains_hash"])

    def leaf(answer: Any) -> None:
        proved = behind(answer, 3, which)
        proved["leaf_hash"] = other_base64(proved["leaf_hash"])

    def proof(answer: Any) -> None:
        hashes = behind(answer, 3, which)["proof"]
        hashes[1] = other_base64(hashes[1])

    def seq(answer: Any) -> None:
        behind(answer, 3, which)["seq"] += 1000

    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    change = page["changes"][3]
    where = f"Record {change[f'{which}_seq']} of the {which}s"
    for change_it in (body, salt, chains):
        found = told(await signed.check(who, alter=in_json("/proofs", change_it)))
        assert f"{where}: The record that is shown" in found
    for change_it in (leaf, proof):
        found = told(await signed.check(who, alter=in_json("/proofs", change_it)))
        assert f"{where}: {where}: The leaf is not" in found
    found = told(await signed.check(who, alter=in_json("/proofs", seq)))
    assert f": {where}, which it stands on, is not on the page." in found


def leaves_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in NOT_ON_THE_LOGS:
                yield from leaves_of(each, (*path, name))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from leaves_of(each, (*path, place))
    elif value is not None:
        yield path


def altered(value: Any, path: tuple[Any, ...]) -> None:
    for step in path[:-1]:
        value = value[step]
    was = value[path[-1]]
    if isinstance(was, bool):
        value[path[-1]] = not was
    elif isinstance(was, float):
        value[path[-1]] = round(was + 0.01, 9)
    elif isinstance(was, int):
        value[path[-1]] = was + 1
    elif path[-1] == "session_date":
        value[path[-1]] = "2026-01-28"
    else:
        value[path[-1]] = "A" + was[1:] if was[0] != "A" else "B" + was[1:]


async def test_every_number_of_why_is_held_against_the_record(signed: SignedWorld) -> None:
    who = (await a_year(signed))[0]
    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    # Newest first: the correction by the void, and a league round of two pools.
    kinds = {each["why"]["type"]: place for place, each in enumerate(page["changes"])}
    assert set(kinds) == {"round", "correction"}
    league = next(
        place for place, each in enumerate(page["changes"]) if each["why"].get("points") == 25.0
    )
    tried = 0
    for place in (kinds["correction"], league):
        change = joined(page, place)
        check_change(READ_CHANGE.validate_python(change), who)
        for path in leaves_of(change["why"], ("why",)):
            if path[-1] != "type":
                other = copy.deepcopy(change)
                altered(other, path)
                with pytest.raises(DoesNotHold):
                    check_change(READ_CHANGE.validate_json(json.dumps(other)), who)
                tried += 1
    assert tried > 50
    alter = in_json("/proofs", lambda answer: altered(answer["changes"][league], ("why", "points")))
    assert page["changes"][league]["change_id"] in told(await signed.check(who, alter=alter))


async def test_a_sum_that_breaks_is_found_where_no_record_is_shown(signed: SignedWorld) -> None:
    people = await a_year(signed)
    who = people[0]
    await signed.season.change(people[1], is_private=True)
    await signed.follow()
    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    assert all(each["record"] is None for each in page["records"]["verdicts"])

    def shift(answer: Any) -> None:
        pool = answer["changes"][2]["why"]["mahjic"]
        for name in ("rating_before", "rating_after"):
            pool[name] = round(pool[name] + 0.01, 2)

    found = told(await signed.check(who, alter=in_json("/proofs", shift)))
    assert page["changes"][2]["change_id"] in found

    def leave_out(answer: Any) -> None:
        del answer["changes"][2]

    found = told(await signed.check(who, alter=in_json("/proofs", leave_out)))
    assert f"{who}, mahjic: 1500.00 and all changes" in found

    def raise_rating(answer: Any) -> None:
        if "rating" in answer:
            answer["rating"] += 1

    found = told(await signed.check(who, alter=in_json(f"/v1/players/{who}", raise_rating)))
    assert f"{who}, mahjic: 1500.00 and all changes" in found


async def test_each_change_is_told_once_and_in_its_order(signed: SignedWorld) -> None:
    people = await a_year(signed)
    who = people[0]
    await signed.season.change(people[1], is_private=True)
    await signed.follow()
    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    newer, older = (each["change_id"] for each in page["changes"][2:4])

    def twice(answer: Any) -> None:
        answer["changes"].insert(3, answer["changes"][2])

    def swapped(answer: Any) -> None:
        changes = answer["changes"]
        changes[2], changes[3] = changes[3], changes[2]

    def other_verdict(answer: Any) -> None:
        # A record that is really on the log, and answers another fact.
        answer["changes"][0]["verdict_seq"] = answer["changes"][-1]["verdict_seq"]

    found = told(await signed.check(who, alter=in_json("/proofs", twice)))
    assert f"{newer}: The change is told 2 times." in found
    found = told(await signed.check(who, alter=in_json("/proofs", swapped)))
    assert f"{newer}: It came after {older}, and is told before it." in found
    found = told(await signed.check(who, alter=in_json("/proofs", other_verdict)))
    assert ": Its verdict is number " in found


async def test_changes_without_end_and_those_of_somebody_else_are_told(
    signed: SignedWorld,
) -> None:
    people = await a_year(signed)

    def without_end(answer: Any) -> None:
        answer["changes"], answer["next_cursor"] = [], "more"

    found = told(await signed.check(people[0], alter=in_json("/proofs", without_end)))
    assert "lists changes without end: 0, and still more." in found

    def renamed(answer: Any) -> None:
        answer["player_id"] = people[1]

    found = told(await signed.check(people[0], alter=in_json("/proofs", renamed)))
    assert found == f"{people[0]}: player_id is {people[1]}, and must be {people[0]}."


# Numbers and texts that no honest service sends.
STRANGE: Final[tuple[Any, ...]] = (
    1e999, -1e999, 1e308, 10**30, -1, 0, 2**63, "", "\u202e", None, [], {}, True, "MJ-00000000",
)  # fmt: skip


def steps_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    within = value.items() if isinstance(value, dict) else enumerate(value)
    for step, each in within:
        yield (*path, step)
        if isinstance(each, dict | list):
            yield from steps_of(each, (*path, step))


def with_strange(value: Any) -> Iterator[Any]:
    for path, strange in itertools.product(list(steps_of(value)), STRANGE):
        other = copy.deepcopy(value)
        within = other
        for step in path[:-1]:
            within = within[step]
        within[path[-1]] = strange
        yield other


async def test_nothing_strange_in_an_answer_breaks_the_check_off(signed: SignedWorld) -> None:
    who = (await a_year(signed))[0]
    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    kinds = {
        (each["why"]["type"], each["why"].get("points")): joined(page, place)
        for place, each in enumerate(page["changes"])
    }
    found = Counter[type | None]()
    for change in kinds.values():
        for which in ("fact", "verdict"):
            for record in with_strange(json.loads(change[which]["record"]["body"])):
                other = copy.deepcopy(change)
                other[which]["record"]["body"] = json.dumps(record)
                found[outcome(other, who)] += 1
        for other in with_strange({**change, "fact": None, "verdict": None}):
            # Without the records, so that the numbers alone are looked at.
            for which in ("fact", "verdict"):
                other[which] = other[which] or {**change[which], "record": None}
            found[outcome(other, who)] += 1
    assert found[DoesNotHold] > 1_000


def outcome(change: Any, who: str) -> type | None:
    """Return how the check of a change ends; fail if it breaks off in any other way."""
    try:
        check_change(READ_CHANGE.validate_json(json.dumps(change)), who)
    except (DoesNotHold, ValidationError) as error:
        return type(error)
    return None


@pytest.mark.parametrize("name", ["facts", "verdicts"])
async def test_an_altered_checkpoint_tile_or_key(signed: SignedWorld, name: str) -> None:
    await a_year(signed)
    checkpoint = (await signed.world.ask(f"/log/{name}/checkpoint")).text
    for place in range(0, len(checkpoint.encode()), 31):
        found = told(await signed.check(alter=flipped(f"/log/{name}/checkpoint", place)))
        assert f"/log/{name}" in found
    (size,) = (int(line) for line in checkpoint.splitlines()[1:2])
    for place in (0, 40, size * 32 - 1):
        alter = flipped(f"/log/{name}/tile/0/000.p/{size}", place)
        found = told(await signed.check(alter=alter))
        assert f"/log/{name}: The root in the checkpoint does not follow from tile/0/000" in found
    keys = (await signed.world.ask("/log/keys")).content
    at = keys.index(f"/{name}+".encode()) + len(name) + 2 + 9 + 5
    assert "/log/keys" in told(await signed.check(alter=flipped("/log/keys", at)))


async def test_an_altered_tile_within_a_large_log_is_named(signed: SignedWorld) -> None:
    season = signed.season
    club = await season.source("club")
    who = await season.player(1, source=club)
    for _ in range(300):
        await season.verify(who)
        await season.end_verification(who)
    await signed.follow()
    assert (await signed.check()).holds
    found = told(await signed.check(alter=flipped("/log/facts/tile/0/001", 100)))
    assert (
        found == "/log/facts/tile/0/001: The tile is not the one whose hash is in tile/1/000.p/2."
    )


async def test_another_key_or_history_than_the_last_time(
    signed: SignedWorld, tmp_path: Path
) -> None:
    who = (await a_year(signed))[0]
    memory = tmp_path / "memory"
    assert (await signed.check(who, memory=memory)).holds
    await signed.season.verify(who)
    await signed.follow()
    assert (await signed.check(who, memory=memory)).holds
    (seen,) = memory.glob("*/seen.json")
    kept = json.loads(seen.read_text())
    wrong_root = {**kept["facts"], "root": "00" * 32}
    seen.write_text(json.dumps({**kept, "facts": wrong_root}))
    found = told(await signed.check(memory=memory))
    assert "/log/facts: Not the log that was seen by the last check" in found
    larger = {**kept["facts"], "size": kept["facts"]["size"] + 1}
    seen.write_text(json.dumps({**kept, "facts": larger}))
    assert "records, and had" in told(await signed.check(memory=memory))
    seen.write_text(json.dumps({**kept, "verdicts": {**kept["verdicts"], "key": "another"}}))
    assert "/log/keys: It names the key" in told(await signed.check(memory=memory))


async def test_an_auditor_holds_what_is_withheld_against_the_records(signed: SignedWorld) -> None:
    people = await a_year(signed)
    who = people[0]
    await signed.season.change(people[1], is_private=True)
    await signed.follow()
    page = await signed.world.get(f"/v1/players/{who}/proofs", limit=50)
    league = next(
        place for place, each in enumerate(page["changes"]) if each["why"].get("points") == 25.0
    )
    change = page["changes"][league]
    assert [behind(page, league, which)["record"] for which in ("fact", "verdict")] == [None, None]

    def other_points(answer: Any) -> None:
        # Nothing that is shown follows from it.
        answer["changes"][league]["why"]["points"] = 24.0

    lie = in_json("/proofs", other_points)
    assert (await signed.check(who, alter=lie)).holds
    found = told(await signed.check(who, alter=lie, as_auditor=True))
    assert found == f"{change['change_id']}: points is 24.0, and must be 25.0."
    checked = await signed.check(who, as_auditor=True)
    assert checked.holds, checked
    assert "all their records say the same" in checked.sentence("x")
