"""The commands: made once, told how they stand, and begun again after a loss."""

from pathlib import Path

import pytest

from services.transparency.folder import Standstill, TransparencyFolder
from shared.tlog.notes import read_verifier_key
from tests.cli.running import call

NEEDED = "MAHJIC_TRANSPARENCY"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the settings say that the public logs are."""
    path = tmp_path / "deep" / "transparency"
    monkeypatch.setenv(NEEDED, str(path))
    monkeypatch.setenv("MAHJIC_PUBLIC_URL", "https://Mahjic.example:8443")
    return path


def test_init_prints_the_keys_and_is_done_once(path: Path) -> None:
    made = call("transparency", "init")
    assert made.exit_code == 0
    keys = [read_verifier_key(line) for line in made.stdout.splitlines()]
    names = ["mahjic.example:8443/facts", "mahjic.example:8443/verdicts"]
    assert [each.name for each in keys] == names
    assert f"signing-key and salt-key, are in {path}. Copy them" in made.stderr
    again = call("transparency", "init")
    assert again.exit_code == 2
    assert again.stderr.startswith("public_log_there")
    for name in ("signing-key", "salt-key"):
        assert (path / name).stat().st_mode & 0o777 == 0o600


def test_init_says_that_a_folder_cannot_be_made(path: Path) -> None:
    path.parent.write_text("A file stands where the folder would be.")
    refused = call("transparency", "init")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith(
        f"public_log_folder_trouble: {path} cannot be written: Not a directory."
    )


@pytest.mark.parametrize("setting", [NEEDED, "MAHJIC_PUBLIC_URL"])
def test_init_says_what_it_needs(path: Path, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.delenv(setting)
    refused = call("transparency", "init")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"invalid_settings: {setting}")


def test_status_says_that_nobody_keeps_them(path: Path) -> None:
    call("transparency", "init")
    told = call("transparency", "status")
    assert told.exit_code == 1
    assert told.rows[1] == ["mahjic.example:8443/facts", "nothing signed yet", "-", "-", "-"]
    assert "No process is keeping these logs" in told.stderr


def test_status_of_nothing_says_what_to_do(path: Path) -> None:
    told = call("transparency", "status")
    assert told.exit_code == 2
    assert "mahjic transparency init" in told.stderr


def test_begin_again_goes_on_after_a_stop(path: Path) -> None:
    call("transparency", "init")
    refused = call("transparency", "begin-again", "--why", "A disk was lost.")
    assert refused.stderr.startswith("public_log_goes_on")
    folder = TransparencyFolder(path)
    folder.stop(Standstill("history_split", "Record 3 is gone.", "2026-11-30T12:00:00+00:00"))
    stopped = call("transparency", "status")
    assert stopped.exit_code == 1
    assert "since 2026-11-30T12:00:00+00:00 (history_split). Record 3 is gone." in stopped.stderr
    begun = call("transparency", "begin-again", "--why", "A disk was lost.")
    assert begun.exit_code == 0
    assert [line.split("+")[0] for line in begun.stdout.splitlines()] == [
        "mahjic.example:8443/facts/2",
        "mahjic.example:8443/verdicts/2",
    ]
    assert [row[1] for row in call("transparency", "status").rows[1:]] == [
        "ended",
        "ended",
        "nothing signed yet",
        "nothing signed yet",
    ]


def test_a_reason_must_be_given(path: Path) -> None:
    call("transparency", "init")
    refused = call("transparency", "begin-again", "--why", " ", "--yes")
    assert refused.exit_code == 2


def test_follow_is_for_kafka(path: Path) -> None:
    refused = call("transparency", "follow")
    assert (refused.exit_code, refused.stderr.split(":")[0]) == (2, "serve_does_it")


@pytest.mark.parametrize(
    "witnesses",
    [
        "[]]",
        '["https://witness.example"]',
        '["https://witness.example witness.example+00000000+BJpMVsTrCJvPmOyIvfHnXWqjgjEFn9gv"]',
        '["ftp://witness.example x+1+y"]',
    ],
)
def test_a_setting_that_names_no_witness_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, witnesses: str
) -> None:
    monkeypatch.setenv("MAHJIC_WITNESSES", witnesses)
    refused = call("transparency", "status")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("invalid_settings: MAHJIC_WITNESSES")


def test_status_leaves_nothing_behind_that_the_service_could_not_open(path: Path) -> None:
    call("transparency", "init")
    before = sorted(path.rglob("*"))
    call("transparency", "status")
    assert sorted(path.rglob("*")) == before
    with TransparencyFolder(path).held() as is_held:
        assert is_held
        assert TransparencyFolder(path).is_held()
        assert "No process" not in call("transparency", "status").stderr
    assert not TransparencyFolder(path).is_held()
