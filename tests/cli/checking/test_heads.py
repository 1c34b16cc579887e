"""A check believes what is signed by whom it must be, and only what has grown from what it saw."""

import base64
import json
from pathlib import Path

import pytest

from tests.cli.checking.hand_made import HOST, HandKey, HandMade, HandMadeLog, told


def test_two_small_logs_hold_and_are_remembered(tmp_path: Path) -> None:
    service = HandMade()
    service.play(4)
    checked = service.check(tmp_path)
    assert checked.holds, checked
    assert checked.sentence("x") == "x holds: 5 facts and 5 verdicts are signed."
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["facts"]["size"], seen["facts"]["key"]) == (5, service.facts.key.text)
    service.play(3)
    assert service.check(tmp_path).holds
    assert json.loads((tmp_path / "seen.json").read_text())["facts"]["size"] == 8


def test_a_log_that_forgot_or_changed_is_found_by_what_was_seen(tmp_path: Path) -> None:
    service = HandMade()
    service.play(4)
    assert service.check(tmp_path).holds
    fresh = HandMade(
        facts=HandMadeLog("facts", service.facts.key),
        verdicts=HandMadeLog("verdicts", service.verdicts.key),
    )
    fresh.play(2)
    assert "/log/verdicts: The log has 3 records, and had 5 by the last check." in told(
        fresh.check(tmp_path)
    )
    for log in (service.facts, service.verdicts):
        log.leaves[1] = bytes(32)
    service.play(1)
    found = told(service.check(tmp_path))
    assert "/log/verdicts: Not the log that was seen by the last check" in found
    # Nothing of it is remembered.
    assert json.loads((tmp_path / "seen.json").read_text())["facts"]["size"] == 5


def test_a_witness_that_is_asked_for_must_have_cosigned(tmp_path: Path) -> None:
    service, witness = HandMade(), HandKey("witness.example", 4)
    service.play()
    asked = [witness.verifier]
    found = told(service.check(tmp_path, witnesses=asked))
    assert "/log/verdicts/checkpoint: The witness witness.example has not cosigned it." in found
    for log in (service.facts, service.verdicts):
        log.witnesses.append(witness)
    checked = service.check(tmp_path, witnesses=asked)
    assert checked.holds
    assert [each.key.name for each in checked.heads["facts"].cosigned] == ["witness.example"]
    # A service that names the witness tells of it to those who don't ask.
    service.named_witnesses.append(witness)
    assert len(service.check(tmp_path).heads["facts"].cosigned) == 1


def test_a_cosignature_that_is_not_theirs_is_told(tmp_path: Path) -> None:
    service, witness = HandMade(), HandKey("witness.example", 4)
    service.facts.witnesses.append(HandKey(witness.name, 4, witness.private))
    service.named_witnesses.append(witness)
    note = service.facts.signed(service.facts.head)
    body, _, line = note[:-1].rpartition("\n")
    dash, name, signature = line.split(" ")
    data = bytearray(base64.b64decode(signature))
    data[-1] ^= 1
    altered = f"{body}\n{dash} {name} {base64.b64encode(bytes(data)).decode()}\n"
    service.instead["/log/facts/checkpoint"] = altered.encode()
    found = told(service.check(tmp_path))
    assert found == ("/log/facts/checkpoint: The signature of witness.example is not theirs.")


def test_a_key_is_believed_the_first_time_alone(tmp_path: Path) -> None:
    service = HandMade()
    assert service.check(tmp_path).holds
    old = service.facts.key
    service.facts.key = HandKey(old.name, 1)
    found = told(service.check(tmp_path))
    assert found == (
        f"/log/keys: It names the key {service.facts.key.text}, and the last check saw {old.text}."
    )
    mine = [old.verifier, service.verdicts.key.verifier]
    found = told(service.check(tmp_path / "new", log_keys=mine))
    assert "which is not one that you gave" in found


@pytest.mark.parametrize(
    "keys",
    [b"log nonsense\n", b"what is this\n", b"", b"\xff\n"],
)
def test_keys_that_cannot_be_read_are_told(tmp_path: Path, keys: bytes) -> None:
    service = HandMade()
    service.instead["/log/keys"] = keys or b"\n"
    assert told(service.check(tmp_path)).startswith("/log/keys: ")


