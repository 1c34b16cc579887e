"""An auditor holds every record against its leaf, and goes on where an audit broke off."""

from pathlib import Path

import pytest

from shared.events.facts import SessionsVoided
from shared.ids import session_id
from tests.cli.checking.hand_made import HandMade, told


def test_all_records_and_ratings_hold(tmp_path: Path) -> None:
    service = HandMade()
    service.play(5)
    service.tell(SessionsVoided((session_id(1_770_000_000_000, 2),), "wrong_result"))
    checked = service.check(tmp_path, as_auditor=True)
    assert checked.holds, checked
    assert checked.rated_again is not None
    assert (checked.rated_again.facts, checked.rated_again.verdicts) == (7, 7)


def test_an_audit_goes_on_with_what_it_kept(tmp_path: Path) -> None:
    service = HandMade()
    service.play(3)
    assert service.check(tmp_path, as_auditor=True).holds
    service.play(2)
    assert service.check(tmp_path, as_auditor=True).holds
    # One question about the id of the log, and one for the two new records.
    assert service.asked.count("/v1/log/facts") == 2
    assert service.check(tmp_path, as_auditor=True).holds
    assert service.asked.count("/v1/log/facts") == 1


@pytest.mark.parametrize("name", ["facts", "verdicts"])
@pytest.mark.parametrize("place", [10, 50, 130, 400])
def test_what_was_kept_and_is_damaged_comes_again(tmp_path: Path, name: str, place: int) -> None:
    service = HandMade()
    service.play(3)
    assert service.check(tmp_path, as_auditor=True).holds
    kept = tmp_path / f"{name}.records"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    assert service.check(tmp_path, as_auditor=True).holds
    assert kept.read_bytes() == whole
    kept.write_bytes(whole[:-7])
    assert service.check(tmp_path, as_auditor=True).holds
    assert kept.read_bytes() == whole


@pytest.mark.parametrize("name", ["facts", "verdicts"])
def test_an_altered_record_is_told_with_its_number(tmp_path: Path, name: str) -> None:
    service = HandMade()
    service.play(3)
    log = service.facts if name == "facts" else service.verdicts
    log.bodies[2] = log.bodies[2].replace(b'"mahjongs":[2', b'"mahjongs":[1')
    checked = service.check(tmp_path, as_auditor=True)
    # The chain goes on from it, so all behind it would differ too.
    (found,) = told(checked).splitlines()
    assert found.startswith(f"record 3 of the {name}: The record, a salt or a chain value is not")
    assert checked.rated_again is None


@pytest.mark.parametrize("which", ["salt", "chain_salt"])
def test_an_altered_salt_is_told_with_its_number(tmp_path: Path, which: str) -> None:
    service = HandMade()
    service.play(3)
    lines = service.facts.salts(1, 10).splitlines()
    place = lines[1].index(f'"{which}": "'.encode()) + len(which) + 5
    line = bytearray(lines[1])
    line[place] = ord("B") if line[place] != ord("B") else ord("C")
    service.instead["/v1/log/facts/salts"] = b"\n".join([lines[0], bytes(line), *lines[2:]])
    found = told(service.check(tmp_path, as_auditor=True))
    assert found.startswith("record 2 of the facts: ")


def test_ratings_that_do_not_follow_are_found_though_all_is_signed(tmp_path: Path) -> None:
    service = HandMade()
    service.play(2)
    altered = [
        each.replace(b'"rating_change":[', b'"rating_change":[1')
        for each in service.verdicts.bodies
    ]
    service.verdicts.bodies.clear()
    service.verdicts.leaves.clear()
    service.verdicts.__post_init__()
    for body in altered:
        service.verdicts.append(body)
    found = told(service.check(tmp_path, as_auditor=True))
    assert found.startswith("ratings: Verdict 3 has")


def test_lines_of_another_service_are_told(tmp_path: Path) -> None:
    service = HandMade()
    service.play(1)
    for bad in (b"[]", b'{"seq": 7}', b'{"seq": 1, "salt": "", "chain_salt": ""}', b"\xff"):
        service.instead["/v1/log/verdicts/salts"] = b"\n".join([bad] * 2)
        assert told(service.check(tmp_path, as_auditor=True)).startswith("/v1/log/verdicts/salts")
