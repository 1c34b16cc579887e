"""What a check keeps in the user's folder: whole, for the user alone, by one check at a time."""

from pathlib import Path

import pytest

from services.cli.checking.kept import CheckRunning, Memory, UnreadableMemory
from tests.cli.checking.hand_made import HandMade


def test_two_checks_of_one_service_do_not_run_at_once(tmp_path: Path) -> None:
    service = HandMade()
    with Memory(tmp_path).held(), pytest.raises(CheckRunning, match="--memory"):
        service.check(tmp_path)
    assert service.check(tmp_path).holds


def test_what_is_kept_is_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "checks" / "one"
    service = HandMade()
    service.play(2)
    assert service.check(folder, as_auditor=True).holds
    assert folder.stat().st_mode & 0o077 == 0
    files = sorted(each.name for each in folder.iterdir())
    assert files == ["facts.records", "lock", "seen.json", "verdicts.records"]
    assert all(each.stat().st_mode & 0o077 == 0 for each in folder.iterdir())


@pytest.mark.parametrize("content", [b"", b"{}", b"not JSON", b"[" * 10_000, b"\xff"])
def test_what_cannot_be_read_is_told_and_not_passed_over(tmp_path: Path, content: bytes) -> None:
    service = HandMade()
    (tmp_path / "seen.json").write_bytes(content)
    with pytest.raises(UnreadableMemory, match="delete it"):
        service.check(tmp_path)
    assert service.asked == []


@pytest.mark.parametrize("name", ["seen.json", "lock", "facts.records"])
def test_nothing_is_read_or_written_through_a_link(tmp_path: Path, name: str) -> None:
    folder, elsewhere = tmp_path / "memory", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("mine")
    (folder / name).symlink_to(elsewhere)
    service = HandMade()
    with pytest.raises(UnreadableMemory):
        service.check(folder, as_auditor=True)
    assert elsewhere.read_text() == "mine"


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(UnreadableMemory, match="cannot be written"):
        HandMade().check(file / "memory")
    assert list(tmp_path.iterdir()) == [file]