def begun_again(service: HandMade, *, private: bool = True) -> HandMade:
    """End both logs, and begin them again: with the same private key, or with another."""
    old = (service.facts, service.verdicts)
    later = []
    for log in old:
        kept = {"private": log.key.private} if private else {}
        key = HandKey(f"{log.key.name}/2", 1, **kept)
        words = f"{log.head}ended 2026-03-01\nnext {key.text}\nwhy The disk was lost.\n"
        last_words = log.signed(words) + key.line(words)
        service.instead[f"/log/{log.name}/ended"] = last_words.encode()
        tile = f"tile/0/000.p/{len(log.leaves)}"
        service.instead[f"/log/{log.name}/{tile}"] = b"".join(log.leaves)
        later.append(HandMadeLog(log.name, key))
    facts, verdicts = later
    again = HandMade(facts, verdicts, instead=service.instead)
    again.play(2)
    keys = [each.key.text for each in (*old, *later)]
    again.instead["/log/keys"] = "".join(f"log {each}\n" for each in keys).encode()
    return again


@pytest.mark.parametrize("is_same_key", [True, False])
def test_a_log_that_was_begun_again_goes_on_and_says_why(tmp_path: Path, is_same_key: bool) -> None:
    service = HandMade()
    service.play(4)
    assert service.check(tmp_path).holds
    service.play(1)
    again = begun_again(service, private=is_same_key)
    checked = again.check(tmp_path)
    assert checked.holds, checked
    ended = f"The public log {HOST}/facts ended with 6 records: The disk was lost."
    assert ended in checked.findings.notes
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["facts"]["number"], seen["facts"]["size"]) == (2, 3)
    assert again.check(tmp_path).findings.notes == []


@pytest.mark.parametrize("is_seen", [True, False])
@pytest.mark.parametrize("given", ["those before", "those that go on", "all", "others"])
def test_keys_from_elsewhere_lead_to_the_log_that_goes_on(
    tmp_path: Path, given: str, *, is_seen: bool
) -> None:
    service = HandMade()
    service.play(2)
    if is_seen:
        assert service.check(tmp_path).holds
    again = begun_again(service, private=False)
    before = [service.facts.key.verifier, service.verdicts.key.verifier]
    later = [again.facts.key.verifier, again.verdicts.key.verifier]
    others = [HandKey(each.name, 1).verifier for each in later]
    keys = {
        "those before": before,
        "those that go on": later,
        "all": [*before, *later],
        "others": others,
    }
    checked = again.check(tmp_path, log_keys=keys[given])
    if given == "others":
        assert "which is not one that you gave" in told(checked)
    else:
        assert checked.holds, checked
        assert checked.heads["facts"].number == 2


def test_a_key_that_is_given_is_not_passed_over_for_one_that_was_seen(tmp_path: Path) -> None:
    service = HandMade()
    assert service.check(tmp_path).holds
    others = [HandKey(f"{HOST}/{name}/2", 1).verifier for name in ("facts", "verdicts")]
    assert "which is not one that you gave" in told(service.check(tmp_path, log_keys=others))


def test_a_log_goes_on_under_the_key_alone_that_its_last_words_name(tmp_path: Path) -> None:
    again = begun_again(HandMade())
    named = again.facts.key
    again.facts.key = HandKey(named.name, 1)
    keys = again.instead["/log/keys"].decode()
    again.instead["/log/keys"] = keys.replace(named.text, again.facts.key.text).encode()
    found = told(again.check(tmp_path))
    assert f"and the log before it ended by naming {named.text}" in found


def test_last_words_must_be_signed_by_the_next_key_too(tmp_path: Path) -> None:
    again = begun_again(HandMade())
    words = again.instead["/log/facts/ended"].decode()
    again.instead["/log/facts/ended"] = f"{words[:-1].rpartition(chr(10))[0]}\n".encode()
    found = told(again.check(tmp_path))
    assert found == "/log/facts/ended: Its key and the next one must both have signed it."


def test_last_words_that_are_altered_are_told(tmp_path: Path) -> None:
    again = begun_again(HandMade())
    words = again.instead["/log/verdicts/ended"]
    again.instead["/log/verdicts/ended"] = words.replace(b"was lost", b"is fine.")
    assert told(again.check(tmp_path)).startswith("/log/verdicts/ended: The signature of")


def test_a_service_without_a_public_log_was_not_checked(tmp_path: Path) -> None:
    checked = HandMade(has_log=False).check(tmp_path)
    assert not checked.holds
    assert checked.findings.wrong == []
    assert checked.not_finished is not None
    assert "keeps no public log" in checked.not_finished


def test_a_tile_that_is_missing_is_named(tmp_path: Path) -> None:
    service = HandMade()
    service.play(2)
    service.instead["/log/facts/tile/0/000.p/3"] = b"short"
    found = told(service.check(tmp_path))
    assert found == "/log/facts: The tile tile/0/000.p/3 is missing, or not as long as it must be."
